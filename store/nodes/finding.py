"""Finds nodes by vectors or by words, and activates them in the same statement: one round trip, one commit.

The nodes are returned as they were before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg.sql import SQL, Composed

from schemas.ledger.kinds import WorkKind
from schemas.nodes.nodes import Node
from store.nodes.embeddings import Vector, halfvec
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Activation:
    """How nodes are activated: at once, or later where a writer of the Being can't be waited for.

    Attributes:
        patience: How long to wait for the Being's lock.
        deferred: The kind of work that activates the kept nodes later; it calls `activate_kept`.
        after: The delay until that is due. No message is sent for it.
    """

    patience: timedelta
    deferred: WorkKind
    after: timedelta


def _answer(found: SQL | Composed) -> Composed:
    """Return the statement that reads the first nodes that a query has found, and activates them if `activates`.

    Args:
        found: The query: for each node its `node_id`, the `worth` of the match, and its `place`, the best first.
    """
    return SQL(
        """
        with found as materialized ({} order by place limit %(limit)s),
        activated as materialized (
            select memory.activate_or_keep(
                %(being)s, array_agg(node_id), %(patience)s, %(deferred)s, %(queue)s, %(after)s
            )
            from found
            having %(activates)s and count(*) > 0
        )
        select n.*, found.worth
        from found
        cross join lateral (
            select * from memory.seen_nodes as n where n.being_id = %(being)s and n.node_id = found.node_id limit 1
        ) as n
        left join activated on true
        order by found.place
        """
    ).format(found)


def _nearest(queries: SQL) -> Composed:
    """Return the statement that finds the nodes nearest to any of some query vectors."""
    return _answer(
        SQL(
            """
            select m.node_id, max(m.similarity) as worth,
                row_number() over (order by max(m.similarity) desc, m.node_id) as place
            from {} as query (vector),
            lateral memory.match_nodes(%(being)s, %(model)s, query.vector, %(threshold)s, %(limit)s) as m
            group by m.node_id
            """
        ).format(queries)
    )


# Most questions have one vector. As a list psycopg would take longer to send it.
_NEAREST_TO_ONE = _nearest(SQL("(values (%(query)b::halfvec))"))
_NEAREST = _nearest(SQL("unnest(%(queries)b::halfvec[])"))
_WORDED = _answer(
    SQL(
        """
        select s.node_id, s.terms as worth, s.place
        from memory.search_nodes(%(being)s, %(terms)s, %(all_terms)s, %(living)s, %(limit)s)
            with ordinality as s (node_id, terms, place)
        """
    )
)


def match(
    tx: Transaction,
    being_id: UUID,
    model: str,
    queries: Sequence[Vector],
    *,
    threshold: float,
    limit: int,
    activates: Activation | None = None,
) -> list[tuple[Node, float]]:
    """Find the living nodes nearest to any of some query vectors of this model.

    Args:
        model: The queries' embedding model.
        queries: The vectors.
        threshold: The least cosine similarity to the nearest of them.
        limit: The most nodes.
        activates: How they are activated; None: they are not.

    Returns:
        The nodes as they were before, with their similarities, nearest first.

    Raises:
        NotFound: They would be activated, and there is no such Being.
    """
    vectors = [halfvec(query) for query in queries]
    parameters = {"model": model, "threshold": threshold}
    if len(vectors) == 1:
        return _answered(tx, _NEAREST_TO_ONE, being_id, {**parameters, "query": vectors[0]}, limit, activates)
    return _answered(tx, _NEAREST, being_id, {**parameters, "queries": vectors}, limit, activates)


def search(
    tx: Transaction,
    being_id: UUID,
    terms: Sequence[str],
    *,
    all_terms: bool,
    living: bool,
    limit: int,
    activates: Activation | None = None,
) -> list[tuple[Node, int]]:
    """Find nodes that answer any (or all) of the terms, with how many they answer, most first; otherwise as `match`."""
    parameters = {"terms": list(terms), "all_terms": all_terms, "living": living}
    return _answered(tx, _WORDED, being_id, parameters, limit, activates)


def activate_or_keep(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID], activation: Activation) -> None:
    """Activate nodes that were found, or keep that they were.

    Raises:
        NotFound: There is no such Being.
    """
    tx.execute(
        "select memory.activate_or_keep(%(being)s, %(nodes)s, %(patience)s, %(deferred)s, %(queue)s, %(after)s)",
        {"being": being_id, "nodes": list(node_ids), **_named(activation)},
    )


def activate_kept(tx: Transaction, being_id: UUID, activation_id: UUID, patience: timedelta) -> None:
    """Activate kept nodes, as of the time when they were found.

    Raises:
        Unavailable: The Being is written to for longer than `patience`; try again.
    """
    tx.execute("select memory.activate_kept(%s, %s, %s)", [being_id, activation_id, patience])


def _answered(
    tx: Transaction,
    statement: Composed,
    being_id: UUID,
    criteria: Mapping[str, Any],
    limit: int,
    activates: Activation | None,
) -> list[tuple[Node, Any]]:
    parameters = {
        **criteria,
        "being": being_id,
        "limit": limit,
        "activates": activates is not None,
        **_named(activates),
    }
    return [(Node.model_validate(row), row["worth"]) for row in tx.execute(statement, parameters)]


def _named(activation: Activation | None) -> dict[str, Any]:
    """The parameters of `memory.activate_or_keep`."""
    if activation is None:
        return dict.fromkeys(("patience", "deferred", "queue", "after"))
    return {
        "patience": activation.patience,
        "deferred": activation.deferred.name,
        "queue": activation.deferred.queue,
        "after": activation.after,
    }
