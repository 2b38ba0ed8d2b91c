"""Working memory of a conversation, by region. A trigger on messages fills `conversation`, callers write the others.

A conversation is a producer's id of a chat or tab, or None, the conversation of messages that name none.
"""

from collections.abc import Sequence
from uuid import UUID

from schemas.context.context import NewEntry, WorkingMemoryEntry
from schemas.errors import Refused
from schemas.limits import REGIONS
from store.transaction import Transaction


def entries(tx: Transaction, being_id: UUID, conversation: str | None) -> list[WorkingMemoryEntry]:
    """The entries of a conversation's working memory, by region, each region in order; without muted messages."""
    return tx.rows(
        WorkingMemoryEntry,
        """
        select w.entry_id, w.conversation, w.region, w.role, coalesce(w.content, m.content) as content,
            m.role = 'other' as other, m.speaker, w.message_id, w.said_at
        from memory.working_memory as w
        left join memory.messages as m using (being_id, message_id)
        where w.being_id = %s and coalesce(w.conversation, '') = coalesce(%s, '')
            and not (w.message_id is not null and memory.is_muted(w.being_id, 'message', w.message_id))
        order by w.region, w.said_at, coalesce(w.message_id, w.entry_id)
        """,
        [being_id, conversation],
    )


def add(tx: Transaction, being_id: UUID, conversation: str | None, region: str, new: Sequence[NewEntry]) -> None:
    """Append entries to a conversation's region. A region with more than 40 entries is cut to the newest 20.

    Raises:
        Refused: The region is new, and the conversation has the most regions that are allowed.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])
    others = tx.value(
        """
        select count(distinct region)
        from memory.working_memory
        where being_id = %s and coalesce(conversation, '') = coalesce(%s, '') and region <> %s
        """,
        [being_id, conversation, region],
    )
    if others >= REGIONS:
        raise Refused(f"This conversation has {REGIONS} regions, which is the most: empty one first.")
    tx.execute(
        """
        insert into memory.working_memory (being_id, conversation, region, role, content)
        select %s, %s, %s, new.role, new.content
        from unnest(%s::text[], %s::text[]) with ordinality as new (role, content, place)
        order by new.place
        """,
        [being_id, conversation, region, [entry.role for entry in new], [entry.content for entry in new]],
    )
    tx.execute("select memory.trim_working_memory(%s, %s, %s)", [being_id, conversation, region])


def replace(tx: Transaction, being_id: UUID, conversation: str | None, region: str, new: Sequence[NewEntry]) -> None:
    """Replace the entries of a conversation's region; without entries the region is removed.

    Raises:
        Refused: The region is new, and the conversation has the most regions that are allowed.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])
    tx.execute(
        """
        delete from memory.working_memory
        where being_id = %s and coalesce(conversation, '') = coalesce(%s, '') and region = %s
        """,
        [being_id, conversation, region],
    )
    if new:
        add(tx, being_id, conversation, region, new)
