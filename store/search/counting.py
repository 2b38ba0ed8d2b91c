"""The messages and memories that hold some words, each with its time and speaker, to be counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from store.search.scope import IN_TIME, TELLABLE, SearchScope
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Mention:
    """A message or memory that holds the words; `speaker` is None for a memory."""

    kind: Literal["message", "node"]
    item_id: UUID
    said_at: datetime
    speaker: str | None


def mentions_of(
    tx: Transaction, scope: SearchScope, terms: Sequence[int], called: Mapping[str, str], limit: int
) -> list[Mention]:
    """The messages that stand and the living memories that hold all of these terms, in the order of their times.

    Args:
        tx: The transaction.
        scope: The documents to count in.
        terms: Digests of terms, the rarest first.
        called: A name for each role whose messages may come without a speaker's.
        limit: The most of them, the latest.
    """
    found = tx.rows(
        Mention,
        f"""
        select d.kind::text as kind, d.item_id, d.said_at,
            coalesce(m.speaker, %(called)s::jsonb ->> m.role) as speaker
        from memory.search_postings as p
        join memory.search_documents as d using (owner_id, document_id)
        left join memory.messages as m
            on d.kind = 'message' and m.being_id = d.owner_id and m.message_id = d.item_id
        left join memory.memory_nodes as n
            on d.kind = 'node' and n.being_id = d.owner_id and n.node_id = d.item_id
            and n.forgotten_at is null and n.absorbed_into is null
        where p.owner_id = %(being)s and p.term = %(first)s and p.kind in ('message', 'node')
            and d.terms @> %(terms)s::bigint[]
            and (m.message_id is not null or n.node_id is not null)
            and {IN_TIME} and {TELLABLE}
        order by d.said_at desc, d.item_id desc
        limit %(limit)s
        """,  # noqa: S608  # of constants
        {**scope.named, "first": terms[0], "terms": list(terms), "called": Jsonb(called), "limit": limit},
    )
    return found[::-1]
