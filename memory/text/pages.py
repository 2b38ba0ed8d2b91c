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

# The digits of a Postgres bigint, in which patrols are counted.
COUNTER_DIGITS = 18


def cut_page(found: Sequence[T], limit: int, cursor_of: Callable[[T], str]) -> tuple[list[T], str | None]:
    """Cut selected rows to one page.

    Args:
        found: Rows in the list's order, up to `limit` + 1.
        limit: The page size, at least one.
        cursor_of: Makes the cursor of a page that ends with this row.

    Returns:
        The page's rows, and the cursor of the next page; None if this is the last.
    """
    shown = list(found[:limit])
    return shown, cursor_of(shown[-1]) if len(found) > limit else None


def pair_cursor(first: datetime | int, second: UUID | str) -> str:
    """Encode the cursor of a list that is sorted by a time or a count, and then by an id or a name."""
    shown = first.isoformat() if isinstance(first, datetime) else first
    return urlsafe_b64encode(f"{shown} {second}".encode()).decode()


def parse_time_cursor(cursor: str | None) -> tuple[datetime, UUID] | None:
    """Decode the cursor of a list sorted by time and id; None for the first page.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    return _parsed_pair(cursor, datetime.fromisoformat, UUID)


def parse_count_cursor(cursor: str | None) -> tuple[int, UUID] | None:
    """Decode the cursor of a list sorted by a count and id; None for the first page.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    return _parsed_pair(cursor, _counted, UUID)


def parse_name_cursor(cursor: str | None) -> tuple[int, str] | None:
    """Decode the cursor of a list sorted by a count and a name; None for the first page.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    return _parsed_pair(cursor, _counted, _named)


def parse_id_cursor(cursor: str | None) -> UUID | None:
    """Decode the cursor of a list sorted by id; None for the first page.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    return _parsed(cursor, UUID)


def parse_version_cursor(cursor: str | None) -> int | None:
    """Decode the cursor of a list of numbered versions; None for the first page.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """

    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise ValueError
        return int(text)

    return _parsed(cursor, parse)


def parse_day_cursor(cursor: str | None) -> date | None:
    """Decode the cursor of a list of days; None for the first page.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    return _parsed(cursor, date.fromisoformat)


def _parsed(cursor: str | None, parse: Callable[[str], T]) -> T | None:
    """Parse a cursor by a function that raises ValueError for others; None for the first page."""
    try:
        return None if cursor is None else parse(cursor)
    except ValueError:
        raise InvalidRequest("Invalid cursor. Omit it to start from the first page.") from None


def _parsed_pair(cursor: str | None, first: Callable[[str], T], second: Callable[[str], S]) -> tuple[T, S] | None:
    def parse(text: str) -> tuple[T, S]:
        one, _, other = urlsafe_b64decode(text.encode()).decode().partition(" ")
        return first(one), second(other)

    return _parsed(cursor, parse)


def _counted(text: str) -> int:
    # A longer number would overflow bigint in the query; truncated, it is a valid position past every row.
    return int(text[:COUNTER_DIGITS])


def _named(text: str) -> str:
    if "\0" in text:
        raise ValueError
    return text
