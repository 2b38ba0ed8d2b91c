"""Candidates by meaning: the nearest vectors of messages and summaries, of nodes, and of facts.

Of a question with several vectors, as of a long text with several windows, the nearest counts: one statement compares
all of them.
"""

from collections.abc import Sequence
from uuid import UUID

from schemas.search import Kind
from store.nodes.embeddings import ModelVectors, halfvec
from store.search.scope import IN_TIME, TELLABLE, SearchScope
from store.transaction import Transaction

_AMONG_KNOWLEDGE = """
    select v.document_id
    from unnest(%(queries)b::halfvec[]) as asked (vector),
        memory.search_vectors as v
    join memory.search_documents as d on d.owner_id = v.owner_id and d.document_id = v.document_id
    join memory.keyed_knowledge(%(being)s, %(from)s, %(to)s, %(equal)s, %(filter)s) as n
        on n.note_id = d.item_id
    where v.owner_id = %(being)s and v.embedding_model = %(model)s and v.kind = 'knowledge'
    group by v.document_id
    order by min(v.vector <#> asked.vector), v.document_id
    limit %(limit)s
    """


def nearest_documents(
    tx: Transaction,
    scope: SearchScope,
    owners: Sequence[tuple[UUID, Sequence[Kind]]],
    question: ModelVectors,
    limit: int,
) -> list[int]:
    """The documents with the nearest vectors or windows, `limit` for each owner and its kinds, nearest first.

    Among knowledge under keys, which is the Being's, all are compared: a filter may leave few of them.
    """
    parameters = _query_parameters(scope, question, limit)
    if scope.among:
        return tx.column(_AMONG_KNOWLEDGE, parameters)
    return tx.column(
        """
        select near.document_id
        from unnest(%(owner_ids)s::uuid[], %(kinds_of)s::text[]) as owner (owner_id, kinds),
        lateral memory.nearest_told(
            owner.owner_id, %(model)s, owner.kinds::memory.search_kind[], %(since)s, %(until)s, %(as_of)s,
            %(muted)s, %(queries)b::halfvec[], %(limit)s
        ) as near
        """,
        {
            **parameters,
            "owner_ids": [owner_id for owner_id, _ in owners],
            "kinds_of": [f"{{{','.join(kinds)}}}" for _, kinds in owners],
        },
    )


def nearest_nodes(tx: Transaction, scope: SearchScope, question: ModelVectors, limit: int) -> list[int]:
    """The nearest nodes that are neither forgotten nor part of another by now, nearest first."""
    return tx.column(
        f"""
        select d.document_id
        from (
            select near.node_id, min(near.distance) as distance
            from unnest(%(queries)b::halfvec[]) as asked (vector),
            lateral memory.nearest_nodes(
                %(being)s, %(model)s, asked.vector, false,
                -- When a node happened is told by its document alone.
                case
                    when %(since)s::timestamptz is null and %(until)s::timestamptz is null
                        and %(as_of)s::timestamptz is null
                    then %(limit)s
                end
            ) as near
            group by near.node_id
        ) as n,
        lateral (
            select d.document_id
            from memory.search_documents as d
            where d.owner_id = %(being)s and d.kind = 'node' and d.item_id = n.node_id
                and {IN_TIME}
            limit 1
        ) as d
        order by n.distance
        limit %(limit)s
        """,  # noqa: S608  # of constants
        _query_parameters(scope, question, limit),
    )


def nearest_facts(tx: Transaction, scope: SearchScope, question: ModelVectors, limit: int) -> list[int]:
    """The nearest facts that the Being knows, nearest first."""
    return tx.column(
        f"""
        select d.document_id
        from memory.fact_vectors as v
        join memory.search_documents as d
            on d.owner_id = any(%(owners)s) and d.kind = 'fact' and d.item_id = v.fact_id
        where v.user_id = %(user)s and v.embedding_model = %(model)s
            and {IN_TIME} and {TELLABLE}
        order by (select min(v.vector <=> asked.vector) from unnest(%(queries)b::halfvec[]) as asked (vector))
        limit %(limit)s
        """,  # noqa: S608  # of constants
        _query_parameters(scope, question, limit),
    )


def _query_parameters(scope: SearchScope, question: ModelVectors, limit: int) -> dict[str, object]:
    queries = [halfvec(vector) for vector in question.vectors]
    return {**scope.named, "model": question.model, "queries": queries, "limit": limit}
