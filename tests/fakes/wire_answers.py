"""Answers of models in OpenAI's responses and Anthropic's messages, as documents and as streams."""

import json
from collections.abc import Iterable
from typing import Any

from tests.fakes.upstream import Ending, Reply

RESPONSE_USAGE = {
    "input_tokens": 11,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 3,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 14,
}
MESSAGE_USAGE = {"input_tokens": 11, "output_tokens": 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def response(text: str, id_: str = "resp_1", *, items: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """A whole response that says a text; `items` take its place."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    said = {"id": f"msg_{id_}", "type": "message", "role": "assistant", "status": "completed", "content": content}
    return {
        "id": id_,
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "fake-1",
        "output": [*items] or [said],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": RESPONSE_USAGE,
        "unknown_field": {"kept": [1.0, 1e-7, "é\u2028"]},
    }


def streamed_response(*words: str, id_: str = "resp_1", ending: Ending = "end") -> Reply:
    """A response as a stream, a piece for each of the words."""
    whole = response("".join(words), id_)
    (said,) = whole["output"]
    place = {"item_id": said["id"], "output_index": 0, "content_index": 0}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**said, "content": []}},
        {"type": "response.content_part.added", **place, "part": {**said["content"][0], "text": ""}},
        *({"type": "response.output_text.delta", **place, "delta": word, "logprobs": []} for word in words),
    ]
    if ending == "end":
        events.append({"type": "response.output_text.done", **place, "text": "".join(words), "logprobs": []})
        events.append({"type": "response.output_item.done", "output_index": 0, "item": said})
        events.append({"type": "response.completed", "response": whole})
    return events_reply([{**event, "sequence_number": number} for number, event in enumerate(events)], ending)


def message(text: str, *, blocks: Iterable[dict[str, Any]] = (), reason: str = "end_turn") -> dict[str, Any]:
    """A whole message that says a text; `blocks` take its place."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "fake-1",
        "content": [*blocks] or [{"type": "text", "text": text}],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": MESSAGE_USAGE,
        "unknown_field": {"kept": [1.0, 1e-7, "é\u2028"]},
    }


def streamed_message(*words: str, ending: Ending = "end") -> Reply:
    """A message as a stream, a piece for each of the words, behind a thought."""
    thought = {"type": "thinking", "thinking": "", "signature": ""}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message(""), "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": thought},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": word}} for word in words),
    ]
    if ending == "end":
        stopped = {"stop_reason": "end_turn", "stop_sequence": None}
        events.append({"type": "content_block_stop", "index": 1})
        events.append({"type": "message_delta", "delta": stopped, "usage": {"output_tokens": 3}})
        events.append({"type": "message_stop"})
    return events_reply(events, ending)


def events_reply(events: Iterable[dict[str, Any]], ending: Ending = "end") -> Reply:
    """Events as a stream."""
    parts = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    return Reply(parts, headers={"content-type": "text/event-stream; charset=utf-8"}, ending=ending, chunked=True)
