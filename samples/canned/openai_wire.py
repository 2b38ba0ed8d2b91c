"""OpenAI's chat completions and responses on the wire."""

from collections.abc import Iterator

from samples.canned.anthropic_wire import Ending
from samples.canned.wire import Json, PromptCache, Refusal, Request, check_schema, event, ids, parts, pieces, tokens

_FINISHED = {"answer": "stop", "truncate": "length", "refuse": "stop", "filter": "content_filter"}
_SCHEMA = frozenset(
    {"$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "format", "items", "maximum"}
    | {"maxItems", "minimum", "minItems", "multipleOf", "pattern", "properties", "required", "title", "type"}
)


def check(body: Json) -> None:
    """Refuse the requests that the server refuses.

    Raises:
        Refusal: Both limits at once, a JSON object of which the prompt does not speak, a strict schema not taken.
    """
    if {"max_tokens", "max_completion_tokens"} <= body.keys():
        raise Refusal("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    form: Json = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    if form.get("type") == "json_object" and not any("json" in text.lower() for _, text, _ in parts(body)):
        raise Refusal("'messages' must contain the word 'json' in some form, to use 'response_format'.")
    wanted = form.get("json_schema", form)
    if wanted.get("strict"):
        check_schema(wanted["schema"], _SCHEMA, all_required=True)


def chat(request: Request, text: str, ending: Ending, cache: PromptCache) -> Json:
    """An answer of the chat completions; longer than its limit, it breaks off there."""
    body = request.body
    read, unread = _read(request, cache)
    text, ending = _cut(text, ending, body.get("max_completion_tokens") or body.get("max_tokens"))
    message: Json = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    if ending == "refuse":
        message |= {"content": None, "refusal": "I can't help with that."}
    return {
        "id": f"chatcmpl-{next(ids)}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": _FINISHED[ending],
            }
        ],
        "usage": {
            "prompt_tokens": read + unread,
            "completion_tokens": tokens(text),
            "total_tokens": read + unread + tokens(text),
            "prompt_tokens_details": {"cached_tokens": read},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    }


def events(request: Request, whole: Json) -> Iterator[bytes]:
    """An answer of the chat completions as a stream, with its usage if the request includes it."""
    (choice,) = whole["choices"]
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    for name in ("content", "refusal"):
        for text in pieces(choice["message"][name] or ""):
            yield event({**head, "choices": [{"index": 0, "delta": {name: text}, "finish_reason": None}]})
    yield event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    if (request.body.get("stream_options") or {}).get("include_usage"):
        yield event({**head, "choices": [], "usage": whole["usage"]})
    yield b"data: [DONE]\n\n"


def response(request: Request, text: str, ending: Ending, cache: PromptCache) -> Json:
    """An answer of the responses; longer than its limit, it is incomplete."""
    body = request.body
    read, unread = _read(request, cache)
    text, ending = _cut(text, ending, body.get("max_output_tokens"))
    content: Json = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    if ending == "refuse":
        content = {"type": "refusal", "refusal": "I can't help with that."}
    status = "incomplete" if ending == "truncate" else "completed"
    message = {"type": "message", "id": f"msg_{next(ids)}", "role": "assistant", "status": status, "content": [content]}
    return {
        "id": f"resp_{next(ids)}",
        "object": "response",
        "created_at": 0,
        "model": body["model"],
        "status": status,
        "incomplete_details": {"reason": "max_output_tokens"} if ending == "truncate" else None,
        "error": None,
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": read + unread,
            "input_tokens_details": {"cached_tokens": read, "cache_write_tokens": 0},
            "output_tokens": tokens(text),
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + unread + tokens(text),
        },
    }


def _read(request: Request, cache: PromptCache) -> tuple[int, int]:
    """Tokens from the cache and others: here a prefix is kept without a request for it, after each part."""
    texts = [text for _, text, _ in parts(request.body)]
    read, written, rest = cache.read(request, [True] * len(texts), texts)
    return read, written + rest


def _cut(text: str, ending: Ending, limit: int | None) -> tuple[str, Ending]:
    if ending == "answer" and limit and tokens(text) > limit:
        return text.encode()[: 4 * limit].decode(errors="ignore"), "truncate"
    return text, ending
