"""What no row can hold, found before it is sent there: NUL, half of a surrogate pair, numbers without end."""

import math
from collections.abc import Iterator
from typing import Any


def unkeepable(value: Any, place: str = "") -> Iterator[str]:
    """Yield one line for each part of a JSON value that Postgres refuses, naming its place."""
    match value:
        case str():
            if "\0" in value:
                yield f"{place}: holds a NUL character, which no text may".removeprefix(": ")
            if any("\ud800" <= character <= "\udfff" for character in value):
                yield f"{place}: holds half of a surrogate pair, which is no text".removeprefix(": ")
        case float() if not math.isfinite(value):
            yield f"{place}: must be a finite number".removeprefix(": ")
        case dict():
            for key, inner in value.items():
                faults = list(unkeepable(key))
                # A key that can't be kept can't be repeated in the answer either.
                yield from (f"{place}: the name of a field {fault}".removeprefix(": ") for fault in faults)
                if not faults:
                    yield from unkeepable(inner, f"{place}.{key}".removeprefix("."))
        case list():
            for position, inner in enumerate(value):
                yield from unkeepable(inner, f"{place}[{position}]")
