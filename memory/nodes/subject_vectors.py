"""Vectors of scenes' subjects, without their participants and dates.

A scene's vector is of its dates, its action and its feeling, and the action names its actors: scenes of one day, or of
one person, are more similar than their events. The meaning of the dates and names alone is removed from it: its part in
the space that their vectors span.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.nodes.creation import vectors_of
from memory.nodes.scenes import embedding_text, text_hash
from providers.embedding import Embedder
from store.database import Store

# The number of most frequent actors removed: their names stand in the actions of other scenes as well.
MOST_NAMES = 12
# Less is left of a vector by rounding alone: it is stored with half precision, in steps of a thousandth.
NOTHING = 0.01


class SceneSetting(Protocol):
    """A scene's participants and dates."""

    @property
    def when(self) -> Sequence[Any]:
        """The scene's `when`."""

    @property
    def actors(self) -> Sequence[str]:
        """The names of the participants."""


Embed = Callable[[Sequence[str]], Mapping[bytes, NDArray[np.float32]]]
"""Embeds texts: vectors by `text_hash`, without those that the model refuses."""


def embed_once(store: Store, embedder: Embedder, being_id: UUID) -> Embed:
    """Embed dates and names of a Being's scenes for once: their vectors are kept as those of scenes are."""
    return lambda texts: vectors_of(store, embedder, being_id, texts)[0]


def subject_vectors(
    embed: Embed, scenes: Sequence[SceneSetting], vectors: Sequence[NDArray[np.float32]]
) -> list[NDArray[np.float32]]:
    """Remove the meaning of dates and actors' names from scenes' vectors.

    Args:
        embed: Embeds with the model that the vectors are of.
        vectors: Their unit vectors, in the same order.

    Returns:
        Unit vectors, in the same order; a scene's own vector where nothing else is in it.

    Raises:
        ProviderError: The embedder is unavailable.
    """
    count = Counter(name for scene in scenes for name in set(scene.actors) if name.strip())
    names = sorted(count, key=lambda name: (-count[name], name))[:MOST_NAMES]
    circumstances = [_circumstances(scene) for scene in scenes]
    texts = list(dict.fromkeys(text for text in (*names, *circumstances) if text.strip()))
    known = embed(texts)
    embedded = {text: known[text_hash(text)] for text in texts if text_hash(text) in known}
    return [
        _without_span(vector, [embedded[text] for text in dict.fromkeys((own, *names)) if text in embedded])
        for vector, own in zip(vectors, circumstances, strict=True)
    ]


def _circumstances(scene: SceneSetting) -> str:
    """A scene's text for the embedder as it would be if its action only named its actors."""
    dates = [item["date"] if isinstance(item, dict) else item for item in scene.when]
    return embedding_text({"when": dates, "action": ", ".join(scene.actors[:MOST_NAMES])}, None)


def _without_span(vector: NDArray[np.float32], removed: Iterable[NDArray[np.float32]]) -> NDArray[np.float32]:
    rows = [np.asarray(row, dtype=np.float64) for row in removed]
    if not rows:
        return vector
    spanned, _ = np.linalg.qr(np.stack(rows).T)
    left = vector - spanned @ (spanned.T @ vector)
    length = float(np.linalg.norm(left))
    return (left / length).astype(np.float32) if length > NOTHING else vector
