"""A BERT encoder's forward pass in numpy, without padding.

The tokens of a batch are the columns of one matrix, text behind text in ascending order of length; its rows are
features. Everything that looks at a token alone (projections, feed-forward, normalisation) runs on all columns at once;
attention, which looks at a text, runs on each stretch of equally long texts, reshaped without a copy. No column is
wasted on padding, so no mask is needed, and a text's vector does not depend on its neighbours.

Weights multiply from the left, in their stored order: transposed, the product takes a tenth longer for few tokens,
unless each process keeps a copy of them in the other order.

RoBERTa and XLM-RoBERTa have the same layers; they differ in the row of the position embeddings that comes first.

Source: Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", 2018; tensor names as in the
`transformers` package's BertModel.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from providers.errors import Misconfigured
from providers.local.encoder_config import Pooling
from providers.local.weights import Tensors

Matrix = NDArray[np.float32]

# The number of values whose intermediate results of GELU stay in the processor's cache.
_VALUES_IN_CACHE = 1 << 16
# The number of a long text's tokens whose attention weights are computed at a time, to bound their memory.
_ATTENDING_TOKENS = 512
_ATTENTION = tuple(f"attention.self.{part}" for part in ("query", "key", "value"))
_MODULES = (
    *_ATTENTION,
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
_ERFC = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
_ERFC_SCALE = np.float32(0.3275911)
_HALF = np.float32(0.5)
_ONE = np.float32(1)


class Bert:
    """An encoder with pooling; thread-safe and fork-safe.

    Args:
        tensors: The weights by their names in a BertModel; the number of layers and all sizes follow from them.
        heads: How many attention heads a layer has.
        epsilon: The term that layer normalisation adds to the variance.
        first_position: The row of the position embeddings for a text's first token.
        pooling: How a text's token vectors become one.

    Raises:
        Misconfigured: A tensor is missing, or the width is no multiple of the number of heads.
    """

    def __init__(
        self,
        tensors: Tensors,
        *,
        heads: int,
        epsilon: float,
        first_position: int = 0,
        pooling: Pooling = Pooling.MEAN,
    ) -> None:
        self._layers = sum(name.endswith(".output.dense.weight") for name in tensors) // 2
        if missing := [name for name in _required(self._layers) if name not in tensors]:
            raise Misconfigured(f"The weights lack the tensor {missing[0]} of a BERT encoder.")
        self.vocabulary, self.width = tensors["embeddings.word_embeddings.weight"].shape
        if self.width % heads:
            raise Misconfigured(f"Vectors of {self.width} numbers can't be divided among {heads} attention heads.")
        self._tensors = tensors
        self._heads = heads
        self._epsilon = np.float32(epsilon)
        self._first_position = first_position
        self._pooling = pooling

    def __call__(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        """Encode texts and pool each one's token vectors.

        Args:
            tokens: The token ids of each text with their special tokens, in ascending order of length.

        Returns:
            One row for each text, of shape `(len(tokens), width)`, not normalised.
        """
        spans = list(_equally_long(tokens))
        states = self._embed(tokens)
        for layer in range(self._layers):
            prefix = f"encoder.layer.{layer}"
            query, key, value = (self._projected(states, f"{prefix}.{part}") for part in _ATTENTION)
            attended = self._projected(self._attend(query, key, value, spans), f"{prefix}.attention.output.dense")
            states = self._normalised(attended + states, f"{prefix}.attention.output.LayerNorm")
            inner = gelu(self._projected(states, f"{prefix}.intermediate.dense"))
            outer = self._projected(inner, f"{prefix}.output.dense")
            states = self._normalised(outer + states, f"{prefix}.output.LayerNorm")
        pooled = [self._pooled(states[:, columns].reshape(self.width, texts, -1)) for columns, texts in spans]
        return np.concatenate(pooled, axis=1).T

    def _pooled(self, states: Matrix) -> Matrix:
        match self._pooling:
            case Pooling.CLS:
                return states[:, :, 0]
            case Pooling.MAX:
                highest: Matrix = states.max(axis=2)
                return highest
            case Pooling.MEAN:
                mean: Matrix = states.mean(axis=2)
                return mean

    def _embed(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        words = self._tensors["embeddings.word_embeddings.weight"][np.concatenate([np.asarray(ids) for ids in tokens])]
        places = self._tensors["embeddings.position_embeddings.weight"]
        words += places[self._first_position + np.concatenate([np.arange(len(ids)) for ids in tokens])]
        words += self._tensors["embeddings.token_type_embeddings.weight"][0]
        return self._normalised(np.ascontiguousarray(words.T), "embeddings.LayerNorm")

    def _projected(self, columns: Matrix, name: str) -> Matrix:
        product = self._tensors[f"{name}.weight"] @ columns
        product += self._tensors[f"{name}.bias"][:, None]
        return product

    def _attend(self, query: Matrix, key: Matrix, value: Matrix, spans: Sequence[tuple[slice, int]]) -> Matrix:
        """Multi-head self-attention within each text: softmax(Q·Kᵀ/√d)·V, one column a token; changes `query`."""
        query *= np.float32((self.width / self._heads) ** -0.5)
        mixed = np.empty_like(query)
        for columns, texts in spans:
            q, k, v, into = (
                each[:, columns].reshape(self._heads, self.width // self._heads, texts, -1).transpose(2, 0, 1, 3)
                for each in (query, key, value, mixed)
            )
            for first in range(0, q.shape[3], _ATTENDING_TOKENS):
                some = slice(first, first + _ATTENDING_TOKENS)
                weights = q[..., some].swapaxes(2, 3) @ k
                weights -= weights.max(axis=-1, keepdims=True)
                np.exp(weights, out=weights)
                weights /= weights.sum(axis=-1, keepdims=True)
                into[..., some] = v @ weights.swapaxes(2, 3)
        return mixed

    def _normalised(self, columns: Matrix, name: str) -> Matrix:
        """Layer normalisation; changes and returns `columns`."""
        columns -= columns.mean(axis=0)
        variance = np.einsum("ij,ij->j", columns, columns) / np.float32(self.width)
        columns /= np.sqrt(variance + self._epsilon)
        columns *= self._tensors[f"{name}.weight"][:, None]
        columns += self._tensors[f"{name}.bias"][:, None]
        return columns


def gelu(values: Matrix) -> Matrix:
    """The exact GELU, x·Φ(x), to within 4e-7; changes and returns `values`.

    numpy has no erf. With Φ(x) = 1 - erfc(x/√2)/2, x·Φ(x) is max(x, 0) - |x|·erfc(|x|/√2)/2, and erfc is Abramowitz and
    Stegun's approximation 7.1.26, (a₁t + … + a₅t⁵)·exp(-z²) with t = 1/(1 + pz). Worked off in blocks that stay in the
    processor's cache.

    Args:
        values: Any matrix, in C order.
    """
    flat = values.reshape(-1)
    for start in range(0, flat.size, _VALUES_IN_CACHE):
        x = flat[start : start + _VALUES_IN_CACHE]
        size = np.abs(x)
        z = size * np.float32(0.5**0.5)
        t = _ONE / (_ONE + _ERFC_SCALE * z)
        tail = _ERFC[0] * t
        for coefficient in _ERFC[1:]:
            tail += coefficient
            tail *= t
        z *= -z
        tail *= np.exp(z, out=z)
        tail *= size
        tail *= _HALF
        np.maximum(x, 0, out=x)
        x -= tail
    return values


def _required(layers: int) -> Iterator[str]:
    """Yield the names of the tensors of an encoder with this number of layers."""
    yield from (f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type"))
    modules = ["embeddings.LayerNorm"]
    modules += [f"encoder.layer.{layer}.{name}" for layer in range(max(layers, 1)) for name in _MODULES]
    yield from (f"{name}.{part}" for name in modules for part in ("weight", "bias"))


def _equally_long(tokens: Sequence[Sequence[int]]) -> Iterator[tuple[slice, int]]:
    """Yield runs of texts with the same length: their columns, and the number of texts."""
    start = 0
    for length, texts in groupby(map(len, tokens)):
        count = sum(1 for _ in texts)
        yield slice(start, start + count * length), count
        start += count * length
