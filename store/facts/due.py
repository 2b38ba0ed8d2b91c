"""Due things, and notices of them (sql/functions/96_facts/70_due.sql)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import LiteralString
from uuid import UUID

from schemas.facts.due import DueItem, DueNotice
from store.transaction import Transaction

_NOTICES: LiteralString = """
    select n.notice_id, n.noticed_at, i.kind, i.item_id, i.content, i.due, i.due_at, i.due_until, i.told_at,
        i.in_confidence
    from memory.due_notices as n
    join memory.open_items(n.being_id) as i on (i.todo_id, i.note_id) is not distinct from (n.todo_id, n.note_id)
        and i.due_at = n.due_at
    where n.being_id = %(being)s
"""


@dataclass(frozen=True, slots=True)
class NewNotice:
    """A notice that was just made; `has_webhook` is true if its user has one."""

    being_id: UUID
    user_id: UUID
    notice_id: UUID
    has_webhook: bool


def page(
    tx: Transaction, being_id: UUID, *, until: datetime, after: tuple[datetime, UUID] | None, limit: int
) -> list[DueItem]:
    """A page of a Being's items that are due by a time, earliest first, starting after a time and an id."""
    return tx.rows(
        DueItem,
        """
        select kind, item_id, content, due, due_at, due_until, told_at, in_confidence
        from memory.open_items(%(being)s)
        where due_at <= %(until)s
            and (%(time)s::timestamptz is null or (due_at, item_id) > (%(time)s, %(id)s::uuid))
        order by due_at, item_id
        limit %(limit)s
        """,
        {
            "being": being_id,
            "until": until,
            "time": after and after[0],
            "id": after and after[1],
            "limit": limit,
        },
    )


def notice(tx: Transaction, *, within: timedelta, limit: int) -> list[NewNotice]:
    """Make notices of due todos, promises and reminders that have none, in the order of their ids.

    Args:
        tx: The transaction; while another one does the same, this does nothing.
        within: The age from which a due item gets no notice.
        limit: The most todos, and the most reminders.
    """
    return tx.rows(NewNotice, "select * from memory.notice_due(%s, %s)", [limit, within])


def notices(tx: Transaction, being_id: UUID, *, after: UUID | None, limit: int) -> list[DueNotice]:
    """The notices of a Being after one, in their order; those of items that are no longer open are left out."""
    return tx.rows(
        DueNotice,
        _NOTICES + " and (%(after)s::uuid is null or n.notice_id > %(after)s) order by n.notice_id limit %(limit)s",
        {"being": being_id, "after": after, "limit": limit},
    )


def undelivered(tx: Transaction, being_id: UUID, notice_id: UUID) -> DueNotice | None:
    """A notice that is to be delivered; None if it was, or if its item is no longer open at that time."""
    return tx.row(
        DueNotice,
        _NOTICES + " and n.notice_id = %(notice)s and n.delivered_at is null",
        {"being": being_id, "notice": notice_id},
    )


def mark_delivered(tx: Transaction, being_id: UUID, notice_id: UUID) -> None:
    """Record that the webhook received a notice."""
    tx.execute(
        "update memory.due_notices set delivered_at = memory.now() where being_id = %s and notice_id = %s",
        [being_id, notice_id],
    )
