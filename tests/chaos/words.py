"""The fake provider's embeddings without the provider: a replay asks nobody, so nobody can fail it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.fakes.embeddings import word_vector


class WordEmbedder:
    """Hashed bags of words under the name of the model that the provider gives them as.

    Args:
        dimensions: The length of a vector.
    """

    def __init__(self, dimensions: int) -> None:
        self.model = f"text-embedding-3-small@{dimensions}"
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts."""
        vectors = np.array([word_vector(text, self.dimensions) for text in texts], np.float64)
        # As the embedder does with what comes over the wire, to the last bit.
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


class WordEmbedders:
    """The one embedder, whatever model is asked for."""

    def __init__(self, dimensions: int) -> None:
        self.wanted = WordEmbedder(dimensions)

    def serving(self, _model: str | None) -> WordEmbedder:
        """Return the one embedder."""
        return self.wanted
