"""The fake provider's embeddings without the provider, so that a replay can't fail."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from providers.sdk.openai_embeddings import MAX_TOKENS, PORTION
from providers.tokens import estimated_tokens
from samples.canned.embeddings import word_vector


class WordEmbedder:
    """Hashed bags of words under the name of the model that the provider gives them as.

    Args:
        dimensions: The length of a vector.
    """

    def __init__(self, dimensions: int) -> None:
        self.model = f"text-embedding-3-small@{dimensions}"
        self.dimensions = dimensions
        self.max_tokens = MAX_TOKENS
        self.portion = PORTION

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimate the tokens of texts, as the embedder of that name does."""
        return [estimated_tokens(text) for text in texts]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts."""
        vectors = np.array([word_vector(text, self.dimensions) for text in texts], np.float64)
        # Rounded exactly as the embedder rounds vectors from the wire.
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed queries as any text."""
        return self.embed(texts)


class WordEmbedders:
    """Return the one embedder, whatever the model."""

    def __init__(self, dimensions: int) -> None:
        self.wanted = WordEmbedder(dimensions)

    def serving(self, _model: str | None) -> WordEmbedder:
        """Return the one embedder."""
        return self.wanted

    def constants(self, _model: str | None, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts that are the same for all Beings."""
        return self.wanted.embed(texts)
