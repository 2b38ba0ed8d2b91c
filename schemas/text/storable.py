"""Mends text that Postgres can't store, and finds faults that can't be mended: infinite numbers, and too deep nesting.

All text from outside passes `storable` once, where its door reads it: requests in `schemas/wire/requests.py` and
`api/http/request_target.py`, items of batches in `memory/text/items.py`, transcripts in
`memory/proxy/reading/transcript.py`, exports in `memory/intake/importers`, tools' arguments in `api/mcp`, models'
answers in `providers/answers/json_text.py`.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from schemas.limits import NESTING
from schemas.text.validation_messages import MOST_PLACE_CHARACTERS, shortened

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_SUSPECTS = ("\\u0000", "NaN", "Infinity")
_ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")

# The path to a value: the path of its container, and its key or index there. A linked list, since most paths are never
# written out.
_Place: TypeAlias = tuple["_Place", str | int] | None


def storable(value: Any, depth: int = 0) -> Any:
    """Return a JSON value with text that Postgres can store; other values in it are unchanged.

    Halves of a character of UTF-16 that follow each other are joined. A half without the other, and NUL, become U+FFFD.

    Args:
        value: A value as `json.loads` returns it.
        depth: In how many containers it is. Values that `unstorable` refuses for their depth are unchanged.
    """
    match value:
        case str():
            return _mended(value) if _UNSTORABLE.search(value) else value
        case dict() if depth < NESTING:
            return {storable(key): storable(inner, depth + 1) for key, inner in value.items()}
        case list() if depth < NESTING:
            return [storable(inner, depth + 1) for inner in value]
    return value


def storable_json(text: str) -> str:
    """Return a JSON text whose values are storable; a text with nothing to mend, or no JSON, is returned unchanged."""
    if not _ESCAPED.search(text) and not _UNSTORABLE.search(text):
        return text
    try:
        return json.dumps(storable(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def decoded(raw: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark; halves of characters are kept, for `storable`.

    Raises:
        UnicodeDecodeError: It is not UTF-8.
    """
    return raw.decode(errors="surrogatepass").removeprefix("\ufeff")


def surely_storable(json_text: str) -> bool:
    """Whether a JSON value certainly has nothing that can't be stored, seen from its text alone.

    False means that it may have: `storable` and `unstorable` then walk the value. Most values are answered here, for a
    fraction of the cost.

    Args:
        json_text: The value as `json.dumps` writes it without `ensure_ascii`.
    """
    return (
        # Quoted text may hold these as well; numbers and characters that can't be stored are always written so.
        not any(suspect in json_text for suspect in _SUSPECTS)
        and json_text.count("{") + json_text.count("[") < NESTING
        and (json_text.isascii() or not _UNSTORABLE.search(json_text))
    )


def unstorable(value: Any) -> Iterator[str]:
    """Yield one message for each part of a JSON value that can neither be stored nor mended, with its path.

    Iterative, so that deep nesting can't exhaust the call stack.
    """
    waiting: list[tuple[_Place, int, Any]] = [(None, 0, value)]
    while waiting:
        place, depth, part = waiting.pop()
        match part:
            case dict() | list() if depth >= NESTING:
                # Other code walks values recursively, and must not exhaust the call stack.
                yield f"it is nested deeper than {NESTING} levels"
            case float() if not math.isfinite(part):
                yield _at(place, "must be a finite number")
            case dict():
                named = [((place, key), depth + 1, inner) for key, inner in part.items()]
                waiting.extend(reversed(named))
            case list():
                numbered = [((place, position), depth + 1, inner) for position, inner in enumerate(part)]
                waiting.extend(reversed(numbered))


def _mended(text: str) -> str:
    units = text.encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace").replace("\0", _REPLACEMENT)


def _at(place: _Place, fault: str) -> str:
    parts: list[str] = []
    while place is not None:
        place, part = place
        parts.append(f"[{part}]" if isinstance(part, int) else f".{part[:MOST_PLACE_CHARACTERS]}")
    written = "".join(reversed(parts)).removeprefix(".")
    return f"{shortened(written, MOST_PLACE_CHARACTERS)}: {fault}" if written else fault
