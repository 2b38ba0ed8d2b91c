"""Reads the elements of arrays in a large JSON document one at a time.

Exports are single JSON documents of up to gigabytes. The reader follows the brackets of the document, whose places a
regular expression finds, and parses one element of a wanted array at a time: the memory that it takes is bounded by
the longest element, and an invalid element does not hide those behind it.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from memory.intake.importers.entries import Bad
from memory.text.errors import InvalidRequest

READ_BYTES = 1 << 20
ELEMENT_BYTES = 64 << 20

Path = tuple[str, ...]

# Everything up to the next bracket that is not within a string. The quantifiers give nothing back, so that a match
# takes linear time.
_TO_BRACKET = re.compile(rb'((?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+)([{}\[\]])', re.DOTALL)
_KEY = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+:\s*+$', re.DOTALL)
_BOM = b"\xef\xbb\xbf"
_CLOSES = {b"{": b"}", b"[": b"]"}
_BETWEEN = b" \t\r\n,"


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array; `path` are the keys that lead to the array, empty for one that is the document."""

    path: Path
    number: int
    value: Any


@dataclass(slots=True)
class _Open:
    """An open bracket: its kind, the path that leads to it, and how many elements it has had."""

    kind: bytes
    path: Path
    elements: int = 0


@dataclass(slots=True)
class _Buffer:
    """The part of the file that is needed: from the beginning of the element at hand, or from `place` on."""

    file: IO[bytes]
    data: bytes = b""
    place: int = 0
    start: int | None = None
    skipping: bool = field(default=False)

    def grow(self) -> bool:
        """Read on; returns false at the end of the file.

        Raises:
            InvalidRequest: A single text of the document exceeds the limit of an element.
        """
        if self.start is not None and len(self.data) - self.start > ELEMENT_BYTES:
            self.start, self.skipping = None, True
        kept = self.place if self.start is None else self.start
        if self.place - kept == 0 and len(self.data) - self.place > ELEMENT_BYTES:
            raise InvalidRequest(f"The file holds a text of more than {ELEMENT_BYTES >> 20} MB.")
        more = self.file.read(max(READ_BYTES, len(self.data) - kept))
        self.data = self.data[kept:] + more
        self.place -= kept
        self.start = None if self.start is None else 0
        return bool(more)


def elements(file: IO[bytes], paths: Collection[Path]) -> Iterator[Element | Bad]:
    """Yield the objects in the arrays at these paths, in the order of the document.

    Args:
        file: The document, in UTF-8.
        paths: Each leads to an array by its keys; an empty one is a document that is an array.

    Yields:
        An element, or what is wrong with one: it is no object, not JSON, or longer than 64 MB. If the document breaks
        off, or its brackets do not match, the last item says so.

    Raises:
        InvalidRequest: The file is no JSON document.
    """
    return _Walk(file, paths).elements()


class _Walk:
    """The way through one document."""

    def __init__(self, file: IO[bytes], paths: Collection[Path]) -> None:
        self._buffer = _Buffer(file)
        self._buffer.grow()
        self._buffer.place = len(_BOM) if self._buffer.data.startswith(_BOM) else 0
        self._paths = paths
        self._opened: list[_Open] = []

    def elements(self) -> Iterator[Element | Bad]:
        """Yield the elements; see the function of this name."""
        for text, bracket in self._brackets():
            parent = self._opened[-1] if self._opened else None
            wanted = parent is not None and parent.kind == b"[" and parent.path in self._paths
            if parent is None:
                if not self._begins(text, bracket):
                    break
                continue
            if wanted and text.strip(_BETWEEN):
                yield Bad(f"behind entry {parent.elements}", "it is no object", None)
            if bracket not in _CLOSES:
                self._opened.pop()
                if _CLOSES[parent.kind] != bracket:
                    yield self._broken("its brackets do not match")
                if _CLOSES[parent.kind] != bracket or not self._opened:
                    return
            elif wanted:
                parent.elements += 1
                if not self._closes_again():
                    break
                yield self._element(parent)
            else:
                self._opened.append(_Open(bracket, _path(parent, text)))
        yield self._cut_off()

    def _begins(self, text: bytes, bracket: bytes) -> bool:
        """Take the bracket that opens the document; returns whether the document is an array or an object."""
        if text.strip() or bracket not in _CLOSES:
            return False
        self._opened.append(_Open(bracket, ()))
        return True

    def _brackets(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield each bracket with the text before it, up to the end of the file."""
        buffer = self._buffer
        while True:
            match = _TO_BRACKET.match(buffer.data, buffer.place)
            if match is not None:
                buffer.place = match.end()
                yield match[1], match[2]
            elif not buffer.grow():
                return

    def _closes_again(self) -> bool:
        """Go to the end of the element whose bracket was just read; returns false if there is none."""
        self._buffer.start = self._buffer.place - 1
        depth = 1
        for _, bracket in self._brackets():
            depth += 1 if bracket in _CLOSES else -1
            if not depth:
                return True
        return False

    def _element(self, parent: _Open) -> Element | Bad:
        buffer, place = self._buffer, f"entry {parent.elements}"
        start, skipped, buffer.start, buffer.skipping = buffer.start, buffer.skipping, None, False
        if skipped or start is None:
            return Bad(place, f"it is longer than {ELEMENT_BYTES >> 20} MB", None)
        raw = buffer.data[start : buffer.place]
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as fault:
            reason = f"not JSON: {fault.msg}" if isinstance(fault, json.JSONDecodeError) else "not JSON"
            return Bad(place, reason, raw.decode(errors="replace"))
        return (
            Element(parent.path, parent.elements, value)
            if isinstance(value, dict)
            else Bad(place, "it is no object", value)
        )

    def _cut_off(self) -> Bad:
        if not self._opened:
            raise InvalidRequest("The file is no JSON document.")
        return self._broken("it ends in the middle: it was cut off")

    def _broken(self, reason: str) -> Bad:
        number = next((each.elements for each in reversed(self._opened) if each.elements), 0)
        return Bad(f"behind entry {number}", f"the file is damaged: {reason}", None)


def _path(parent: _Open, text: bytes) -> Path:
    """The path of a bracket behind this text; the elements of an array have the array's path with `[]`."""
    if parent.kind == b"[":
        return (*parent.path, "[]")
    key = _KEY.search(text)
    return (*parent.path, key[1].decode(errors="replace") if key else "")
