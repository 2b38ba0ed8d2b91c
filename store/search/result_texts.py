"""The texts of results, read for the few that are shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from schemas.search import Kind
from schemas.talk.messages import SaidMessage
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ItemText:
    """A result as its own table holds it.

    Attributes:
        id: Its id in other routes.
        content: Its content: text, or a scene or summary as JSON.
    """

    kind: Kind
    item_id: UUID
    id: str
    producer_id: str | None
    content: Any
    feeling: str | None


def texts_of(tx: Transaction, being_id: UUID, user_id: UUID, items: Sequence[tuple[Kind, UUID]]) -> list[ItemText]:
    """The texts of these items; none for those that are gone by now."""
    return tx.rows(
        ItemText,
        """
        select q.kind, q.item_id, told.*
        from unnest(%(kinds)s::memory.search_kind[], %(items)s::uuid[]) as q (kind, item_id),
        lateral (
            select m.message_id::text as id, m.producer_id, to_jsonb(m.content) as content, null as feeling
            from memory.messages as m
            where q.kind = 'message' and m.being_id = %(being)s and m.message_id = q.item_id
            union all
            select n.node_id::text, o.producer_id, n.scene, n.feeling
            from memory.memory_nodes as n
            join memory.notes as o using (being_id, note_id)
            where q.kind = 'node' and n.being_id = %(being)s and n.node_id = q.item_id
            union all
            select f.fact_id::text, null, to_jsonb(f.content), null
            from memory.facts as f
            where q.kind = 'fact' and f.user_id = %(user)s and f.fact_id = q.item_id and f.status = 'ACTIVE'
                and (f.being_id = %(being)s or f.being_id is null)
            union all
            select * from (
                select s.session_id::text, null, s.content, null
                from memory.session_summaries as s
                where q.kind = 'summary' and s.being_id = %(being)s and s.session_id = q.item_id
                order by s.version desc
                limit 1
            ) as newest
            union all
            select d.day::text, null, to_jsonb(d.text), null
            from memory.diary as d
            where q.kind = 'diary' and d.being_id = %(being)s
                and d.day = to_date(right(q.item_id::text, 8), 'YYYYMMDD')
            union all
            select r.id, null, to_jsonb(r.text), null
            from memory.vault_heads as h
            join memory.vault_records as r using (user_id, id, version)
            where q.kind = 'vault' and h.user_id = %(user)s and h.id = right(q.item_id::text, 12) and h.live
                and (h.being_id = %(being)s or h.being_id is null)
            union all
            select o.note_id::text, o.producer_id, to_jsonb(concat_ws(E'\n', o.title, o.content #>> '{}')), null
            from memory.notes as o
            where q.kind = 'knowledge' and o.being_id = %(being)s and o.note_id = q.item_id and o.type = 'knowledge'
        ) as told
        """,
        {
            "being": being_id,
            "user": user_id,
            "kinds": [kind for kind, _ in items],
            "items": [item_id for _, item_id in items],
        },
    )


def messages_at(tx: Transaction, being_id: UUID, places: Sequence[int]) -> list[SaidMessage]:
    """The messages of these documents, ordered by time."""
    return tx.rows(
        SaidMessage,
        """
        select m.message_id, m.session_id, m.speaker, m.role, m.content, m.created_at
        from memory.search_documents as d
        join memory.messages as m on m.being_id = d.owner_id and m.message_id = d.item_id
        where d.owner_id = %s and d.document_id = any(%s) and d.kind = 'message'
        order by m.created_at, m.message_id
        """,
        [being_id, list(places)],
    )


def neighbours(
    tx: Transaction, being_id: UUID, message_ids: Sequence[UUID], count: int, as_of: datetime | None, *, muted: bool
) -> dict[UUID, tuple[list[SaidMessage], list[SaidMessage]]]:
    """Up to `count` messages before and after each of these in its conversation; muted ones with `muted` alone."""
    found: dict[UUID, tuple[list[SaidMessage], list[SaidMessage]]] = {one: ([], []) for one in message_ids}
    rows = tx.execute(
        """
        select c.message_id as centre, near.*
        from memory.messages as c
        cross join lateral (
            (
                select false as is_after, m.message_id, m.session_id, m.speaker, m.role, m.content, m.created_at
                from memory.messages as m
                where m.being_id = c.being_id and m.session_id = c.session_id
                    and (m.created_at, m.message_id) < (c.created_at, c.message_id)
                    and (%(as_of)s::timestamptz is null or least(m.created_at, m.received_at) <= %(as_of)s)
                    and (%(muted)s or not memory.is_muted(m.being_id, 'message', m.message_id))
                order by m.created_at desc, m.message_id desc
                limit %(count)s
            )
            union all
            (
                select true, m.message_id, m.session_id, m.speaker, m.role, m.content, m.created_at
                from memory.messages as m
                where m.being_id = c.being_id and m.session_id = c.session_id
                    and (m.created_at, m.message_id) > (c.created_at, c.message_id)
                    and (%(as_of)s::timestamptz is null or least(m.created_at, m.received_at) <= %(as_of)s)
                    and (%(muted)s or not memory.is_muted(m.being_id, 'message', m.message_id))
                order by m.created_at, m.message_id
                limit %(count)s
            )
        ) as near
        where c.being_id = %(being)s and c.message_id = any(%(messages)s)
        order by near.created_at, near.message_id
        """,
        {"being": being_id, "messages": list(message_ids), "count": count, "as_of": as_of, "muted": muted},
    )
    for row in rows:
        found[row.pop("centre")][row.pop("is_after")].append(SaidMessage(**row))
    return found
