"""Knowledge under keys as a search sees it: within a namespace, by a filter on its fields, by words and by meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.limits import KEYED_BYTES
from store.nodes.embeddings import Vector, halfvec
from store.search.lexical import Rarities
from store.transaction import Transaction

# No label is as long, so by code points each comes before it.
BEYOND = "\U0010ffff" * KEYED_BYTES


@dataclass(frozen=True, slots=True)
class Among:
    """Which knowledge to look at: a Being's, in a namespace and those below it, whose fields fit a filter."""

    being_id: UUID
    namespace_prefix: Sequence[str]
    filter: Mapping[str, Any]

    @property
    def named(self) -> dict[str, object]:
        """As parameters of a statement."""
        prefix, fields = [*self.namespace_prefix], dict(self.filter)
        return {
            "being": self.being_id,
            # A namespace that begins with the prefix stands from the prefix on, up to the next last label.
            "from": prefix,
            "to": [*prefix[:-1], f"{prefix[-1]}\x01"] if prefix else [BEYOND],
            # Null is not among them: it is also equal to what is absent.
            "equal": Jsonb({name: wanted for name, wanted in fields.items() if isinstance(wanted, str | int | float)}),
            "filter": Jsonb(fields),
        }


@dataclass(frozen=True, slots=True)
class Unindexed:
    """Knowledge that waits for its words to be indexed or for its vector, with the text that it is found by."""

    note_id: UUID
    text: str
    at: datetime


def newest(tx: Transaction, among: Among, apart_from: Sequence[UUID], limit: int, offset: int) -> list[UUID]:
    """The ids of knowledge apart from some, the newest first."""
    rows = tx.execute(
        """
        select n.note_id
        from memory.keyed_knowledge(%(being)s, %(from)s, %(to)s, %(equal)s, %(filter)s) as n
        where n.note_id <> all(%(apart_from)s)
        order by coalesce(n.updated_at, n.received_at) desc, n.note_id desc
        limit %(limit)s offset %(offset)s
        """,
        {**among.named, "apart_from": list(apart_from), "limit": limit, "offset": offset},
    )
    return [row["note_id"] for row in rows]


def by_words(
    tx: Transaction,
    among: Among,
    known: Rarities,
    weights: Mapping[int, float],
    *,
    saturation: float,
    length_weight: float,
    limit: int,
) -> list[int]:
    """The documents that hold these terms, best first by BM25 (`rank_by_words` in sql/functions/65_search)."""
    terms = [term for term in weights if term in known.counts]
    rows = tx.execute(
        """
        select p.document_id
        from unnest(%(terms)s::bigint[], %(weights)s::double precision[]) as asked (term, weight)
        join memory.search_postings as p
            on p.owner_id = %(being)s and p.kind = 'knowledge' and p.term = asked.term
        join memory.search_documents as d on d.owner_id = p.owner_id and d.document_id = p.document_id
        join memory.keyed_knowledge(%(being)s, %(from)s, %(to)s, %(equal)s, %(filter)s) as n
            on n.note_id = d.item_id
        group by p.document_id
        order by sum(asked.weight * p.times * (%(saturation)s + 1)
            / (p.times + %(saturation)s * (1 - %(length_weight)s + %(length_weight)s * p.length / %(average)s))) desc,
            p.document_id desc
        limit %(limit)s
        """,
        {
            **among.named,
            "terms": terms,
            "weights": [weights[term] for term in terms],
            "average": known.average,
            "saturation": saturation,
            "length_weight": length_weight,
            "limit": limit,
        },
    )
    return [row["document_id"] for row in rows]


def by_meaning(tx: Transaction, among: Among, model: str, vector: Vector, limit: int) -> list[int]:
    """The documents with the nearest vectors, nearest first; all are compared."""
    rows = tx.execute(
        """
        select v.document_id
        from memory.search_vectors as v
        join memory.search_documents as d on d.owner_id = v.owner_id and d.document_id = v.document_id
        join memory.keyed_knowledge(%(being)s, %(from)s, %(to)s, %(equal)s, %(filter)s) as n
            on n.note_id = d.item_id
        where v.owner_id = %(being)s and v.embedding_model = %(model)s and v.kind = 'knowledge'
        group by v.document_id
        order by min(v.vector <#> %(query)s::halfvec), v.document_id
        limit %(limit)s
        """,
        {**among.named, "model": model, "query": halfvec(vector), "limit": limit},
    )
    return [row["document_id"] for row in rows]


def unindexed(tx: Transaction, among: Among, limit: int) -> list[Unindexed]:
    """Knowledge that waits for its words to be indexed or for its vector, the newest first."""
    with tx.cursor(row_factory=class_row(Unindexed)) as cursor:
        return cursor.execute(
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
        ).fetchall()
