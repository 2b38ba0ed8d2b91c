"""The signals of each candidate, and of the messages around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import args_row
from psycopg.types.json import Jsonb

from schemas.search import Kind
from store.nodes.embeddings import ModelVectors, halfvec
from store.search.scope import TELLABLE, SearchScope
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class SearchCandidate:
    """A document with the signals that rank it.

    Attributes:
        times: How often each term of the question occurs in it, in the question's order.
        length: How many terms it has.
        similarity: Its cosine similarity to the question, of a long text its nearest window's; None where there is no
            telling.
        starts_at: The character at which that window begins; None for documents without vectors in the index.
        speaker: The speaker, as the producer named them, or by the name of that role's speakers; None for documents
            other than messages, and for other roles.
    """

    document_id: int
    kind: Kind
    item_id: UUID
    session_id: UUID | None
    said_at: datetime
    question: bool
    length: int
    times: list[int]
    similarity: float | None
    starts_at: int | None
    speaker: str | None


def load_candidates(
    tx: Transaction,
    scope: SearchScope,
    places: Sequence[int],
    terms: Sequence[int],
    *,
    called: Mapping[str, str],
    around: int,
    talk: ModelVectors | None,
    nodes: ModelVectors | None,
    facts: ModelVectors | None,
) -> list[SearchCandidate]:
    """The signals of these documents, and of up to `around` messages before and after each message among them.

    `called` has a name for each role whose messages may come without a speaker's name.

    The rows come in the order of their conversations: messages side by side in a conversation are so here too, as
    far as both are within `around` of a requested document.
    """
    with tx.cursor(row_factory=args_row(SearchCandidate)) as cursor:
        return cursor.execute(
            # Each row is looked up by its key: no plan that was made for few may read whole tables for many.
            f"""
            with asked as materialized (
                select d.*
                from unnest(%(places)s::bigint[]) as place (document_id),
                lateral (
                    select d.owner_id, d.document_id, d.kind, d.session_id, d.said_at, d.item_id
                    from memory.search_documents as d
                    where d.owner_id = any(%(owners)s) and d.document_id = place.document_id
                    limit 1
                ) as d
            ),
            reached as materialized (
                select owner_id, document_id, kind from asked
                union
                select near.owner_id, near.document_id, near.kind
                from asked,
                lateral (
                    (
                        select d.owner_id, d.document_id, d.kind
                        from memory.search_documents as d
                        where d.owner_id = asked.owner_id and d.session_id = asked.session_id
                            and (d.said_at, d.item_id) < (asked.said_at, asked.item_id)
                            and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)
                        order by d.said_at desc, d.item_id desc
                        limit %(around)s
                    )
                    union all
                    (
                        select d.owner_id, d.document_id, d.kind
                        from memory.search_documents as d
                        where d.owner_id = asked.owner_id and d.session_id = asked.session_id
                            and (d.said_at, d.item_id) > (asked.said_at, asked.item_id)
                            and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)
                        order by d.said_at, d.item_id
                        limit %(around)s
                    )
                ) as near
            ),
            windows as materialized (
                select near.*
                from (
                    select array_agg(owner_id) as owner_ids, array_agg(kind) as kinds, array_agg(document_id) as ids
                    from reached
                ) as those,
                memory.nearest_windows(
                    those.owner_ids, those.kinds, those.ids, %(told_model)s, %(told)b::halfvec[]
                ) as near
            ),
            -- Joined here: beside the lookups below, a plan may read all windows again for each row.
            compared as materialized (
                select reached.*, windows.similarity, windows.starts_at
                from reached
                left join windows using (document_id)
            )
            select d.document_id, d.kind::text as kind, d.item_id, d.session_id, d.said_at, d.question,
                cardinality(d.terms) as length,
                array(
                    select cardinality(array_positions(d.terms, asked.term))
                    from unnest(%(terms)s::bigint[]) with ordinality as asked (term, place)
                    order by asked.place
                ) as times,
                greatest(own.similarity, nullif(compared.similarity, 'NaN')) as similarity, compared.starts_at,
                said.speaker
            from compared,
            lateral (
                select d.*
                from memory.search_documents as d
                where d.owner_id = compared.owner_id and d.document_id = compared.document_id
                limit 1
            ) as d
            left join lateral (
                select coalesce(m.speaker, %(called)s::jsonb ->> m.role) as speaker
                from memory.messages as m
                where d.kind = 'message' and m.being_id = d.owner_id and m.message_id = d.item_id
                limit 1
            ) as said on true
            left join lateral (
                select nullif(max(near.similarity), 'NaN') as similarity
                from (
                    select 1 - (n.vector <=> asked.vector) as similarity
                    from memory.node_vectors as n, unnest(%(nodes)b::halfvec[]) as asked (vector)
                    where d.kind = 'node' and n.being_id = d.owner_id and n.node_id = d.item_id
                        and n.embedding_model = %(nodes_model)s
                    union all
                    select 1 - (f.vector <=> asked.vector)
                    from memory.fact_vectors as f, unnest(%(facts)b::halfvec[]) as asked (vector)
                    where d.kind = 'fact' and f.user_id = %(user)s and f.fact_id = d.item_id
                        and f.embedding_model = %(facts_model)s
                ) as near
            ) as own on d.kind in ('node', 'fact')
            where {TELLABLE}
                and (
                    d.kind <> 'node' or exists (
                        select from memory.memory_nodes as n
                        where n.being_id = d.owner_id and n.node_id = d.item_id and n.forgotten_at is null
                            and n.absorbed_into is null
                    )
                )
            order by d.session_id, d.said_at, d.item_id
            """,  # noqa: S608  # of constants
            {
                **scope.named,
                "places": list(places),
                "terms": list(terms),
                "called": Jsonb(called),
                "around": around,
                "told": [halfvec(one) for one in talk.vectors] if talk else [],
                "told_model": talk and talk.model,
                "nodes": [halfvec(one) for one in nodes.vectors] if nodes else [],
                "nodes_model": nodes and nodes.model,
                "facts": [halfvec(one) for one in facts.vectors] if facts else [],
                "facts_model": facts and facts.model,
            },
            binary=True,
        ).fetchall()


def speakers(tx: Transaction, being_id: UUID, latest: int) -> list[str]:
    """The names of the latest messages' speakers."""
    return tx.column(
        """
        select distinct speaker
        from (
            select speaker from memory.messages where being_id = %s order by message_id desc limit %s
        ) as recent
        where speaker is not null
        order by speaker
        """,
        [being_id, latest],
    )
