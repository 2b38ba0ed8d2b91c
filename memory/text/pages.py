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


def time_cursor(moment: datetime, row_id: UUID) -> str:
    """Encode the cursor of a list sorted by time and id."""
    return urlsafe_b64encode(f"{moment.isoformat()} {row_id}".encode()).decode()


def parse_time_cursor(cursor: str | None) -> tuple[datetime, UUID] | None:
    """Decode a cursor from `time_cursor`; None for the first page.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """

    def parse(text: str) -> tuple[datetime, UUID]:
        moment, row_id = urlsafe_b64decode(text.encode()).decode().split(" ")
        return datetime.fromisoformat(moment), UUID(row_id)

    return _parsed(cursor, parse)


def count_cursor(count: int, row_id: UUID) -> str:
    """Encode the cursor of a list sorted by a patrol count and id."""
    return f"{row_id}/{count}"


def parse_count_cursor(cursor: str | None) -> tuple[int, UUID] | None:
    """Decode a cursor from `count_cursor`; None for the first page.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """

    def parse(text: str) -> tuple[int, UUID]:
        row_id, _, count = text.partition("/")
        # A longer number would overflow bigint in the query; truncated, it is a valid position past every row.
        return int(count[:COUNTER_DIGITS]), UUID(row_id)

    return _parsed(cursor, parse)


def name_cursor(count: int, name: str) -> str:
    """Encode the cursor of a list sorted by a count and a name."""
    return urlsafe_b64encode(f"{count} {name}".encode()).decode()


def parse_name_cursor(cursor: str | None) -> tuple[int, str] | None:
    """Decode a cursor from `name_cursor`; None for the first page.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """

    def parse(text: str) -> tuple[int, str]:
        count, _, name = urlsafe_b64decode(text.encode()).decode().partition(" ")
        if "\0" in name:
            raise ValueError
        return int(count[:COUNTER_DIGITS]), name

    return _parsed(cursor, parse)


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
