"""Recognises in a provider's error that a request exceeds a model's context, and reads how long that is.

OpenAI, Anthropic, vLLM, llama.cpp and its Python server, Ollama, Mistral and Google say it each in words of their own,
with 400, 413, 422 or 500.
"""

import re

_EXCEEDED = re.compile(
    r"context_length_exceeded|exceed_context_size|exceeds? context window|exceeds? the (?:available |maximum )?context"
    r"|exceeded max context length|exceeds? context limit|maximum context length|maximum model length"
    r"|prompt is too long|prompt too long|input prompt \(\d+ tokens\) is too long|exceeds the maximum number of tokens",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:maximum context length (?:is|of)|context window of|maximum model length of|context size \(|exceeds limit of"
    r"|number of tokens allowed \(|\"n_ctx\": ?|'n_ctx': ?|tokens > |\+ \d{1,9} > )[ (]?(\d{2,9})"
    r"|model with (\d{2,9}) maximum context",
    re.IGNORECASE,
)
# What a server adds, such as the request, comes after its own words.
_READ = 2_000


def exceeds_context(said: str) -> bool:
    """Whether an error's body says that a request is too long for the model's context."""
    return _EXCEEDED.search(said[:_READ]) is not None


def context_limit(said: str) -> int | None:
    """Read the tokens of the model's context from such a body; None if it does not tell."""
    found = _LIMIT.search(said[:_READ])
    return int(found[1] or found[2]) if found else None
