"""Reads the answer of a chat completion beside the bytes that are passed on: its text, its usage, and how it ended.

Streams are read event by event as they pass, so that an open stream holds no more than the text so far.
"""

import json
from dataclasses import dataclass
from typing import Any

from providers.thinking import Usage

_DATA = b"data:"
_DONE = b"[DONE]"
# What is read of an answer: longer ones pass, and are not taken in. A message has 64 KB at most, and reasoning may
# stand before it.
MOST_TEXT = 256 * 1024
# One event, or a whole answer that is not streamed. One with several choices, or with generated audio, may be longer.
MOST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What an answer said.

    Attributes:
        text: The first choice's words; empty if there are none, as where a tool is called.
        choices: How many choices it had.
        model: The model's name as the upstream reports it.
        usage: The tokens, if the upstream reports them.
        complete: Whether it came to its end.
        readable: Whether all of it could be read.
    """

    text: str = ""
    choices: int = 0
    model: str | None = None
    usage: Usage | None = None
    complete: bool = False
    readable: bool = True


class AnswerReader:
    """Reads one answer.

    Args:
        content_type: The answer's `Content-Type`, which tells a stream from a document.
        content_encoding: Its `Content-Encoding`; a compressed answer is not read.
    """

    def __init__(self, content_type: str, content_encoding: str | None = None) -> None:
        self._streamed = content_type.partition(";")[0].strip().lower() == "text/event-stream"
        self._readable = content_encoding in {None, "", "identity"}
        self._pending = bytearray()
        self._text: list[str] = []
        self._length = 0
        self._choices: set[int] = set()
        self._model: str | None = None
        self._usage: Usage | None = None
        self._done = False

    def feed(self, chunk: bytes) -> None:
        """Read the next bytes of the answer."""
        if not self._readable:
            return
        self._pending += chunk
        if self._streamed:
            self._read_events()
        if len(self._pending) > MOST_BYTES or self._length > MOST_TEXT:
            self._give_up()

    def answer(self, *, ended: bool) -> ChatAnswer:
        """Return what was read.

        Args:
            ended: Whether the upstream's answer came to its end.
        """
        if self._readable and not self._streamed and ended:
            self._read_document()
        return ChatAnswer(
            text="".join(self._text),
            choices=len(self._choices),
            model=self._model,
            usage=self._usage,
            complete=ended and (self._done or not self._streamed),
            readable=self._readable,
        )

    def _read_events(self) -> None:
        *lines, rest = self._pending.split(b"\n")
        self._pending = bytearray(rest)
        for line in lines:
            if line.startswith(_DATA):
                data = line[len(_DATA) :].strip()
                if data == _DONE:
                    self._done = True
                else:
                    self._read(data, "delta")

    def _read_document(self) -> None:
        self._read(bytes(self._pending), "message")
        self._pending.clear()

    def _read(self, data: bytes | bytearray, part: str) -> None:
        try:
            event: Any = json.loads(data)
            self._take(event, part)
        except (ValueError, RecursionError, AttributeError, TypeError):
            # It is not what this wire promises; the client gets it all the same.
            self._give_up()

    def _take(self, event: dict[str, Any], part: str) -> None:
        self._model = event.get("model") or self._model
        if usage := event.get("usage"):
            self._usage = _usage(usage)
        for choice in event.get("choices") or ():
            index = choice.get("index") or 0
            self._choices.add(index)
            words = (choice.get(part) or {}).get("content")
            if index == 0 and isinstance(words, str) and words:
                self._text.append(words)
                self._length += len(words)
            if choice.get("finish_reason") and part == "message":
                self._done = True

    def _give_up(self) -> None:
        self._readable = False
        self._pending.clear()
        self._text.clear()


def _usage(told: dict[str, Any]) -> Usage:
    cached = int((told.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
    prompt = int(told.get("prompt_tokens") or 0)
    cached = min(cached, prompt)
    return Usage(
        input_tokens=prompt - cached, output_tokens=int(told.get("completion_tokens") or 0), cache_read_tokens=cached
    )
