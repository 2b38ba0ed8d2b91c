"""What is in a Being's mind, region by region. The conversation comes there by trigger, the rest by callers."""

from collections.abc import Sequence
from uuid import UUID

from psycopg.rows import class_row

from schemas.context import MindEntry, NewEntry
from schemas.limits import REGIONS
from store.errors import Refused
from store.transaction import Transaction, value


def entries(tx: Transaction, being_id: UUID) -> list[MindEntry]:
    """All that is in the Being's mind, by region, within a region as it was said."""
    with tx.cursor(row_factory=class_row(MindEntry)) as cursor:
        return cursor.execute(
            "select w.entry_id, w.region, w.role, coalesce(w.content, m.content) as content, m.role = 'other' as other,"
            " m.speaker, w.message_id, w.said_at"
            " from memory.working_memory as w left join memory.messages as m using (being_id, message_id)"
            " where w.being_id = %s order by w.region, w.said_at, coalesce(w.message_id, w.entry_id)",
            [being_id],
        ).fetchall()


def add(tx: Transaction, being_id: UUID, region: str, new: Sequence[NewEntry]) -> None:
    """Put entries at the end of a region; where it gets longer than 40 only the newest 20 stay.

    Raises:
        Refused: The Being has as many regions as it may have, and this would be one more.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])
    others = value(
        tx,
        "select count(distinct region) from memory.working_memory where being_id = %s and region <> %s",
        [being_id, region],
    )
    if others >= REGIONS:
        raise Refused(f"This Being has {REGIONS} regions, which is the most: empty one first.")
    tx.execute(
        "insert into memory.working_memory (being_id, region, role, content)"
        " select %s, %s, new.role, new.content"
        " from unnest(%s::text[], %s::text[]) with ordinality as new (role, content, place) order by new.place",
        [being_id, region, [entry.role for entry in new], [entry.content for entry in new]],
    )
    tx.execute("select memory.trim_working_memory(%s, %s)", [being_id, region])


def replace(tx: Transaction, being_id: UUID, region: str, new: Sequence[NewEntry]) -> None:
    """Let a region hold these entries and nothing else; with none it is gone.

    Raises:
        Refused: The Being has as many regions as it may have, and this would be one more.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])
    tx.execute("delete from memory.working_memory where being_id = %s and region = %s", [being_id, region])
    if new:
        add(tx, being_id, region, new)
