"""Long lists, page by page: a cursor says where a page ended, and the next begins behind it.

Whoever makes a page reads one row more than it holds, which tells whether there is another page.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from memory.questions import BadQuestion

T = TypeVar("T")

# So many fit into what Postgres counts patrols with.
COUNTER_DIGITS = 18


def cut(found: Sequence[T], limit: int, cursor_of: Callable[[T], str]) -> tuple[list[T], str | None]:
    """Cut what was found to a page.

    Args:
        found: Rows in the order of the list, one more than the page holds if there are so many.
        limit: How many rows the page holds, at least one.
        cursor_of: The cursor of a page that ends with this row.

    Returns:
        The rows of the page, and its cursor: None where the list ends with it.
    """
    shown = list(found[:limit])
    return shown, cursor_of(shown[-1]) if len(found) > limit else None


def write_moment(moment: datetime, row_id: UUID) -> str:
    """The cursor of a list in order of time."""
    return urlsafe_b64encode(f"{moment.isoformat()} {row_id}".encode()).decode()


def read_moment(cursor: str | None) -> tuple[datetime, UUID] | None:
    """Where a page in order of time ended; None for the first page.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    if cursor is None:
        return None
    try:
        moment, row_id = urlsafe_b64decode(cursor.encode()).decode().split(" ")
        return datetime.fromisoformat(moment), UUID(row_id)
    except ValueError:
        raise _unknown() from None


def write_count(count: int, row_id: UUID) -> str:
    """The cursor of a list in order of a count of patrols."""
    return f"{row_id}/{count}"


def read_count(cursor: str | None) -> tuple[int, UUID] | None:
    """Where a page in order of a count of patrols ended; None for the first page.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    if cursor is None:
        return None
    row_id, _, count = cursor.partition("/")
    try:
        # What is too long is cut, and so names a place that is none's.
        return int(count[:COUNTER_DIGITS]), UUID(row_id)
    except ValueError:
        raise _unknown() from None


def read_id(cursor: str | None) -> UUID | None:
    """Where a page in order of ids ended, whose cursor is the last of them; None for the first page.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    try:
        return None if cursor is None else UUID(cursor)
    except ValueError:
        raise _unknown() from None


def _unknown() -> BadQuestion:
    return BadQuestion("The cursor is none that was given out: leave it away to begin anew.")
