"""Reads the elements of one JSON list or object one by one, each with its place in the text."""

import json
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

Element = TypeVar("Element")

_WHITE_SPACE = re.compile(r"[ \t\n\r]*")


def elements(
    text: str, place: int, closing: str, read: Callable[[int], tuple[Element, int]]
) -> Iterator[tuple[Element, int, int]]:
    """Yield the elements between an opening bracket and the closing one, which must end the text.

    Args:
        text: The whole text.
        place: The end of the opening bracket.
        closing: The closing bracket: `]` or `}`.
        read: Reads the element that begins at a place; returns it, and where it ends.

    Yields:
        An element, where it begins and where it ends.

    Raises:
        json.JSONDecodeError: A comma or the closing bracket is missing, or more text follows.
    """
    place = next_token(text, place)
    more = not text.startswith(closing, place)
    while more:
        element, end = read(place)
        yield element, place, end
        place = next_token(text, end)
        more = text.startswith(",", place)
        if more:
            place = next_token(text, place + 1)
    if not text.startswith(closing, place):
        raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
    if (rest := next_token(text, place + 1)) < len(text):
        raise json.JSONDecodeError("Extra data", text, rest)


def next_token(text: str, place: int) -> int:
    """Return where the first token at or behind a place begins."""
    found = _WHITE_SPACE.match(text, place)
    return found.end() if found else place
