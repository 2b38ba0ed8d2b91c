"""The configuration of an encoder in a directory in the format of `sentence-transformers`.

Files that are read: `config.json` (architecture), `modules.json` and `1_Pooling/config.json` (modules after the
transformer), `config_sentence_transformers.json` (prefixes), `sentence_bert_config.json` and `tokenizer_config.json`
(length, case). A configuration that this runtime can't compute is refused: a wrong vector would look like a good one.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from providers.errors import Misconfigured

MINILM = "all-MiniLM-L6-v2"
MULTILINGUAL = "multilingual-e5-small-4bit"
# The prefix of the names of all other local encoders' vector spaces.
NAME_PREFIX = "local/"
ARCHITECTURES = ("bert", "roberta", "xlm-roberta", "camembert")
# Architectures that number positions from behind the padding token's id.
_POSITIONS_AFTER_PADDING = ("roberta", "xlm-roberta", "camembert")
_MODULES = ("Transformer", "Pooling", "Normalize")
# As in SentenceTransformer.encode_query and encode_document.
_QUERY_PROMPTS = ("query",)
_PASSAGE_PROMPTS = ("document", "passage", "corpus")
_LENGTH_FILES = (
    "sentence_bert_config.json",
    "sentence_roberta_config.json",
    "sentence_xlm-roberta_config.json",
    "sentence_camembert_config.json",
)
_COSINE = ("cosine", None)


class Pooling(StrEnum):
    """How the vectors of a text's tokens become the text's."""

    MEAN = "mean"
    CLS = "cls"
    MAX = "max"


@dataclass(frozen=True)
class EncoderConfig:
    """How to compute with an encoder's weights.

    Attributes:
        heads: Attention heads of a layer.
        epsilon: The number that layer normalisation adds to the variance.
        first_position: The row of the position embeddings that the first token gets.
        max_tokens: A longer text counts with its first tokens, special ones included.
        pooling: How token vectors become one.
        lowercase: True if texts are lowercased before the tokenizer sees them.
        query_prefix: The beginning of each question.
        passage_prefix: The beginning of any other text.
    """

    heads: int
    epsilon: float
    first_position: int
    max_tokens: int
    pooling: Pooling
    lowercase: bool = False
    query_prefix: str = ""
    passage_prefix: str = ""


def read_encoder_config(directory: Path) -> EncoderConfig:
    """Read an encoder's configuration.

    Args:
        directory: The model's directory.

    Raises:
        Misconfigured: A file is missing or no JSON object, or asks for a computation that this runtime lacks.
    """
    config = read_json(directory / "config.json")
    architecture = config.get("model_type")
    if architecture not in ARCHITECTURES:
        raise Misconfigured(
            f"{directory / 'config.json'} says that the model is of type {architecture!r}. PATROL_LOCAL_MODEL takes "
            f"encoders of the types {', '.join(ARCHITECTURES)}."
        )
    _demand(directory / "config.json", config, "hidden_act", ("gelu",))
    _demand(directory / "config.json", config, "position_embedding_type", ("absolute", None))
    first_position = int(config.get("pad_token_id", 1)) + 1 if architecture in _POSITIONS_AFTER_PADDING else 0
    pooling, prefixes_pooled = _pooling(directory)
    query, passage = _prefixes(directory)
    if not prefixes_pooled and (query or passage):
        raise Misconfigured(
            f"The pooling of {directory} leaves prefixes out (`include_prompt` is false), which is not supported."
        )
    lengths: dict[str, Any] = next(
        (read_json(directory / name) for name in _LENGTH_FILES if (directory / name).is_file()), {}
    )
    try:
        return EncoderConfig(
            heads=int(config["num_attention_heads"]),
            epsilon=float(config.get("layer_norm_eps", 1e-12)),
            first_position=first_position,
            max_tokens=_max_tokens(directory, lengths, int(config["max_position_embeddings"]) - first_position),
            pooling=pooling,
            lowercase=bool(lengths.get("do_lower_case")),
            query_prefix=query,
            passage_prefix=passage,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Misconfigured(f"{directory / 'config.json'} lacks a number that an encoder needs: {error}.") from error


def _pooling(directory: Path) -> tuple[Pooling, bool]:
    """How tokens are pooled, and whether a prefix's tokens count."""
    modules = directory / "modules.json"
    if not modules.is_file():
        return Pooling.MEAN, True
    listed = read_json(modules, list)
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in listed if isinstance(module, dict)]
    if unknown := [kind for kind in kinds if kind not in _MODULES]:
        raise Misconfigured(f"{modules} names the module {unknown[0]}. Supported are {', '.join(_MODULES)}.")
    if "Normalize" not in kinds:
        # Stored vectors have unit length, which changes no cosine, but every dot product.
        _demand(
            directory / "config_sentence_transformers.json",
            _optional(directory / "config_sentence_transformers.json"),
            "similarity_fn_name",
            _COSINE,
        )
    if "Pooling" not in kinds:
        return Pooling.MEAN, True
    path = directory / str(listed[kinds.index("Pooling")].get("path") or "1_Pooling") / "config.json"
    config = read_json(path)
    modes = config.get("pooling_mode") or [
        name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for name, chosen in config.items()
        if name.startswith("pooling_mode_") and chosen
    ]
    mode = modes[0] if isinstance(modes, list) and len(modes) == 1 else modes or Pooling.MEAN
    if mode not in list(Pooling):
        raise Misconfigured(f"{path} asks for the pooling {mode!r}. Supported are {', '.join(Pooling)}.")
    return Pooling(mode), bool(config.get("include_prompt", True))


def _prefixes(directory: Path) -> tuple[str, str]:
    """The prefixes of questions and of other texts."""
    path = directory / "config_sentence_transformers.json"
    config = _optional(path)
    prompts = config.get("prompts") or {}
    if not isinstance(prompts, dict):
        raise Misconfigured(f"`prompts` in {path} has to be an object of names and prefixes.")
    default = prompts.get(config.get("default_prompt_name"))

    def named(*names: str) -> str:
        return str(next((prompts[name] for name in names if prompts.get(name) is not None), default) or "")

    return named(*_QUERY_PROMPTS), named(*_PASSAGE_PROMPTS)


def _max_tokens(directory: Path, lengths: Mapping[str, Any], positions: int) -> int:
    if lengths.get("max_seq_length"):
        return min(int(lengths["max_seq_length"]), positions)
    # Tokenizers without a limit say 10^30.
    return min(int(_optional(directory / "tokenizer_config.json").get("model_max_length") or positions), positions)


def _demand(path: Path, config: Mapping[str, Any], name: str, supported: tuple[str | None, ...]) -> None:
    if config.get(name) not in supported:
        raise Misconfigured(f"`{name}` in {path} is {config.get(name)!r}. Supported is {supported[0]!r}.")


def _optional(path: Path) -> dict[str, Any]:
    return read_json(path) if path.is_file() else {}


def read_json(path: Path, kind: type[Any] = dict) -> Any:
    """Read a JSON object, or with `kind` list an array.

    Raises:
        Misconfigured: The file can't be read, or holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Misconfigured(f"{path} can't be read: {error}.") from error
    if not isinstance(content, kind):
        raise Misconfigured(f"{path} has to hold a JSON {'object' if kind is dict else 'array'}.")
    return content
