"""The part of a large JSON document that is needed, read from one bracket to the next."""

import re
from collections.abc import Iterator
from typing import IO

from memory.text.errors import InvalidRequest

READ_BYTES = 1 << 20
ELEMENT_BYTES = 64 << 20

# Everything up to the next bracket that is not within a string. The quantifiers give nothing back, so that a match
# takes linear time.
_TO_BRACKET = re.compile(rb'((?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+)([{}\[\]])', re.DOTALL)


class Buffer:
    """The part of the file that is needed; places count from the beginning of the file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._data = b""
        self._first = 0
        self.place = 0

    def bracket(self) -> tuple[bytes, bytes] | None:
        """Read the next bracket with the text before it; None if it is not in the buffer."""
        match = _TO_BRACKET.match(self._data, self.place - self._first)
        if match is None:
            return None
        self.place = self._first + match.end()
        return match[1], match[2]

    def read_of(self, start: int) -> bytes:
        """Return the bytes read from a place on."""
        return self._data[start - self._first : self.place - self._first]

    def lines_from(self, place: int) -> Iterator[bytes]:
        """Yield the line that begins at a place, and those behind it, if the next one is an object of its own."""
        behind = self._data[place - self._first :]
        behind += self._file.readline(ELEMENT_BYTES) + self._file.readline(ELEMENT_BYTES)
        lines = behind.split(b"\n")
        following = next((line for line in map(bytes.strip, lines[1:]) if line), b"")
        # Of a document on several lines, a line opens an object, or ends with a separator.
        if not following.startswith(b"{") or following.endswith((b"{", b"[", b",")):
            return
        yield from lines
        while line := self._file.readline(ELEMENT_BYTES):
            yield line

    @property
    def end(self) -> int:
        """The place of the buffer's end."""
        return self._first + len(self._data)

    @property
    def rest(self) -> bytes:
        """The unread rest of the buffer."""
        return self._data[self.place - self._first :]

    def grow(self, needed: int) -> bool:
        """Read on, and keep the bytes from a place on; returns false at the end of the file.

        Raises:
            InvalidRequest: A single text of the document exceeds the limit of an element.
        """
        if needed == self.place and len(self.rest) > ELEMENT_BYTES:
            raise InvalidRequest(f"The file holds a text of more than {ELEMENT_BYTES >> 20} MB.")
        kept = self._data[needed - self._first :]
        more = self._file.read(max(READ_BYTES, len(kept)))
        self._data, self._first = kept + more, needed
        return bool(more)
