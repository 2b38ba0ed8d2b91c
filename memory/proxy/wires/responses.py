"""The wire of OpenAI's responses.

Memory that stays the same from turn to turn goes into the instructions, or before the input where there are none; the
part that varies goes behind the user's last words. Where the server keeps the talk (`previous_response_id`,
`conversation`), all of it goes into the instructions, which the server carries over to no later request: corrected or
forgotten memory must not come back from there.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.proxy.reading.transcript import Line, Transcript, read_transcript
from memory.proxy.wires.answer_limits import AnswerLimits
from memory.proxy.wires.json_body import Change, prompt_bytes, read_body
from memory.proxy.wires.wire import Memory, RequestBody, Wire
from memory.text.errors import InvalidRequest
from providers.chat.response_events import ResponseEvents
from providers.chat.spoken_calls import spoken_by_call
from schemas.text.storable import storable

LIMITS = AnswerLimits(
    limits=("max_output_tokens",),
    surcharged=(
        *("models", "fallbacks", "route", "preset", "provider", "plugins", "web_search_options", "search_parameters"),
        *("speed", "audio", "conversation", "prompt"),
    ),
    client_tools=frozenset({"function", "custom", "local_shell", "apply_patch", "namespace"}),
    read=("input", "instructions", "previous_response_id", "background", "store"),
)
CONTINUES, CONVERSATION = "previous_response_id", "conversation"
_SYSTEM = frozenset({"system", "developer"})
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text"})
_CALLED = "_call"
_RESULT = "_output"


@dataclass(frozen=True)
class ResponseBody(RequestBody):
    """The body of a request for a response.

    Attributes:
        items: Its input as a list of items.
    """

    limits = LIMITS
    items: Sequence[dict[str, Any]]

    @property
    def transcript(self) -> Transcript:
        """The transcript that the client sends."""
        instructions = self.body.fields.get("instructions")
        own = [Line("system", storable(instructions))] if isinstance(instructions, str) and instructions else []
        return Transcript((*own, *(line for item in self.items for line in _lines(item))))

    @property
    def continues(self) -> str | None:
        """The id of the response that it goes on from."""
        return _named(self.body.fields.get(CONTINUES))

    @property
    def conversation(self) -> str | None:
        """The id of the conversation that the server keeps."""
        given = self.body.fields.get(CONVERSATION)
        return _named(given.get("id") if isinstance(given, dict) else given)

    def with_memory(self, memory: Memory) -> tuple[dict[str, Any], list[Change]]:
        """Return the instructions with the stable part, and the changes that put the varying part into the input."""
        return self._instructions(memory), list(self._in_input(memory))

    def _instructions(self, memory: Memory) -> dict[str, Any]:
        """Return the instructions with their part of memory; none where a prompt that the server keeps has its own."""
        given = self.body.fields.get("instructions")
        is_kept = self.continues is not None or self.conversation is not None
        text = memory.whole if is_kept or not self._has_words else memory.stable
        if not text or (given is None and self.body.fields.get("prompt") is not None):
            return {}
        if given is None or isinstance(given, str):
            return {"instructions": f"{given}\n\n{text}" if given and given.strip() else text}
        item = {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}
        return {"instructions": [*given, item]} if isinstance(given, list) else {}

    def _in_input(self, memory: Memory) -> Iterator[Change]:
        """Yield the changes that put the varying part of memory behind the user's last words."""
        if not memory.varying or not self._has_words or self.continues or self.conversation:
            return
        given = self.body.fields["input"]
        if isinstance(given, str):
            yield self.body.spans["input"], json.dumps(f"{given}\n\n{memory.varying}")
            return
        last = max(place for place, item in enumerate(self.items) if _takes_text(item))
        yield self.body.element("input", last), json.dumps(_with_text(self.items[last], memory.varying))

    @property
    def _has_words(self) -> bool:
        return any(_takes_text(item) for item in self.items)


def read_response(text: str) -> ResponseBody:
    """Read a body.

    Raises:
        InvalidRequest: It is not an object with a model and an input, or the answer is to be fetched later; the text
            names the fault.
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    body = read_body(text, LIMITS.check_name)
    fields = body.fields
    LIMITS.check(fields)
    if fields.get("background") not in (None, False):
        raise InvalidRequest(
            "The proxy takes no answer in that is fetched later, so that it would be missing in the memory: leave"
            " `background` out, and set `stream` for an answer that takes long."
        )
    for name in (CONTINUES, "instructions"):
        if not isinstance(fields.get(name), str | list | None):
            raise InvalidRequest(f"The field `{name}` must be a string.")
    given = fields.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else ([] if given is None else given)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InvalidRequest("The field `input` must be a string, or a list of items.")
    if not items and not any(fields.get(name) for name in (CONTINUES, CONVERSATION, "prompt")):
        raise InvalidRequest("The field `input` must be a string, or a list of items that is not empty.")
    parts = [part for item in items for part in _parts(item) if part.get("type") not in _TEXT_PARTS]
    return ResponseBody(body, prompt_bytes(body, parts), len(parts), items)


RESPONSES = Wire("responses", "/responses", "Responses", read_response, ResponseEvents, limit_field="max_output_tokens")


def _lines(item: Mapping[str, Any]) -> Iterator[Line]:
    """The line of an item; none for reasoning, which is no speech."""
    kind = item.get("type") or "message"
    if not isinstance(kind, str) or kind == "reasoning":
        return
    if kind == "message":
        yield from read_transcript([item]).lines
    elif kind == "item_reference" and (id_ := _named(item.get("id"))):
        yield Line("unknown", other_parts=True, refers_to=id_)
    elif words := spoken_by_call(item.get("name"), item.get("arguments")):
        yield from read_transcript([{"role": "assistant", "content": words}]).lines
    elif kind.endswith(_RESULT):
        yield Line("tool", other_parts=True)
    else:
        yield Line("assistant" if kind.endswith(_CALLED) else "unknown", other_parts=True)


def _parts(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("content", "output"):
        content = item.get(name)
        yield from (part for part in (content if isinstance(content, list) else [content]) if isinstance(part, dict))


def _takes_text(item: Mapping[str, Any]) -> bool:
    is_message = item.get("type", "message") in ("message", None) and item.get("role") == "user"
    return is_message and isinstance(item.get("content"), str | list)


def _with_text(item: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A message of the user's with a text behind its content."""
    content = item["content"]
    if isinstance(content, str):
        return {**item, "content": f"{content}\n\n{text}"}
    return {**item, "content": [*content, {"type": "input_text", "text": text}]}


def _named(id_: Any) -> str | None:
    return id_ if isinstance(id_, str) and id_ else None
