"""Working memory by region. A trigger on messages fills the conversation, callers write the other regions."""

from collections.abc import Sequence
from uuid import UUID

from psycopg.rows import class_row

from schemas.context.context import NewEntry, WorkingMemoryEntry
from schemas.limits import REGIONS
from store.errors import Refused
from store.transaction import Transaction, value


def entries(tx: Transaction, being_id: UUID) -> list[WorkingMemoryEntry]:
    """All entries of the Being's working memory, by region, each region in the order of its entries."""
    with tx.cursor(row_factory=class_row(WorkingMemoryEntry)) as cursor:
        return cursor.execute(
            """
            select w.entry_id, w.region, w.role, coalesce(w.content, m.content) as content, m.role = 'other' as other,
                m.speaker, w.message_id, w.said_at
            from memory.working_memory as w
            left join memory.messages as m using (being_id, message_id)
            where w.being_id = %s
            order by w.region, w.said_at, coalesce(w.message_id, w.entry_id)
            """,
            [being_id],
        ).fetchall()


def add(tx: Transaction, being_id: UUID, region: str, new: Sequence[NewEntry]) -> None:
    """Append entries to a region. A region with more than 40 entries is cut to the newest 20.

    Raises:
        Refused: The region is new, and the Being has the most regions that are allowed.
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
        """
        insert into memory.working_memory (being_id, region, role, content)
        select %s, %s, new.role, new.content
        from unnest(%s::text[], %s::text[]) with ordinality as new (role, content, place)
        order by new.place
        """,
        [being_id, region, [entry.role for entry in new], [entry.content for entry in new]],
    )
    tx.execute("select memory.trim_working_memory(%s, %s)", [being_id, region])


def replace(tx: Transaction, being_id: UUID, region: str, new: Sequence[NewEntry]) -> None:
    """Replace the entries of a region; without entries the region is removed.

    Raises:
        Refused: The region is new, and the Being has the most regions that are allowed.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])
    tx.execute("delete from memory.working_memory where being_id = %s and region = %s", [being_id, region])
    if new:
        add(tx, being_id, region, new)
