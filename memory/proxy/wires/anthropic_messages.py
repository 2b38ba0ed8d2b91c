"""The wire of Anthropic's messages.

Its caches keep a prompt up to each mark (`cache_control`), in the order tools, system, messages. Memory that stays the
same from turn to turn is the last block of the system content, with a mark of its own as long as the limit of four
leaves room; the varying part is the last block of the user's last message, behind every mark of the client's. So each
prefix that the client has marked is the same in the next request.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.proxy.reading.transcript import Line, Transcript, read_transcript
from memory.proxy.wires.answer_limits import AnswerLimits
from memory.proxy.wires.json_body import Change, messages_of, prompt_bytes, read_body
from memory.proxy.wires.wire import Memory, RequestBody, Wire
from memory.wrapping.agents import ASKS_USER, said_in_result
from providers.chat.content_parts import words_of
from providers.chat.message_events import MessageEvents
from providers.chat.spoken_calls import spoken_by_call

LIMITS = AnswerLimits(
    limits=("max_tokens",),
    surcharged=(
        *("models", "fallbacks", "route", "preset", "provider", "plugins"),
        *("speed", "inference_geo", "mcp_servers", "container"),
    ),
    client_tools=frozenset({None, "custom"}),
    read=("messages", "system", "thinking", "cache_control"),
)
MARK = "cache_control"
MOST_MARKS = 4
# A prefix that is written for an hour costs more than the price says.
_LONG = "1h"
_TEXT = "text"
_RESULT = "tool_result"
_THOUGHT = frozenset({"thinking", "redacted_thinking"})


@dataclass(frozen=True)
class MessagesBody(RequestBody):
    """The body of a request for a message; its media are its pictures, documents, and unknown blocks."""

    limits = LIMITS

    @property
    def transcript(self) -> Transcript:
        """The transcript that the client sends."""
        system = [{"role": "system", "content": block} for block in _blocks(self.body.fields.get("system"))]
        blocks = (block for message in self._messages for block in _blocks(message.get("content")))
        questions = [block.get("id") for block in blocks if block.get("name") == ASKS_USER]
        lines = [line for message in self._messages for line in _lines(message, questions)]
        return Transcript((*read_transcript(system).lines, *lines))

    @property
    def surcharge(self) -> str | None:
        """The name of a field by which the request may cost more than its model's price says; None: it has none."""
        is_long = any(isinstance(mark, dict) and mark.get("ttl") == _LONG for mark in self._marks)
        return super().surcharge or (MARK if is_long else None)

    def with_memory(self, memory: Memory) -> tuple[dict[str, Any], list[Change]]:
        """Return the system content with the stable part, and the change that puts the varying part behind the talk."""
        last = max((place for place, each in enumerate(self._messages) if each.get("role") == "user"), default=None)
        stable, varying = (memory.stable, memory.varying) if last is not None else (memory.whole, "")
        marks = len(self._marks)
        fields, changes = dict[str, Any](), list[Change]()
        if stable:
            fields["system"] = [*_blocks(self.body.fields.get("system")), self._block(stable, marks)]
        if varying and last is not None:
            marked = marks + (bool(stable) and marks < MOST_MARKS)
            # A client that marks nothing has nothing cached: the talk is marked for it, before the varying part.
            message = _marked(self._messages[last]) if not marks else self._messages[last]
            if self.body.fields.get(MARK) and marked < MOST_MARKS:
                # The server marks the last block, which varies.
                message = _marked(message)
            content = [*_blocks(message.get("content")), {"type": _TEXT, "text": varying}]
            changes.append((self.body.element("messages", last), json.dumps({**message, "content": content})))
        return fields, changes

    @property
    def _messages(self) -> list[dict[str, Any]]:
        return list(self.body.fields["messages"])

    @property
    def _marks(self) -> list[Any]:
        """The marks of the request, in the order of the prompt; of a message or tool within one too."""
        fields = self.body.fields
        contents = [fields.get("tools"), fields.get("system"), *(message.get("content") for message in self._messages)]
        marks = [mark for content in contents for block in _blocks(content) for mark in _marks_of(block)]
        return [*marks, *([fields[MARK]] if fields.get(MARK) else [])]

    def _block(self, text: str, marks: int) -> dict[str, Any]:
        """A block of system content, marked if there is room; a prefix must live as long as those behind it."""
        mark: dict[str, Any] = {"type": "ephemeral"}
        behind = [*(message.get("content") for message in self._messages)]
        kept = [each for content in behind for block in _blocks(content) for each in _marks_of(block)]
        kept += [self.body.fields.get(MARK)]
        if any(isinstance(each, dict) and each.get("ttl") == _LONG for each in kept):
            mark["ttl"] = _LONG
        return {"type": _TEXT, "text": text, **({MARK: mark} if marks < MOST_MARKS else {})}


def read_messages(text: str) -> MessagesBody:
    """Read a body.

    Raises:
        InvalidRequest: It is not an object with a model and a list of messages; the text names the missing part.
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    body = read_body(text, LIMITS.check_name)
    messages = messages_of(body, "messages: Field required, a list of messages that is not empty.")
    LIMITS.check(body.fields)
    blocks = [block for message in messages for block in _nested(message.get("content"))]
    media = [block for block in blocks if block.get("type") in ("image", "document", "container_upload")]
    return MessagesBody(body, prompt_bytes(body, _with_picture_data(media)), len(media))


MESSAGES = Wire(
    "messages",
    "/messages",
    "Messages",
    read_messages,
    MessageEvents,
    limit_field="max_tokens",
    query=frozenset({"beta"}),
)


def _blocks(content: Any) -> list[dict[str, Any]]:
    """A content as a list of blocks."""
    if isinstance(content, str):
        return [{"type": _TEXT, "text": content}] if content else []
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _nested(content: Any) -> Iterator[dict[str, Any]]:
    """The blocks of a content, those of tools' results too."""
    for block in _blocks(content):
        yield block
        if block.get("type") == _RESULT:
            yield from _blocks(block.get("content"))


def _marks_of(block: Mapping[str, Any]) -> Iterator[Any]:
    yield from (each[MARK] for each in (block, *_blocks(block.get("content"))) if each.get(MARK))


def _marked(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message with its last block marked, if it may be: caches keep no prefix of empty texts and thoughts."""
    *before, last = _blocks(message.get("content")) or [{}]
    if not last or last.get("type") in _THOUGHT or (last.get("type") == _TEXT and not last.get("text")):
        return dict(message)
    return {**message, "content": [*before, {MARK: {"type": "ephemeral"}, **last}]}


def _lines(message: Mapping[str, Any], questions: Sequence[Any]) -> Iterator[Line]:
    """Yield the lines of a message: tools' results in it, then its words, also answers to an agent's questions."""
    content = message.get("content")
    blocks = _blocks(content)
    if any(map(_is_result, blocks)) and message.get("role") == "user":
        yield Line("tool", other_parts=True)
        replies = [_reply(block, questions) for block in blocks if _is_result(block)]
        blocks = [block for block in blocks if not _is_result(block)]
        blocks = [*({"type": _TEXT, "text": words} for words in replies if words), *blocks]
        if not blocks:
            return
    called = [spoken_by_call(block.get("name"), block.get("input")) for block in blocks]
    if any(called):
        blocks = [{"type": _TEXT, "text": words} for words in called if words]
    spoken = [block for block in blocks if block.get("type") not in _THOUGHT]
    yield from read_transcript([{**message, "content": spoken}]).lines


def _reply(result: Mapping[str, Any], questions: Sequence[Any]) -> str:
    text, is_question = words_of(result.get("content")) or "", result.get("tool_use_id") in questions
    return said_in_result(text, is_error=result.get("is_error") is True, is_question=is_question)


def _is_result(block: Mapping[str, Any]) -> bool:
    return str(block.get("type", "")).endswith(_RESULT)


def _with_picture_data(media: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The blocks in a form in which the data of pictures is known as such."""
    shown: list[Mapping[str, Any]] = []
    for block in media:
        source = block.get("source")
        is_picture = block.get("type") == "image" and isinstance(source, dict) and isinstance(source.get("data"), str)
        shown.append({"data": "data:image/" + source["data"][11:]} if is_picture and isinstance(source, dict) else {})
    return shown
