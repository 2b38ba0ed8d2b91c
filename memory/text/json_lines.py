"""Reads JSON Lines files one line at a time, with a bounded line length in memory."""

import json
from collections.abc import Iterator
from io import BufferedReader
from typing import IO, Any

from schemas.text.recoding import as_utf8
from schemas.text.storable import decoded


class LineRefused(ValueError):
    """A line is invalid; the message says why."""


def numbered(file: IO[bytes], most: int) -> Iterator[tuple[int, bytes]]:
    """Yield non-blank lines in UTF-8 with their numbers from 1; a longer line is truncated to `most` + 1 bytes."""
    number, text = 0, as_utf8(file)
    try:
        while raw := text.readline(most + 1):
            number += 1
            rest = raw
            while len(rest) > most and not rest.endswith(b"\n"):
                rest = text.readline(most + 1)
            if raw.strip():
                yield number, raw
    finally:
        if text is not file and isinstance(text, BufferedReader):
            # The file is not this reader's to close.
            text.detach()


def read_object(raw: bytes, most: int) -> Any:
    """Parse one line of at most `most` bytes.

    Raises:
        LineRefused: The line is too long, or not JSON in UTF-8.
    """
    if len(raw) > most and not raw.endswith(b"\n"):
        raise LineRefused(f"the line is longer than {most} bytes")
    try:
        return json.loads(decoded(raw), strict=False)
    except UnicodeDecodeError as fault:
        raise LineRefused(f"not UTF-8: byte {fault.start + 1} of the line") from None
    except json.JSONDecodeError as fault:
        raise LineRefused(f"not JSON: {fault.msg} at column {fault.colno}") from None
    except RecursionError:
        raise LineRefused("nested too deeply") from None
    except ValueError:
        raise LineRefused("holds a number that is too long") from None
