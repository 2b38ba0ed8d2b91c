"""Selects the embedder of a Being: the model that its stored vectors were made with."""

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from providers.embedding import Embedder, make_embedder
from providers.errors import Misconfigured, Transient
from providers.local.encoder_config import MINILM, MULTILINGUAL, NAME_PREFIX
from providers.metering import Meter
from schemas.nodes.nodes import UNEMBEDDED
from schemas.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNEMBEDDED_SECONDS = 5.0


class Embedders:
    """The embedders of one process, made when first needed.

    A Being's vectors are of one model, and queries must use the same model. A missing key therefore never changes a
    Being's embedder: `serving` raises, and work that needs embedding waits.
    """

    def __init__(self, settings: Settings, meter: Meter | None = None) -> None:
        self._settings = settings
        self._meter = meter
        self._made: dict[str, Embedder] = {}
        self._wanted: Embedder | None = None
        self._making = Lock()

    @property
    def wanted(self) -> Embedder:
        """The embedder that the settings select."""
        with self._making:
            if self._wanted is None:
                self._wanted = make_embedder(self._settings, self._meter)
                self._made[self._wanted.model] = self._wanted
            return self._wanted

    @property
    def replaces(self) -> bool:
        """Whether Beings with vectors of another model are re-embedded with the wanted one.

        They are, unless MiniLM was selected only because there is no key.
        """
        return self._settings.embedder != "auto" or self.wanted.model != MINILM

    def serving(self, model: str | None) -> Embedder:
        """Return the embedder of a Being's model; the wanted one for a Being without vectors.

        Raises:
            Misconfigured: This process has no key for that model, or another one in the directory of local models.
            Transient: The Being is being embedded.
        """
        if model == UNEMBEDDED:
            raise Transient("This Being's memories are being embedded.", retry_after=UNEMBEDDED_SECONDS)
        if model is None or model == self.wanted.model:
            return self.wanted
        if model not in self._made:
            made = make_embedder(self._settings_for(model), self._meter)
            if model.startswith(NAME_PREFIX) and made.model != model:
                raise Misconfigured(
                    f"These vectors are of the model {model}, and PATROL_LOCAL_MODEL holds {made.model}. Set it to the "
                    "first one's directory, or set PATROL_EMBEDDER to have them re-embedded."
                )
            self._made[model] = made
        return self._made[model]

    def constants(self, model: str | None, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embed texts that are the same for all Beings, once for each process and model.

        Returns:
            Unit vectors of shape `(len(texts), dimensions)`.

        Raises:
            ProviderError: As `serving` and `Embedder.embed`.
        """
        return _embedded(self.serving(model), tuple(texts))

    def _settings_for(self, model: str) -> Settings:
        if model == MINILM:
            return self._settings.model_copy(update={"embedder": "minilm"})
        if model == MULTILINGUAL:
            return self._settings.model_copy(update={"embedder": "multilingual"})
        if model.startswith(NAME_PREFIX):
            if self._settings.local_model is None:
                raise Misconfigured(
                    f"These vectors are of the local model {model}. Set PATROL_LOCAL_MODEL to its directory, or set "
                    "PATROL_EMBEDDER to have them re-embedded."
                )
            return self._settings.model_copy(update={"embedder": "local"})
        if self._settings.openai_api_key is None and self._settings.openai_base_url is None:
            raise Misconfigured(
                f"These vectors are of the model {model}, and there is no key for it. Set OPENAI_API_KEY, or set "
                "PATROL_EMBEDDER to `minilm` to have them re-embedded."
            )
        name, _, dimensions = model.partition("@")
        return self._settings.model_copy(
            update={
                "embedder": "openai",
                "openai_embedding_model": name,
                "openai_embedding_dimensions": int(dimensions) if dimensions else None,
            }
        )


# A Being is served by one model, and a process by few.
@lru_cache(maxsize=8)
def _embedded(embedder: Embedder, texts: tuple[str, ...]) -> "NDArray[np.float32]":
    return embedder.embed(texts)
