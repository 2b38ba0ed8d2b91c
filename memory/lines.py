"""Files of JSON lines, read line by line: each stands by itself, and none is held that is longer than it may be."""

import json
from collections.abc import Iterator
from typing import IO, Any


class LineRefused(ValueError):
    """One line can't be taken; the text says why."""


def numbered(file: IO[bytes], most: int) -> Iterator[tuple[int, bytes]]:
    """Number the lines that are not blank, from 1; of one longer than `most` bytes, no more is held than shows it."""
    number = 0
    while raw := file.readline(most + 1):
        number += 1
        rest = raw
        while len(rest) > most and not rest.endswith(b"\n"):
            rest = file.readline(most + 1)
        if raw.strip():
            yield number, raw


def read_object(raw: bytes, most: int) -> Any:
    """Read what a line of at most so many bytes holds.

    Raises:
        LineRefused: It is too long, or no JSON in UTF-8.
    """
    if len(raw) > most and not raw.endswith(b"\n"):
        raise LineRefused(f"the line is longer than {most} bytes")
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        raise LineRefused(f"not UTF-8: byte {fault.start + 1} of the line") from None
    except json.JSONDecodeError as fault:
        raise LineRefused(f"not JSON: {fault.msg} at column {fault.colno}") from None
    except RecursionError:
        raise LineRefused("nested too deeply") from None
    except ValueError:
        raise LineRefused("holds a number that is too long") from None
