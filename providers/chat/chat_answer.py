"""Reads an answer beside the bytes that are passed on: its text, its usage, and whether it is complete.

Streams are read event by event as they pass, so that an open stream holds no more than the text so far. A piece that
breaks its wire's format is passed over; the client gets it all the same.
"""

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from providers.chat.answer_so_far import AnswerEvents, AnswerSoFar
from providers.chat.event_stream import DONE, JsonEvents
from providers.completion import Usage
from schemas.text.storable import storable

# Of a compressed answer no more is read: a few bytes may stand for any number.
MOST_INFLATED = 32 * 1024 * 1024
_PIECE = 64 * 1024
_INFLATED = frozenset({"gzip", "x-gzip", "deflate"})
_UNREAD = frozenset({"br", "zstd", "compress", "x-compress"})


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The content of an answer.

    Attributes:
        text: The first choice's words so far; empty if there are none, as where a tool is called.
        choices: How many choices it had.
        model: The model's name as the upstream reports it.
        usage: The tokens, if the upstream reports them.
        came: The bytes of all choices (words, refusals, reasoning, calls of tools, and unreadable pieces), an upper
            bound of their tokens: no tokenizer makes more tokens than there are bytes.
        payload: How many of these are data of sounds and pictures, of which a token stands for many.
        complete: Whether it came to its end.
        readable: Whether it could be read.
        ids: The ids by which a later request may name it: its own first, then those of its items.
        handed_on: The words that it hands on to tools, of which another agent may be one.
    """

    text: str = ""
    choices: int = 0
    model: str | None = None
    usage: Usage | None = None
    complete: bool = False
    readable: bool = True
    came: int = field(default=0, compare=False)
    payload: int = field(default=0, compare=False)
    ids: tuple[str, ...] = field(default=(), compare=False)
    handed_on: tuple[str, ...] = field(default=(), compare=False)


class AnswerReader:
    """Reads one answer, which is a stream or a document.

    Args:
        events: Makes the reader of its wire's events.
        content_encoding: Its `Content-Encoding`. Of an answer that comes in gzip or deflate, though it was not asked
            for so, `MOST_INFLATED` is read; one in another form, or in several, is counted by its bytes, and not read.
            Any other word is ignored, as clients do.

    Attributes:
        is_plain: Whether the answer's bytes are its text, and no compressed form of it.
    """

    def __init__(self, events: Callable[[], AnswerEvents], content_encoding: str | None = None) -> None:
        named = [name.strip() for name in (content_encoding or "").lower().split(",")]
        encodings = [name for name in named if name in _INFLATED | _UNREAD]
        self.is_plain = not encodings
        is_inflated = len(encodings) == 1 and encodings[0] in _INFLATED
        # Finds out itself which of the two it is.
        self._inflating = zlib.decompressobj(zlib.MAX_WBITS | 32) if is_inflated else None
        self._left = MOST_INFLATED
        self._readable = self.is_plain or is_inflated
        self._objects = JsonEvents()
        self._events = events()
        self._so_far = AnswerSoFar()

    def feed(self, chunk: bytes) -> None:
        """Read the next bytes of the answer."""
        if not self._readable:
            self._so_far.came += len(chunk)
            return
        for piece in self._inflated(chunk) if self._inflating else (chunk,):
            for event in self._objects.feed(piece):
                self._take(event)

    def _inflated(self, chunk: bytes) -> Iterator[bytes]:
        """Decompress bytes, piece by piece."""
        while chunk and self._readable and self._inflating:
            try:
                piece = self._inflating.decompress(chunk, _PIECE)
            except zlib.error:
                self._left = 0
                break
            self._left -= len(piece)
            yield piece
            chunk = self._inflating.unconsumed_tail
        if self._left <= 0:
            self._readable = False
            self._so_far.came += len(chunk)

    def answer(self, *, ended: bool) -> ChatAnswer:
        """Return the answer that was read; called once, at the end.

        Args:
            ended: Whether the upstream's answer came to its end.
        """
        if self._readable:
            if self._inflating:
                for event in self._objects.feed(self._inflating.flush()):
                    self._take(event)
            for event in self._objects.end():
                self._take(event)
        read = self._so_far
        usage, came, payload = read.usage, read.came + self._objects.unread, read.payload
        if self._objects.cut_end and (reported := self._usage_at_end(self._objects.cut_end)):
            # Beside the reported usage the size of a document does not count.
            usage, came, payload = reported, reported.output_tokens, 0
        return ChatAnswer(
            # Halves of one character may come in two pieces.
            text=storable(read.text),
            choices=len(read.choices),
            model=read.model,
            usage=usage,
            complete=ended and read.done,
            readable=self._readable,
            came=came,
            payload=payload,
            ids=tuple(read.ids),
            handed_on=tuple(dict.fromkeys(read.handed_on)),
        )

    def _take(self, event: Any) -> None:
        if event == DONE:
            self._so_far.done = self._events.ended() or self._so_far.done
        else:
            # A list or an object where a kind or a number stands; the relay must go on.
            with suppress(TypeError):
                self._events.take(event, self._so_far)

    def _usage_at_end(self, end: bytearray) -> Usage | None:
        """Read the usage in the end of a document of which no more was kept; in a string its name would be escaped."""
        text = end.decode("utf-8", "replace")
        at = text.rfind('"usage"')
        try:
            return (
                self._events.usage(json.JSONDecoder().raw_decode(text[text.index("{", at) :])[0]) if at >= 0 else None
            )
        except (ValueError, RecursionError):
            return None
