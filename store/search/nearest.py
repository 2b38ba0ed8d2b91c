"""Candidates by meaning: the nearest vectors of what was told, of nodes, and of facts.

Of a question with several vectors each nominates; a long text is as near as the nearest of its windows.
"""

from uuid import UUID

from store.nodes.embeddings import Vector, halfvec
from store.search.scope import Within
from store.transaction import Transaction

_AMONG_KNOWLEDGE = """
    select v.document_id
    from memory.search_vectors as v
    join memory.search_documents as d on d.owner_id = v.owner_id and d.document_id = v.document_id
    join memory.keyed_knowledge(%(being)s, %(from)s, %(to)s, %(equal)s, %(filter)s) as n
        on n.note_id = d.item_id
    where v.owner_id = %(owner)s and v.embedding_model = %(model)s and v.kind = 'knowledge'
    group by v.document_id
    order by min(v.vector <#> %(query)s::halfvec), v.document_id
    limit %(limit)s
    """


def told_like(tx: Transaction, owner_id: UUID, within: Within, model: str, vector: Vector, limit: int) -> list[int]:
    """An owner's documents of these kinds with the nearest vectors or windows, nearest first.

    Among knowledge under keys all are compared: a filter may leave few of them.
    """
    parameters = {**within.named, "owner": owner_id, "model": model, "query": halfvec(vector), "limit": limit}
    if within.among:
        return [row["document_id"] for row in tx.execute(_AMONG_KNOWLEDGE, parameters)]
    rows = tx.execute(
        """
        select document_id
        from memory.nearest_told(
            %(owner)s, %(model)s, %(kinds)s::memory.search_kind[], %(since)s, %(until)s, %(as_of)s,
            %(query)s::halfvec, %(limit)s
        )
        """,
        parameters,
    )
    return [row["document_id"] for row in rows]


def nodes_like(tx: Transaction, within: Within, model: str, vector: Vector, limit: int) -> list[int]:
    """The nearest nodes that are neither forgotten nor part of another by now, nearest first."""
    rows = tx.execute(
        """
        select d.document_id
        from (
            select node_id, distance
            from memory.nearest_nodes(
                %(being)s, %(model)s, %(query)s::halfvec, false,
                -- When a node happened is told by its document alone.
                case
                    when %(since)s::timestamptz is null and %(until)s::timestamptz is null
                        and %(as_of)s::timestamptz is null
                    then %(limit)s
                end
            )
        ) as n,
        lateral (
            select d.document_id
            from memory.search_documents as d
            where d.owner_id = %(being)s and d.kind = 'node' and d.item_id = n.node_id
                and (%(since)s::timestamptz is null or d.said_at >= %(since)s)
                and (%(until)s::timestamptz is null or d.said_at < %(until)s)
                and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)
            limit 1
        ) as d
        order by n.distance
        limit %(limit)s
        """,
        {**within.named, "model": model, "query": halfvec(vector), "limit": limit},
    )
    return [row["document_id"] for row in rows]


def facts_like(tx: Transaction, within: Within, model: str, vector: Vector, limit: int) -> list[int]:
    """The nearest facts that the Being knows, nearest first."""
    rows = tx.execute(
        """
        select d.document_id
        from memory.fact_vectors as v
        join memory.search_documents as d
            on d.owner_id = any(%(owners)s) and d.kind = 'fact' and d.item_id = v.fact_id
        where v.user_id = %(user)s and v.embedding_model = %(model)s
            and (%(since)s::timestamptz is null or d.said_at >= %(since)s)
            and (%(until)s::timestamptz is null or d.said_at < %(until)s)
            and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)
        order by v.vector <=> %(query)s::halfvec
        limit %(limit)s
        """,
        {**within.named, "model": model, "query": halfvec(vector), "limit": limit},
    )
    return [row["document_id"] for row in rows]
