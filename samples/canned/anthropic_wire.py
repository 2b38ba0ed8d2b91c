"""Anthropic's messages and message batches on the wire."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from samples.canned.wire import (
    Json,
    PromptCache,
    Refusal,
    Request,
    check_schema,
    error,
    event,
    ids,
    parts,
    pieces,
    tokens,
)

Ending = Literal["answer", "truncate", "refuse", "filter"]

_SCHEMA = frozenset(
    {"$defs", "$ref", "additionalProperties", "anyOf", "allOf", "const", "default", "description", "enum", "format"}
    | {"items", "minItems", "properties", "required", "title", "type"}
)
_ENDINGS = {"answer": "end_turn", "truncate": "max_tokens", "refuse": "refusal", "filter": "refusal"}
_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_MOST_MARKS = 4
_BATCH_TIMES = {"created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-01-02T00:00:00Z"}
_COUNTS = {"succeeded": 0, "errored": 0, "expired": 0, "canceled": 0, "processing": 0}


def check(body: Json) -> None:
    """Refuse the requests that these models refuse.

    Raises:
        Refusal: Sampling settings, a forced tool, an answer begun for them, thinking switched off or given a budget;
            no limit, marks that are too many or on nothing, a schema that is not taken.
    """
    if not isinstance(body.get("max_tokens"), int):
        raise Refusal("max_tokens: Field required")
    if {"temperature", "top_p", "top_k"} & body.keys():
        raise Refusal("`temperature`, `top_p` and `top_k` are not supported by this model.")
    if (body.get("tool_choice") or {}).get("type") in {"any", "tool"}:
        raise Refusal("tool_choice: forced tool use is not supported by this model.")
    if (body.get("thinking") or {}).get("type") in {"enabled", "disabled"}:
        raise Refusal("thinking.type: this model supports adaptive thinking only.")
    if body["messages"][-1]["role"] == "assistant":
        raise Refusal("This model does not support assistant message prefill.")
    if any(block.get("cache_control") and not block["text"] for block in _blocks(body)):
        raise Refusal("cache_control cannot be set for empty text blocks")
    if sum(marked for _, _, marked in parts(body)) > _MOST_MARKS:
        raise Refusal(f"A maximum of {_MOST_MARKS} blocks with cache_control may be provided.")
    output = body.get("output_config") or {}
    if output.get("effort") not in {None, "low", "medium", "high", "xhigh", "max"}:
        raise Refusal("output_config.effort: no such level")
    if form := output.get("format"):
        check_schema(form["schema"], _SCHEMA, all_required=False)


def message(request: Request, text: str, ending: Ending, cache: PromptCache) -> Json:
    """An answer of Anthropic's messages; longer than `max_tokens`, it breaks off there."""
    body = request.body
    prompt = list(parts(body))
    read, written, rest = cache.read(request, [marked for _, _, marked in prompt], [text for _, text, _ in prompt])
    if ending == "answer" and tokens(text) > body["max_tokens"]:
        text, ending = text.encode()[: 4 * body["max_tokens"]].decode(errors="ignore"), "truncate"
    return {
        "id": f"msg_{next(ids)}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [] if _ENDINGS[ending] == "refusal" else [{"type": "text", "text": text}],
        "stop_reason": _ENDINGS[ending],
        "stop_sequence": None,
        "usage": {
            "input_tokens": rest,
            "output_tokens": tokens(text),
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "service_tier": "batch" if request.endpoint == "batched" else "standard",
        },
    }


def events(whole: Json) -> Iterator[bytes]:
    """A message as a stream."""
    usage = whole["usage"]
    begun = {**whole, "content": [], "stop_reason": None, "usage": usage and {**usage, "output_tokens": 1}}
    yield event({"type": "message_start", "message": begun}, "message_start")
    for index, block in enumerate(whole["content"]):
        yield event({"type": "content_block_start", "index": index, "content_block": {**block, "text": ""}})
        for text in pieces(block["text"]):
            delta = {"type": "text_delta", "text": text}
            yield event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
        yield event({"type": "content_block_stop", "index": index}, "content_block_stop")
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    counted = usage and {"output_tokens": usage["output_tokens"]}
    yield event({"type": "message_delta", "delta": ending, "usage": counted}, "message_delta")
    yield event({"type": "message_stop"}, "message_stop")


def check_batch(body: Json) -> None:
    """Refuse a batch that would be refused.

    Raises:
        Refusal: It is empty, or an id is malformed or not its question's own.
    """
    custom_ids = [item["custom_id"] for item in body["requests"]]
    if not custom_ids:
        raise Refusal("requests: List should have at least 1 item")
    if not all(_CUSTOM_ID.fullmatch(custom_id) for custom_id in custom_ids):
        raise Refusal("requests.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'")
    if len(set(custom_ids)) < len(custom_ids):
        raise Refusal("requests: custom_id must be unique within the batch")


def errored(status: int, message: str, kind: str | None = None, code: str | None = None) -> Json:
    """The result of a question in a batch that failed."""
    return {"type": "errored", "error": error("batched", status, message, kind, code)}


def batch(batch_id: str, results: Sequence[Json], url: str, *, ended: bool) -> Json:
    """How far a batch is."""
    counts = dict(_COUNTS)
    for result in results:
        counts[result["result"]["type"] if ended else "processing"] += 1
    return {
        "id": batch_id,
        "type": "message_batch",
        "processing_status": "ended" if ended else "in_progress",
        "request_counts": counts,
        **_BATCH_TIMES,
        "ended_at": _BATCH_TIMES["created_at"] if ended else None,
        "archived_at": None,
        "cancel_initiated_at": None,
        "results_url": f"{url}/v1/messages/batches/{batch_id}/results" if ended else None,
    }


def lines(results: Sequence[Json]) -> bytes:
    """The results of a batch, a line each, in an order of their own."""
    return "".join(f"{json.dumps(result, ensure_ascii=False)}\n" for result in reversed(results)).encode()


def _blocks(body: Json) -> list[Json]:
    contents = [body.get("system", ""), *(turn["content"] for turn in body["messages"])]
    return [block for content in contents if isinstance(content, list) for block in content if block["type"] == "text"]
