"""What no row can hold, found before it is sent there: NUL, half a surrogate pair, numbers or nesting without end."""

import math
import re
from collections.abc import Iterator
from typing import Any

from schemas.limits import NESTING

_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")


def unkeepable(value: Any, place: str = "", depth: int = 0) -> Iterator[str]:
    """Yield one line for each part of a JSON value that can't be kept, naming its place.

    Args:
        value: The value.
        place: Where it is, in words of its sender.
        depth: How many levels it lies below the whole.
    """
    match value:
        case dict() | list() if depth >= NESTING:
            # Whoever walks through values does so on a stack; none is to run out of it later.
            yield f"it is nested deeper than {NESTING} levels"
        case str():
            yield from (f"{place}: {fault}".removeprefix(": ") for fault in _no_text(value))
        case float() if not math.isfinite(value):
            yield f"{place}: must be a finite number".removeprefix(": ")
        case dict():
            for key, inner in value.items():
                faults = list(unkeepable(key))
                # A key that can't be kept can't be repeated in the answer either.
                yield from (f"{place}: the name of a field {fault}".removeprefix(": ") for fault in faults)
                if not faults:
                    yield from unkeepable(inner, f"{place}.{key}".removeprefix("."), depth + 1)
        case list():
            for position, inner in enumerate(value):
                yield from unkeepable(inner, f"{place}[{position}]", depth + 1)


def _no_text(value: str) -> Iterator[str]:
    if "\0" in value:
        yield "holds a NUL character, which no text may"
    if _HALF_OF_A_PAIR.search(value):
        yield "holds half of a surrogate pair, which is no text"
