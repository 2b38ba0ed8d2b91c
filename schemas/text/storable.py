"""Finds values that Postgres can't store: NUL, unpaired surrogates, infinite numbers, and too deep nesting."""

import math
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from schemas.limits import NESTING
from schemas.text.validation_messages import MOST_PLACE_CHARACTERS, shortened

_UNPAIRED_SURROGATE = re.compile("[\ud800-\udfff]")
_SUSPECTS = ("\\u0000", "NaN", "Infinity")

# The path to a value: the path of its container, and its key or index there. A linked list, since most paths are never
# written out.
_Place: TypeAlias = tuple["_Place", str | int] | None


def surely_storable(json_text: str) -> bool:
    """Whether a JSON value certainly has nothing that can't be stored, seen from its text alone.

    False means that it may have: `unstorable` then walks the value. Most values are answered here, for a fraction of
    the cost.

    Args:
        json_text: The value as `json.dumps` writes it without `ensure_ascii`.
    """
    return (
        # Quoted text may hold these as well; numbers and characters that can't be stored are always written so.
        not any(suspect in json_text for suspect in _SUSPECTS)
        and json_text.count("{") + json_text.count("[") < NESTING
        and (json_text.isascii() or not _UNPAIRED_SURROGATE.search(json_text))
    )


def unstorable(value: Any) -> Iterator[str]:
    """Yield one message for each part of a JSON value that can't be stored, with its path.

    Iterative, so that deep nesting can't exhaust the call stack.
    """
    waiting: list[tuple[_Place, int, Any]] = [(None, 0, value)]
    while waiting:
        place, depth, part = waiting.pop()
        match part:
            case dict() | list() if depth >= NESTING:
                # Other code walks values recursively, and must not exhaust the call stack.
                yield f"it is nested deeper than {NESTING} levels"
            case str():
                yield from (_at(place, fault) for fault in _no_text(part))
            case float() if not math.isfinite(part):
                yield _at(place, "must be a finite number")
            case dict():
                # An unstorable key can't be repeated in the error message either.
                yield from (_at(place, f"the name of a field {fault}") for key in part for fault in _no_text(key))
                named = [((place, key), depth + 1, inner) for key, inner in part.items() if not any(_no_text(key))]
                waiting.extend(reversed(named))
            case list():
                numbered = [((place, position), depth + 1, inner) for position, inner in enumerate(part)]
                waiting.extend(reversed(numbered))


def _at(place: _Place, fault: str) -> str:
    parts: list[str] = []
    while place is not None:
        place, part = place
        parts.append(f"[{part}]" if isinstance(part, int) else f".{part[:MOST_PLACE_CHARACTERS]}")
    written = "".join(reversed(parts)).removeprefix(".")
    return f"{shortened(written, MOST_PLACE_CHARACTERS)}: {fault}" if written else fault


def _no_text(value: str) -> Iterator[str]:
    if "\0" in value:
        yield "holds a NUL character, which Postgres can't store"
    if _UNPAIRED_SURROGATE.search(value):
        yield "holds an unpaired surrogate, which is not valid Unicode text"
