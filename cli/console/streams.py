"""Replacements of stdout and stderr that escape control characters in all text that is written to them.

`cli.__main__` installs them before anything else runs, so that `print`, tracebacks, log lines, typer's help and output
of libraries pass through them. There are three ways to write:

- text, for people: escaped (`schemas.text.visible_text`), wherever it goes;
- bytes through `buffer`, for programs (JSON, exports): unchanged into a pipe or file, escaped on a terminal;
- `Rendered`, for the console alone, which escapes text before it adds its own colours and cursor movements.
"""

import codecs
import io
import sys
from typing import Any, TextIO

from schemas.text.visible_text import visible


def guard_streams() -> None:
    """Replace stdout and stderr by guarded streams. A closed one stays closed."""
    sys.stdout = sys.stdout and Guarded(sys.stdout)
    sys.stderr = sys.stderr and Guarded(sys.stderr)


class Guarded(io.TextIOWrapper):
    """A standard stream that escapes control characters.

    Args:
        stream: The stream that it replaces.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(
            stream.buffer,
            encoding=stream.encoding,
            errors="backslashreplace",
            line_buffering=bool(stream.line_buffering),
        )
        # Kept alive: when it is collected it closes the buffer that both share.
        self._replaced = stream
        self._documents = Documents(self) if self.isatty() else None

    def write(self, text: str, /) -> int:
        """Write text for people."""
        return super().write(visible(text))

    def write_rendered(self, text: str) -> int:
        """Write text that the console has escaped and coloured."""
        return super().write(text)

    @property
    def buffer(self) -> io.BufferedIOBase:  # type: ignore[override]  # wider than that of the base
        """The binary stream for documents."""
        self.flush()
        return self._documents or super().buffer  # type: ignore[return-value]  # as above


class Documents(io.BufferedIOBase):
    """The binary stream of a terminal, which escapes control characters of documents.

    Args:
        text: The terminal's text stream.
    """

    def __init__(self, text: Guarded) -> None:
        super().__init__()
        self._text = text
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def writable(self) -> bool:
        """Return true."""
        return True

    def write(self, part: Any, /) -> int:
        """Write bytes of a document in UTF-8; a character may be split between two calls."""
        data = bytes(part)
        self._text.write(self._decoder.decode(data))
        return len(data)

    def flush(self) -> None:
        """Flush the text stream."""
        self._text.flush()

    def isatty(self) -> bool:
        """Return true."""
        return True


class Rendered:
    """Writes to a guarded stream without escaping, for text that is escaped and has the console's control sequences."""

    def __init__(self, stream: Guarded) -> None:
        self._stream = stream
        self.encoding = stream.encoding

    def write(self, text: str) -> int:
        """Write rendered text."""
        return self._stream.write_rendered(text)

    def flush(self) -> None:
        """Flush the stream."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Return whether the stream is a terminal's."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the stream's file descriptor."""
        return self._stream.fileno()
