"""Finds the JSON objects in an answer's body, whether it is a stream of server-sent events, lines, or one document.

Servers break the form in many ways: another content type, line ends of a bare CR, no blank line behind an event or
none at the end, empty pieces, comments, a byte order mark, field names twice or in capitals, an object over several
lines, several in one. An unreadable piece is passed over, and all others are read.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json

from schemas.text.storable import decoded

DONE = "[DONE]"
"""The item that a stream yields in place of an object at its end."""

# The longest event, line, or document. One with several choices, or with generated audio, may be longer.
MOST_BYTES = 1024 * 1024

# How much is kept of the end of a longer document.
END_BYTES = 64 * 1024
_FIELDS = (b":", b"event:", b"id:", b"retry:")

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")
# The characters before an object in its line.
_BEFORE = re.compile(rb"(?:[\s\x00]|\xef\xbb\xbf|(?P<data>data:))*+", re.IGNORECASE)
_BEFORE_TEXT = re.compile(r"(?:[\s\x00\ufeff]|data:)*+", re.IGNORECASE)
_BEHIND = b" \t\r\n\x00"
# Python reads no longer numbers.
MOST_DIGITS = 4000


def _whole(digits: str) -> float:
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


# Some servers leave line breaks within strings.
_DECODER = json.JSONDecoder(strict=False, parse_int=_whole)


class JsonEvents:
    """Reads one body as it comes, and holds no more of it than the event or document at hand.

    Attributes:
        unread: How many bytes of it could not be read, or only in part.
        cut_end: The end of a document that was too long.
    """

    def __init__(self) -> None:
        self.unread = 0
        self.cut_end = bytearray()
        self._pending = bytearray()
        self._lines: list[bytes] = []
        self._held = 0
        self._document: bool | None = None
        self._skipping = False

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Read the next bytes; yields the objects that are complete, and `DONE` at the end mark."""
        if self._skipping and self._document:
            self.unread += len(chunk)
            self.cut_end = (self.cut_end + chunk)[-END_BYTES:]
            return
        self._pending += chunk
        if self._document is None:
            self._recognise()
        if self._document is False:
            yield from self._read_lines()
        if len(self._pending) > MOST_BYTES:
            if self._document:
                self.cut_end = self._pending[-END_BYTES:]
                yield from self._read_document()
            self._skipping = True
            self.unread += len(self._pending)
            self._pending.clear()

    def end(self) -> Iterator[Any]:
        """Yield the remaining objects at the end of the body, which may be in the midst of a document."""
        if self._document:
            yield from self._read_document()
        else:
            yield from self._read_lines(last=True)
            yield from self._event()

    def _recognise(self) -> None:
        """Distinguish a document from a stream by its first character: the content type is wrong at times."""
        if _BOM.startswith(self._pending):
            return
        if first := self._pending.removeprefix(_BOM).lstrip()[:1]:
            self._pending = self._pending.removeprefix(_BOM)
            self._document = bytes(first) in {b"{", b"["}

    def _read_lines(self, *, last: bool = False) -> Iterator[Any]:
        *lines, rest = _LINE_END.split(bytes(self._pending))
        self._pending = bytearray(b"" if last else rest)
        for line in [*lines, rest.removesuffix(b"\r")] if last else lines:
            if self._skipping:
                # The end of a line that was too long.
                self._skipping = False
                self.unread += len(line)
            else:
                yield from self._line(line)

    def _line(self, line: bytes) -> Iterator[Any]:
        before = _BEFORE.match(line)
        data = line[before.end() if before else 0 :].rstrip(_BEHIND)
        is_data = before is not None and before["data"] is not None
        if not data and not is_data:
            yield from self._event()
        elif data.strip(b'"').upper() == DONE.encode():
            yield from self._event()
            yield DONE
        elif is_data or data.startswith(b"{") or (self._lines and not line.startswith(_FIELDS)):
            found = [] if self._lines else _objects(data)
            if found:
                yield from found
                return
            self._lines.append(data)
            self._held += len(data)
            if self._held > MOST_BYTES:
                yield from self._event()
        elif not line.startswith(_FIELDS):
            self.unread += len(line)

    def _event(self) -> Iterator[Any]:
        """Yield the objects in the event's data lines read together; if there are none, those of each line."""
        lines, self._lines, self._held = self._lines, [], 0
        whole = _objects(b"\n".join(lines))
        if whole:
            yield from whole
            return
        for line in lines:
            found = _objects(line)
            yield from found
            if not found:
                self.unread += len(line)

    def _read_document(self) -> Iterator[Any]:
        body, found = bytes(self._pending), list[Any]()
        self._pending.clear()
        try:
            read = _DECODER.decode(_text(body))
            found = read if isinstance(read, list) else [read]
        except (ValueError, RecursionError):
            # A list that was cut off; of objects each may be in a line of its own.
            found = _beginning(body) if body.startswith(b"[") else []
            in_lines = list[Any]()
            if not found:
                for line in _LINE_END.split(body):
                    in_lines += self._line(line)
                in_lines += self._event()
            if not in_lines:
                self.unread += len(body)
                found = found or _beginning(body)
            found += in_lines
        yield from (each for each in found if isinstance(each, dict) or each == DONE)


def _objects(data: bytes) -> list[dict[str, Any]]:
    """The objects of a line, one behind another; none if anything else is in it."""
    text, place, found = _text(data), 0, list[dict[str, Any]]()
    try:
        while place < len(text):
            read, place = _DECODER.raw_decode(text, place)
            if not isinstance(read, dict):
                return []
            found.append(read)
            before = _BEFORE_TEXT.match(text, place)
            place = before.end() if before else place
            if text.startswith(DONE, place):
                break
    except (ValueError, RecursionError):
        return []
    return found


def _beginning(body: bytes) -> list[Any]:
    """Read a document that was cut off, as far as it came."""
    try:
        read = from_json(_text(body), allow_partial="trailing-strings")
    except ValueError:
        return []
    return read if isinstance(read, list) else [read]


def _text(data: bytes) -> str:
    try:
        return decoded(data)
    except UnicodeDecodeError:
        return data.decode(errors="replace")
