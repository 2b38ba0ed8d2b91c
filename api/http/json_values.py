"""Parses JSON from clients: the number of values is limited before and after parsing, and errors name the place."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice
from typing import Any

from api.http.problems import Rejection
from memory.text.json_spans import elements, next_token
from schemas.limits import BATCH_ITEMS, BATCH_VALUES, ITEM_BYTES
from schemas.text.storable import decoded

# Escaping each character can make an item up to three times as long as it is when stored.
LONGEST_ITEM_AS_SENT = 4 * ITEM_BYTES
# A text of 5 MB has about as many.
MOST_COMMAS_IN_TEXT = 100_000


def read_json(body: bytes, most_values: int) -> Any:
    """Read JSON.

    Args:
        body: JSON in UTF-8.
        most_values: The most values that it may hold.

    Raises:
        Rejection: It is not JSON, or holds more values; the text names the place and quotes nothing.
    """
    # Strings contain commas too, so the bound before parsing is ten times that of values.
    text = text_of(body, 10 * most_values)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise unreadable(fault) from None
    if next(islice(_values(value), most_values, None), None) is not None:
        raise _too_many_values(most_values)
    return value


def read_batch(body: bytes) -> Any:
    """Parse JSON; a list item by item, so that other threads run between items.

    Args:
        body: JSON in UTF-8.

    Returns:
        The value. An item that is too long, and not for a long text, is replaced by a `ValueError` that says so; items
        after the thousandth are replaced by None.

    Raises:
        Rejection: It is not JSON, or holds too many values; the text names the place and quotes nothing.
    """
    text = text_of(body, BATCH_VALUES)
    try:
        start = next_token(text, 0)
        if text.startswith("[", start):
            return _items(text, start + 1)
        if _is_excessive(text, 0, len(text)):
            raise too_large(f"The body is longer than {LONGEST_ITEM_AS_SENT} bytes, and is a single item")
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise unreadable(fault) from None


def _is_excessive(text: str, began: int, end: int) -> bool:
    """Whether an item is longer than any, and not for a long text in it, of which the beginning may be kept."""
    return end - began > LONGEST_ITEM_AS_SENT and text.count(",", began, end) > MOST_COMMAS_IN_TEXT


def _items(text: str, start: int) -> list[Any]:
    """Parse the items of a list whose opening bracket ends at `start`."""
    decoder = json.JSONDecoder()
    items: list[Any] = []
    for item, began, end in elements(text, start, "]", lambda place: decoder.raw_decode(text, place)):
        kept: Any = item if len(items) < BATCH_ITEMS else None
        if _is_excessive(text, began, end):
            kept = ValueError(f"it is {end - began} characters of JSON, and {ITEM_BYTES} is the most")
        items.append(kept)
    return items


def text_of(body: bytes, most_values: int) -> str:
    """Decode a body, unless the number of its commas and opening brackets shows that its values would exhaust memory.

    Raises:
        Rejection: It has, or is not UTF-8.
    """
    if sum(map(body.count, (b",", b"[", b"{"))) > most_values:
        raise _too_many_values(most_values)
    try:
        return decoded(body)
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


def unreadable(fault: ValueError | RecursionError) -> Rejection:
    """Return the refusal of a body that a JSON parser rejects; the text names the place and quotes nothing."""
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
