"""A memory as a whole, read only where it is small enough to be shown."""

from collections.abc import Collection
from uuid import UUID

from schemas.facts.fact_rows import Fact
from schemas.nodes.nodes import Node
from schemas.talk.messages import SaidMessage
from store.transaction import Transaction


def talk(
    tx: Transaction, being_id: UUID, apart_from: Collection[UUID], *, most: int, most_bytes: int
) -> list[SaidMessage] | None:
    """All indexed messages to a Being but some, in the order of their sessions; None if these limits allow no more.

    Args:
        apart_from: Messages that are left out.
        most: How many messages.
        most_bytes: How many bytes of text they have together.
    """
    named = {"being": being_id, "apart": list(apart_from), "most": most, "bytes": most_bytes}
    fits = tx.value(
        # The index counts its documents, the muted ones too: of a large memory nothing else is read. No text is read
        # while it is counted, and each document is looked up by its key.
        """
        select case
            when coalesce(sum(s.documents), 0) > %(most)s + cardinality(%(apart)s::uuid[]) then false
            else (
                select count(*) <= %(most)s and coalesce(sum(octet_length(m.content)), 0) <= %(bytes)s
                from memory.tellable_messages as m,
                lateral (
                    select from memory.search_documents as d
                    where d.owner_id = m.being_id and d.kind = 'message' and d.item_id = m.message_id
                    limit 1
                ) as indexed
                where m.being_id = %(being)s and m.message_id <> all(%(apart)s)
            )
        end
        from memory.search_statistics as s
        where s.owner_id = %(being)s and s.kind = 'message'
        """,
        named,
    )
    if not fits:
        return None
    return tx.rows(
        SaidMessage,
        """
        select m.message_id, m.session_id, m.speaker, m.role, m.content, m.created_at
        from memory.tellable_messages as m
        join memory.sessions as s on s.being_id = m.being_id and s.session_id = m.session_id,
        lateral (
            select from memory.search_documents as d
            where d.owner_id = m.being_id and d.kind = 'message' and d.item_id = m.message_id
            limit 1
        ) as indexed
        where m.being_id = %(being)s and m.message_id <> all(%(apart)s)
        order by s.started_at, s.session_id, m.created_at, m.message_id
        """,
        named,
    )


def facts(tx: Transaction, user_id: UUID, being_id: UUID, *, most: int, most_bytes: int) -> list[Fact] | None:
    """All active facts that a Being knows, oldest first; None if there are more than these limits allow.

    Args:
        most: How many facts.
        most_bytes: How many bytes of text they have together.
    """
    named = {"user": user_id, "being": being_id, "most": most, "bytes": most_bytes}
    fits = tx.value(
        """
        select count(*) <= %(most)s and coalesce(sum(octet_length(content)), 0) <= %(bytes)s
        from (
            select content
            from memory.tellable_facts
            where user_id = %(user)s and status = 'ACTIVE' and (being_id = %(being)s or being_id is null)
            limit %(most)s + 1
        ) as first_ones
        """,
        named,
    )
    if not fits:
        return None
    return tx.rows(
        Fact,
        """
        select *
        from memory.tellable_facts
        where user_id = %(user)s and status = 'ACTIVE' and (being_id = %(being)s or being_id is null)
        order by fact_id
        """,
        named,
    )


def nodes(tx: Transaction, being_id: UUID, *, most: int) -> list[Node]:
    """All active and dying nodes of a Being, oldest first; none if there are more than `most`."""
    return tx.rows(
        Node,
        """
        select *
        from memory.tellable_nodes
        where being_id = %(being)s and status <> 'dead' and (
            select count(*) <= %(most)s
            from (
                select from memory.tellable_nodes
                where being_id = %(being)s and status <> 'dead'
                limit %(most)s + 1
            ) as first_ones
        )
        order by created_at, node_id
        """,
        {"being": being_id, "most": most},
    )
