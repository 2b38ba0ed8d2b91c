"""A BERT encoder's forward pass in numpy, without padding.

The texts of a batch lie one behind the other as rows of one matrix, ordered by length. Everything that looks at a token
alone (projections, feed-forward, normalisation) runs on all rows at once; attention, which looks at a text, runs on
each stretch of equally long texts, reshaped without a copy. No row is wasted on padding, so no mask is needed, and a
text's vector does not depend on its neighbours.

RoBERTa and XLM-RoBERTa have the same layers; they differ in the row of the position embeddings that comes first.

Source: Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", 2018; tensor names as in the
`transformers` package's BertModel.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np
from numpy.typing import NDArray

from providers.errors import Misconfigured
from providers.local.encoder_config import Pooling
from providers.local.weights import Tensors

Matrix = NDArray[np.float32]

_ROWS_IN_CACHE = 64
_COLUMNS_IN_CACHE = 192
# Attention weights of a long text are computed for so many of its tokens at a time, to bound their memory.
_ATTENDING_TOKENS = 512
# The projections of a layer, and the modules whose weights each is made of.
_PROJECTIONS = {
    "attention.self": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output.dense": ("attention.output.dense",),
    "intermediate.dense": ("intermediate.dense",),
    "output.dense": ("output.dense",),
}
_NORMALISATIONS = ("attention.output.LayerNorm", "output.LayerNorm")
_ERFC = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
_ERFC_SCALE = np.float32(0.3275911)
_HALF = np.float32(0.5)
_ONE = np.float32(1)


@dataclass(frozen=True, slots=True)
class _Projection:
    """Projects rows by weights of shape `(blocks, in, of a block)`: so many columns, one block behind the other.

    Most of the time goes to reading the weights, which BLAS copies before it multiplies. A block stays in the cache
    meanwhile: with whole weights few rows take a quarter longer, and many a twelfth.
    """

    weight: Matrix
    bias: Matrix

    def __call__(self, rows: Matrix) -> Matrix:
        blocks, _, of_block = self.weight.shape
        product = np.empty((len(rows), blocks * of_block), np.float32)
        np.matmul(rows, self.weight, out=product.reshape(-1, blocks, of_block).transpose(1, 0, 2))
        product += self.bias
        return product


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
        self._projections = {
            f"encoder.layer.{layer}.{name}": _projection(tensors, [f"encoder.layer.{layer}.{part}" for part in parts])
            for layer in range(self._layers)
            for name, parts in _PROJECTIONS.items()
        }
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
            mixed = self._attend(self._projections[f"{prefix}.attention.self"](states), spans)
            attended = self._projections[f"{prefix}.attention.output.dense"](mixed)
            states = self._normalised(attended + states, f"{prefix}.attention.output.LayerNorm")
            inner = gelu(self._projections[f"{prefix}.intermediate.dense"](states))
            outer = self._projections[f"{prefix}.output.dense"](inner)
            states = self._normalised(outer + states, f"{prefix}.output.LayerNorm")
        return np.concatenate([self._pooled(states[rows].reshape(texts, -1, self.width)) for rows, texts in spans])

    def _pooled(self, states: Matrix) -> Matrix:
        match self._pooling:
            case Pooling.CLS:
                return states[:, 0]
            case Pooling.MAX:
                highest: Matrix = states.max(axis=1)
                return highest
            case Pooling.MEAN:
                mean: Matrix = states.mean(axis=1)
                return mean

    def _embed(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        words = self._tensors["embeddings.word_embeddings.weight"][np.concatenate([np.asarray(ids) for ids in tokens])]
        places = self._tensors["embeddings.position_embeddings.weight"]
        positions = places[self._first_position + np.concatenate([np.arange(len(ids)) for ids in tokens])]
        first_segment = self._tensors["embeddings.token_type_embeddings.weight"][0]
        return self._normalised(words + positions + first_segment, "embeddings.LayerNorm")

    def _attend(self, projected: Matrix, spans: Sequence[tuple[slice, int]]) -> Matrix:
        """Multi-head self-attention within each text: softmax(Q·Kᵀ/√d)·V, of rows with Q, K and V side by side."""
        projected[:, : self.width] *= np.float32((self.width / self._heads) ** -0.5)
        mixed = np.empty((len(projected), self.width), np.float32)
        for rows, texts in spans:
            of_heads = (self._heads, self.width // self._heads)
            q, k, v = projected[rows].reshape(texts, -1, 3, *of_heads).transpose(2, 0, 3, 1, 4)
            into = mixed[rows].reshape(texts, -1, *of_heads)
            for first in range(0, q.shape[2], _ATTENDING_TOKENS):
                some = slice(first, first + _ATTENDING_TOKENS)
                weights = q[:, :, some] @ k.swapaxes(2, 3)
                weights -= weights.max(axis=-1, keepdims=True)
                np.exp(weights, out=weights)
                weights /= weights.sum(axis=-1, keepdims=True)
                into[:, some] = (weights @ v).swapaxes(1, 2)
        return mixed

    def _normalised(self, rows: Matrix, name: str) -> Matrix:
        """Layer normalisation; changes and returns `rows`."""
        rows -= rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows) / np.float32(self.width)
        rows /= np.sqrt(variance + self._epsilon)[:, None]
        rows *= self._tensors[f"{name}.weight"]
        rows += self._tensors[f"{name}.bias"]
        return rows


def gelu(rows: Matrix) -> Matrix:
    """The exact GELU, x·Φ(x), to within 4e-7; changes and returns `rows`.

    numpy has no erf. With Φ(x) = 1 - erfc(x/√2)/2, x·Φ(x) is max(x, 0) - |x|·erfc(|x|/√2)/2, and erfc is Abramowitz and
    Stegun's approximation 7.1.26, (a₁t + … + a₅t⁵)·exp(-z²) with t = 1/(1 + pz). Worked off in blocks that stay in the
    processor's cache.

    Args:
        rows: Any matrix of shape `(n, m)`.
    """
    for start in range(0, len(rows), _ROWS_IN_CACHE):
        x = rows[start : start + _ROWS_IN_CACHE]
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
    return rows


def _projection(tensors: Tensors, modules: Sequence[str]) -> _Projection:
    """The projections of modules side by side, as one."""
    weights = np.concatenate([tensors[f"{name}.weight"] for name in modules])
    outputs, inputs = weights.shape
    of_block = max(columns for columns in range(1, _COLUMNS_IN_CACHE + 1) if outputs % columns == 0)
    blocks = weights.reshape(-1, of_block, inputs).transpose(0, 2, 1)
    return _Projection(np.ascontiguousarray(blocks), np.concatenate([tensors[f"{name}.bias"] for name in modules]))


def _required(layers: int) -> Iterator[str]:
    """The tensors of an encoder with so many layers."""
    yield from (f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type"))
    modules = ["embeddings.LayerNorm"]
    of_layer = [*chain.from_iterable(_PROJECTIONS.values()), *_NORMALISATIONS]
    modules += [f"encoder.layer.{layer}.{name}" for layer in range(max(layers, 1)) for name in of_layer]
    yield from (f"{name}.{part}" for name in modules for part in ("weight", "bias"))


def _equally_long(tokens: Sequence[Sequence[int]]) -> Iterator[tuple[slice, int]]:
    """Yield runs of texts with the same length: their rows, and the number of texts."""
    start = 0
    for length, texts in groupby(map(len, tokens)):
        count = sum(1 for _ in texts)
        yield slice(start, start + count * length), count
        start += count * length
