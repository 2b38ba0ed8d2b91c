"""Keyset pagination: a cursor encodes the sort key of a page's last row, and the next page starts after it.

Callers select one row more than the page size, which shows whether there is another page.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import TypeVar
from uuid import UUID

from memory.text.errors import InvalidRequest

T = TypeVar("T")
S = TypeVar("S")

Key = UUID | date | int | tuple[datetime | int, UUID | str]
"""The sort key of a list's rows."""

# The digits of a Postgres bigint, in which patrols are counted.
COUNTER_DIGITS = 18


def cut_page(found: Sequence[T], limit: int, key_of: Callable[[T], Key]) -> tuple[list[T], str | None]:
    """Cut rows in the list's order, up to `limit` + 1 of them, to one page, by the sort key of a row.

    Returns:
        The page's rows, and the cursor of the next page; None if this is the last.
    """
    shown = list(found[:limit])
    return shown, to_cursor(key_of(shown[-1])) if len(found) > limit else None


def to_cursor(key: Key) -> str:
    """Encode the sort key of a row."""
    if not isinstance(key, tuple):
        return str(key)
    first, second = key
    shown = first.isoformat() if isinstance(first, datetime) else first
    return urlsafe_b64encode(f"{shown} {second}".encode()).decode()


def parse_cursor(cursor: str | None, key: Callable[[str], T]) -> T | None:
    """Decode a cursor; None for the first page.

    Args:
        cursor: The cursor as the caller sent it.
        key: Reads the sort key of the list, and raises ValueError for other text: `UUID`, `date.fromisoformat`, or one
            of the functions below.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    try:
        return None if cursor is None else key(cursor)
    except ValueError:
        raise InvalidRequest("Invalid cursor. Omit it to start from the first page.") from None


def time_and_id(text: str) -> tuple[datetime, UUID]:
    """Read the key of a list that is sorted by time and id."""
    return _pair(text, datetime.fromisoformat, UUID)


def count_and_id(text: str) -> tuple[int, UUID]:
    """Read the key of a list that is sorted by a count and id."""
    return _pair(text, _counted, UUID)


def count_and_name(text: str) -> tuple[int, str]:
    """Read the key of a list that is sorted by a count and a name."""
    return _pair(text, _counted, _named)


def version(text: str) -> int:
    """Read the key of a list of numbered versions."""
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise ValueError
    return int(text)


def _pair(text: str, first: Callable[[str], T], second: Callable[[str], S]) -> tuple[T, S]:
    one, _, other = urlsafe_b64decode(text.encode()).decode().partition(" ")
    return first(one), second(other)


def _counted(text: str) -> int:
    # A longer number would overflow bigint in the query; truncated, it is a valid position past every row.
    return int(text[:COUNTER_DIGITS])


def _named(text: str) -> str:
    if "\0" in text:
        raise ValueError
    return text
