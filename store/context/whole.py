"""A memory as a whole, read only where it is small enough to be shown."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row

from schemas.facts.fact_rows import Fact
from schemas.nodes.nodes import Node
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """A message, with the session that it belongs to."""

    message_id: UUID
    session_id: UUID
    speaker: str | None
    role: str
    content: str
    created_at: datetime


def talk(
    tx: Transaction, being_id: UUID, apart_from: Collection[UUID], *, most: int, most_bytes: int
) -> list[SaidMessage] | None:
    """All indexed messages to a Being but some, in the order of their sessions; None if these limits allow no more.

    Args:
        tx: The transaction.
        being_id: The Being.
        apart_from: Messages that are left out.
        most: How many messages.
        most_bytes: How many bytes of text they have together.
    """
    named = {"being": being_id, "apart": list(apart_from), "most": most, "bytes": most_bytes}
    (counted,) = tx.execute(
        # No text is read while it is counted.
        """
        select count(*) <= %(most)s and coalesce(sum(octet_length(m.content)), 0) <= %(bytes)s as fits
        from (
            select d.item_id
            from memory.search_documents as d
            where d.owner_id = %(being)s and d.kind = 'message' and d.item_id <> all(%(apart)s)
                and not memory.is_muted(%(being)s, 'message', d.item_id)
            order by d.item_id
            limit %(most)s + 1
        ) as first_ones
        join memory.messages as m on m.being_id = %(being)s and m.message_id = first_ones.item_id
        """,
        named,
    )
    if not counted["fits"]:
        return None
    with tx.cursor(row_factory=class_row(SaidMessage)) as cursor:
        return cursor.execute(
            """
            select m.message_id, m.session_id, m.speaker, m.role, m.content, m.created_at
            from memory.search_documents as d
            join memory.tellable_messages as m on m.being_id = d.owner_id and m.message_id = d.item_id
            join memory.sessions as s on s.being_id = m.being_id and s.session_id = m.session_id
            where d.owner_id = %(being)s and d.kind = 'message' and d.item_id <> all(%(apart)s)
            order by s.started_at, s.session_id, m.created_at, m.message_id
            """,
            named,
        ).fetchall()


def facts(tx: Transaction, user_id: UUID, being_id: UUID, *, most: int, most_bytes: int) -> list[Fact] | None:
    """All active facts that a Being knows, oldest first; None if there are more than these limits allow.

    Args:
        tx: The transaction.
        user_id: The user.
        being_id: The Being.
        most: How many facts.
        most_bytes: How many bytes of text they have together.
    """
    with tx.cursor(row_factory=class_row(Fact)) as cursor:
        found = cursor.execute(
            """
            select *
            from memory.tellable_facts
            where user_id = %s and status = 'ACTIVE' and (being_id = %s or being_id is null)
            order by fact_id
            limit %s
            """,
            [user_id, being_id, most + 1],
        ).fetchall()
    fits = len(found) <= most and sum(len(fact.content.encode()) for fact in found) <= most_bytes
    return found if fits else None


def nodes(tx: Transaction, being_id: UUID, *, most: int) -> list[Node]:
    """All active and dying nodes of a Being, oldest first; none if there are more than `most`."""
    with tx.cursor(row_factory=class_row(Node)) as cursor:
        found = cursor.execute(
            """
            select *
            from memory.tellable_nodes
            where being_id = %s and status <> 'dead'
            order by created_at, node_id
            limit %s
            """,
            [being_id, most + 1],
        ).fetchall()
    return found if len(found) <= most else []
