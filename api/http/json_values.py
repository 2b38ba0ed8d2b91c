"""Parses JSON from clients: the number of values is limited before and after parsing, and errors name the place."""

import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice
from typing import Any

from api.http.problems import Rejection
from schemas.limits import BATCH_ITEMS, BATCH_VALUES, ITEM_BYTES

# Escaping each character can make an item up to three times as long as sent.
LONGEST_ITEM_AS_SENT = 4 * ITEM_BYTES
_WHITE_SPACE = re.compile(r"[ \t\n\r]*")


def read_json(body: bytes, most_values: int) -> Any:
    """Read JSON.

    Args:
        body: JSON in UTF-8.
        most_values: The most values that it may hold.

    Raises:
        Rejection: It is not JSON, or holds more values; the text names the place and quotes nothing.
    """
    # Strings contain commas too, so the bound before parsing is ten times that of values.
    text = _text_of(body, 10 * most_values)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise _unreadable(fault) from None
    if next(islice(_values(value), most_values, None), None) is not None:
        raise _too_many_values(most_values)
    return value


def read_batch(body: bytes) -> Any:
    """Parse JSON; a list item by item, so that other threads run between items.

    Args:
        body: JSON in UTF-8.

    Returns:
        The value. An item that is too long is replaced by a `ValueError` that says so; items after the thousandth are
        replaced by None.

    Raises:
        Rejection: It is not JSON, or holds too many values; the text names the place and quotes nothing.
    """
    text = _text_of(body, BATCH_VALUES)
    try:
        start = _next(text, 0)
        if text.startswith("[", start):
            return _items(text, start + 1)
        if len(text) > LONGEST_ITEM_AS_SENT:
            raise too_large(f"The body is longer than {LONGEST_ITEM_AS_SENT} bytes, and is a single item")
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise _unreadable(fault) from None


def _items(text: str, start: int) -> list[Any]:
    """Parse the items of a list whose opening bracket ends at `start`."""
    decoder = json.JSONDecoder()
    items: list[Any] = []
    place = _next(text, start)
    more = not text.startswith("]", place)
    while more:
        item, end = decoder.raw_decode(text, place)
        if end - place > LONGEST_ITEM_AS_SENT:
            item = ValueError(f"it is {end - place} characters of JSON, and {ITEM_BYTES} is the most")
        items.append(item if len(items) < BATCH_ITEMS else None)
        place = _next(text, end)
        more = text.startswith(",", place)
        if more:
            place = _next(text, place + 1)
    if not text.startswith("]", place):
        raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
    if (rest := _next(text, place + 1)) < len(text):
        raise json.JSONDecodeError("Extra data", text, rest)
    return items


def _next(text: str, place: int) -> int:
    """Return where the next token begins."""
    found = _WHITE_SPACE.match(text, place)
    return found.end() if found else place


def _text_of(body: bytes, most_values: int) -> str:
    """Decode a body, unless it has so many commas and opening brackets that its values would exhaust memory."""
    if sum(map(body.count, (b",", b"[", b"{"))) > most_values:
        raise _too_many_values(most_values)
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise _bad(f"The body is not UTF-8 at byte {error.start}.") from None


def _values(value: Any) -> Iterator[Any]:
    """Yield a value and every value inside it."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _unreadable(fault: ValueError | RecursionError) -> Rejection:
    match fault:
        case json.JSONDecodeError():
            return _bad(f"The body is not JSON: {fault.msg} at line {fault.lineno}, column {fault.colno}.")
        case RecursionError():
            return _bad("The body is nested too deeply.")
    return _bad("The body holds a number with more digits than can be read.")


def _bad(detail: str) -> Rejection:
    return Rejection(HTTPStatus.BAD_REQUEST, "bad-request", detail)


def too_large(fault: str) -> Rejection:
    """Return the refusal of a body that exceeds a limit, which `fault` names."""
    detail = f"{fault}: nothing was taken. If it is a list, send it in parts."
    return Rejection(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", detail)


def _too_many_values(most: int) -> Rejection:
    return too_large(f"The body holds more than {most} values, the limit of this route")
