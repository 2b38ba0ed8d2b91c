"""Reads files of text in any form of Unicode: programs on Windows write UTF-16, and marks at the beginning."""

import codecs
from io import BufferedReader, RawIOBase, TextIOWrapper
from typing import IO, Any, cast

# The longer ones first: one begins like another.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
LONGEST_MARK = 4


def as_utf8(content: IO[bytes]) -> IO[bytes]:
    """Return a file's bytes in UTF-8 without a byte order mark, from any form of Unicode.

    A file that is buffered is returned itself where it is in UTF-8: its lines come as soon as they are written.
    """
    is_buffered = hasattr(content, "peek")
    buffered: BufferedReader[Any] = cast("Any", content) if is_buffered else BufferedReader(cast("Any", content))
    begin = buffered.peek(LONGEST_MARK)
    for mark, encoding in _MARKS:
        if begin.startswith(mark):
            buffered.read(len(mark))
            return buffered if encoding == "utf-8" else recoded(buffered, encoding)
    # JSON begins with an ASCII character, so the place of a NUL beside it shows the byte order.
    if len(begin) > 1 and begin[0] and not begin[1]:
        return recoded(buffered, "utf-16-le")
    if len(begin) > 1 and not begin[0] and begin[1]:
        return recoded(buffered, "utf-16-be")
    return buffered


def recoded(content: "BufferedReader[Any]", encoding: str) -> IO[bytes]:
    """Return the bytes of a file in another encoding in UTF-8."""
    return BufferedReader(_Recoded(TextIOWrapper(content, encoding, errors="replace", newline="")))


class _Recoded(RawIOBase):
    """A file of text, read as UTF-8."""

    def __init__(self, text: IO[str]) -> None:
        self._text = text
        self._left = b""

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes into a buffer; returns how many, 0 at the end."""
        into = memoryview(buffer).cast("B")
        if not self._left:
            self._left = self._text.read(max(1, len(into) // 4)).encode(errors="replace")
        part, self._left = self._left[: len(into)], self._left[len(into) :]
        into[: len(part)] = part
        return len(part)
