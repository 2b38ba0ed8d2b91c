"""Reads a model's tokens of context from a server's list of models: servers name the number differently."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import from_json

_NAMES = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx", "n_ctx_train")


def context_tokens(listing: bytes, model: str) -> int | None:
    """Read a model's context from the body of `GET /models`.

    vLLM says `max_model_len`, OpenRouter and Together `context_length`, Groq `context_window`, LM Studio and Mistral
    `max_context_length`, llama.cpp in `meta` `n_ctx`, and `n_ctx_train`, which is the most that it can be.

    Args:
        listing: The body.
        model: The model's name as requests give it; a server with one model answers to any name.

    Returns:
        The smallest of the numbers that the server gives; None if it gives none.
    """
    try:
        body = from_json(listing)
    except ValueError:
        return None
    listed = body.get("data") if isinstance(body, Mapping) else None
    models = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    named = [each for each in models if each.get("id") == model] or (models if len(models) == 1 else [])
    return min((number for each in named for number in _numbers(each)), default=None)


def _numbers(entry: Mapping[str, Any]) -> Iterator[int]:
    meta = entry.get("meta")
    for part in (entry, meta if isinstance(meta, Mapping) else {}):
        for name in _NAMES:
            number = part.get(name)
            if isinstance(number, int) and not isinstance(number, bool) and number > 0:
                yield number
