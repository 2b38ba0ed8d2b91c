"""A BERT-family sentence encoder from a directory: e5, bge, arctic, multilingual ones, and the like."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

from providers.errors import InputRefused, Misconfigured
from providers.lease_guard import before_request
from providers.local.bert import Bert
from providers.local.encoder_config import NAME_PREFIX, EncoderConfig, read_encoder_config, read_json
from providers.local.weights import Tensors, digest_of_samples, mapped_weights

# A portion takes half a second on a usual processor.
PORTION = 64
# Activations of a batch of MiniLM peak at some 20 MB; larger batches are no faster, as these still fill the processor.
_BATCH_TOKENS = 1024
_DIGEST_CHARACTERS = 12


class SentenceEncoder:
    """Computes the vectors of one encoder; one for each process, thread-safe and fork-safe.

    Args:
        model: The name of the vector space.
        config: How to compute.
        tensors: The weights.
        tokenizer: Its vocabulary.

    Raises:
        Misconfigured: The tokenizer and the weights are of different models, or a tensor is missing.
    """

    def __init__(self, model: str, config: EncoderConfig, tensors: Tensors, tokenizer: Tokenizer) -> None:
        self.model = model
        self._config = config
        self._bert = Bert(
            tensors,
            heads=config.heads,
            epsilon=config.epsilon,
            first_position=config.first_position,
            pooling=config.pooling,
        )
        self.dimensions: int = self._bert.width
        if tokenizer.get_vocab_size() > self._bert.vocabulary:
            raise Misconfigured(
                f"The tokenizer of {model} has {tokenizer.get_vocab_size()} tokens, but its weights have "
                f"{self._bert.vocabulary}. They are of different models."
            )
        tokenizer.no_padding()
        tokenizer.enable_truncation(config.max_tokens)
        self._tokenizer = tokenizer
        # The special tokens and the prefix around each text take their part of the model's length.
        longest_prefix = max(map(self._count, (config.passage_prefix, config.query_prefix)))
        self.max_tokens: int = config.max_tokens - tokenizer.num_special_tokens_to_add(is_pair=False) - longest_prefix

    @property
    def portion(self) -> int:
        """How many texts it is best given at once in the background."""
        return PORTION

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of texts of any length, without special ones."""
        return [self._count(text) for text in texts]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed any number of texts that queries are to find, in bounded memory.

        Returns:
            Unit vectors of shape `(len(texts), dimensions)`, in the order of `texts`.

        Raises:
            InputRefused: A text has an unpaired surrogate.
        """
        return self._embed(texts, self._config.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed queries, with the prefix that the model expects there; otherwise as `embed`."""
        return self._embed(texts, self._config.query_prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        # Lines of a log and greetings of a chat repeat: equal texts are computed once.
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        tokens = [self._tokens(prefix + text) for text in places]
        vectors = np.empty((len(tokens), self.dimensions), np.float32)
        for batch in _batches([len(ids) for ids in tokens]):
            before_request()
            vectors[batch] = self._bert([tokens[index] for index in batch])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors[[places[text] for text in texts]]

    def _count(self, text: str) -> int:
        read = self._encode(text, add_special_tokens=False)
        return len(read.ids) + sum(len(rest.ids) for rest in read.overflowing)

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._encode(text, add_special_tokens=True).ids
        return ids

    def _encode(self, text: str, *, add_special_tokens: bool) -> Encoding:
        # One text at a time: the tokenizer's batch call starts threads, which do not survive a fork.
        try:
            return self._tokenizer.encode(
                text.lower() if self._config.lowercase else text, add_special_tokens=add_special_tokens
            )
        except (TypeError, UnicodeEncodeError):
            raise InputRefused("A text has an unpaired surrogate, which can't be encoded.") from None


def open_encoder(directory: Path) -> SentenceEncoder:
    """Open the encoder in a directory.

    Its vector space is named after the directory, its configuration and its weights, so that another model in the same
    place is another space, and memories move to it.

    Args:
        directory: The folder of `config.json`, `model.safetensors` and `tokenizer.json` (or `vocab.txt`).

    Raises:
        Misconfigured: A file is missing, or the model is of a kind that can't be computed here.
    """
    config = read_encoder_config(directory)
    weights = directory / "model.safetensors"
    tokenizer = _tokenizer(directory)
    digest = hashlib.sha256(f"{config}{tokenizer.to_str()}".encode())
    digest.update(digest_of_samples(weights))
    name = f"{NAME_PREFIX}{directory.resolve().name}@{digest.hexdigest()[:_DIGEST_CHARACTERS]}"
    return SentenceEncoder(name, config, _by_short_names(mapped_weights(weights)), tokenizer)


def read_tokenizer(path: Path) -> Tokenizer:
    """Read a `tokenizer.json`.

    Raises:
        Misconfigured: It can't be read.
    """
    try:
        return Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:
        raise Misconfigured(f"The tokenizer {path} can't be read: {error}.") from error


def _tokenizer(directory: Path) -> Tokenizer:
    """Open the tokenizer of a directory: `tokenizer.json`, or BERT's own with a `vocab.txt`."""
    vocabulary = directory / "vocab.txt"
    if (directory / "tokenizer.json").is_file() or not vocabulary.is_file():
        return read_tokenizer(directory / "tokenizer.json")
    config_file = directory / "tokenizer_config.json"
    config = read_json(config_file) if config_file.is_file() else {}
    tokenizer = Tokenizer(WordPiece.from_file(str(vocabulary), unk_token="[UNK]"))  # noqa: S106 - the token for unknown words
    tokenizer.normalizer = BertNormalizer(
        lowercase=bool(config.get("do_lower_case", True)),
        strip_accents=config.get("strip_accents"),
        handle_chinese_chars=bool(config.get("tokenize_chinese_chars", True)),
    )
    tokenizer.pre_tokenizer = BertPreTokenizer()
    begin, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    if begin is None or end is None:
        raise Misconfigured(f"The vocabulary {vocabulary} lacks [CLS] or [SEP].")
    tokenizer.post_processor = BertProcessing(("[SEP]", end), ("[CLS]", begin))
    return tokenizer


def _by_short_names(tensors: Tensors) -> Tensors:
    """Strip a prefix such as `bert.` or `roberta.`, which files of larger models have, from the tensors' names."""
    anchor = "embeddings.word_embeddings.weight"
    prefix = next((name.removesuffix(anchor) for name in tensors if name.endswith(anchor)), "")
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


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
