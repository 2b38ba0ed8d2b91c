"""Recognises in a provider's error that a request exceeds a model's context, or the longest answer that it gives.

OpenAI, Anthropic, vLLM, llama.cpp and its Python server, Ollama, LM Studio, TGI, Mistral and Google say it each in
words of their own, with almost any status.
"""

import re

from providers.completion import Usage

# A context that leaves less for an answer is too small for the material.
LEAST_ANSWER_TOKENS = 500
# Chat templates add tokens to a prompt.
CONTEXT_MARGIN = 100
_EXCEEDED = re.compile(
    r"context_length_exceeded|exceed_context_size|request_too_large|string_above_max_length"
    r"|exceeds? (?:the |this |your )?(?:model's |available |maximum |max |model )*context"
    r"|longer than the (?:model's )?context"
    r"|exceeded max context length|maximum context length|maximum model length|context length of only"
    r"|greater than the context length|prompt (?:is )?too long|input (?:is )?too long|request too large"
    r"|input prompt \(\d+ tokens\) is too long|exceeds the maximum number of tokens|reduce the length of (?:the|your)"
    r"|model token limit|model max length exceeded|maximum prompt length|context window exceeds|exceeds max length"
    r"|range of input length|max_seq_len|too many tokens:"
    r"|inputs?`? (?:tokens \+ `?max_new_tokens`? must be <=|must have less than)|too large to process",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"(?:maximum context length (?:is|of)|context window of|maximum model length of|context size \(|exceeds limit of"
    r"|number of tokens allowed \(|context length of only|must be <=|must have less than"
    r"|model token limit: |max length:|maximum prompt length is|max_seq_len \(|input length should be \[\d{1,9}, ?"
    r"|\"n_ctx\": ?|'n_ctx': ?|tokens > |\+ \d{1,9} > )[ (]?(\d{2,9})"
    r"|model with (\d{2,9}) maximum context",
    re.IGNORECASE,
)
_PROMPT = re.compile(
    r"context limit: (\d{1,9}) \+|request has (\d{1,9}) input tokens|\((\d{1,9}) (?:in|of) (?:the )?(?:messages|text)"
    r"|n_prompt_tokens[\"']: ?(\d{1,9})|given: (\d{1,9}) `?inputs",
    re.IGNORECASE,
)
_LONGEST_ANSWER = re.compile(
    r"max_tokens: \d+ > (\d{2,9}),? which is the maximum allowed"
    r"|supports? at most (\d{2,9}) (?:completion|output) tokens"
    r"|max(?:_completion|_output)?_tokens`? must be (?:less than or equal to|at most|<=) `?(\d{2,9})"
    r"|range of max_tokens (?:is|should be) \[\d+, ?(\d{2,9})\]|requested exceeds the model limit of (\d{2,9})",
    re.IGNORECASE,
)
# A server puts its own words before additions such as the request.
_READ = 2_000


def exceeds_context(body: str) -> bool:
    """Whether an error's body says that a request is too long for the model."""
    return _EXCEEDED.search(body[:_READ]) is not None


def context_limit(body: str) -> int | None:
    """Read the tokens of the model's context from such a body; None if it has no such number."""
    return _number(_CONTEXT, body)


def longest_answer(body: str) -> int | None:
    """Read from an error's body how many tokens the model writes at most; None if the error is not about that."""
    return _number(_LONGEST_ANSWER, body)


def room_for_answer(body: str, most: Usage) -> int | None:
    """Read from an error's body how many tokens of the model's context the prompt leaves for the answer.

    Args:
        body: The body.
        most: The usage as estimated, with the longest answer that was allowed.

    Returns:
        None if the error is about another matter, has no number, or leaves too little; then the prompt must be shorter.
    """
    if not exceeds_context(body) or (context := context_limit(body)) is None:
        return None
    prompt = _number(_PROMPT, body) or most.prompt_tokens
    left = context - prompt - CONTEXT_MARGIN
    return left if LEAST_ANSWER_TOKENS <= left < most.output_tokens else None


def _number(pattern: re.Pattern[str], body: str) -> int | None:
    found = pattern.search(body[:_READ])
    return int(next(filter(None, found.groups()))) if found else None
