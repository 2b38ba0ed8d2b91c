"""Knowledge under keys that no query nominates: values that were put lately and are not indexed yet, and all by age."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from store.search.scope import KeyedFilter
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class UnindexedKnowledge:
    """Knowledge that waits for its words to be indexed or for its vector, with the text that it is found by."""

    note_id: UUID
    text: str
    at: datetime


def newest(tx: Transaction, among: KeyedFilter, apart_from: Sequence[UUID], limit: int, offset: int) -> list[UUID]:
    """The ids of knowledge apart from some, the newest first."""
    return tx.column(
        """
        select n.note_id
        from memory.keyed_knowledge(%(being)s, %(from)s, %(to)s, %(equal)s, %(filter)s) as n
        where n.note_id <> all(%(apart_from)s)
        order by coalesce(n.updated_at, n.received_at) desc, n.note_id desc
        limit %(limit)s offset %(offset)s
        """,
        {**among.named, "apart_from": list(apart_from), "limit": limit, "offset": offset},
    )


def unindexed(tx: Transaction, among: KeyedFilter, limit: int) -> list[UnindexedKnowledge]:
    """Knowledge that waits for its words to be indexed or for its vector, the newest first."""
    return tx.rows(
        UnindexedKnowledge,
        """
        select n.note_id, coalesce(n.search_text, n.content::text) as text,
            coalesce(n.updated_at, n.received_at) as at
        from (
            select item_id, max(queued_at) as queued_at
            from memory.search_queue
            where owner_id = %(being)s and kind = 'knowledge'
            group by item_id
        ) as q
        join memory.keyed_knowledge(%(being)s, %(from)s, %(to)s, %(equal)s, %(filter)s) as n
            on n.note_id = q.item_id
        order by q.queued_at desc, n.note_id desc
        limit %(limit)s
        """,
        {**among.named, "limit": limit},
    )
