"""The statements of the patrol's mechanical steps; each runs in the transaction that finishes its step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from schemas.limits import ASSIGN_SIMILARITY, MERGE_SIMILARITY
from schemas.nodes.nodes import Root
from store.nodes.embeddings import Vector, as_array, halfvec
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Unassigned:
    """A node without a cluster, with its vector, of the Being's model."""

    node_id: UUID
    action: str
    actors: list[str]
    when: list[Any]
    vector: Vector


def unassigned(tx: Transaction, being_id: UUID, model: str | None) -> list[Unassigned]:
    """Select the nodes without a cluster, oldest first."""
    rows = tx.execute(
        """
        select
            n.node_id, n.scene ->> 'action' as action, coalesce(n.scene -> 'actors', '[]') as actors,
            coalesce(n.scene -> 'when', '[]') as when, v.vector
        from memory.memory_nodes as n
        cross join lateral (
            select own.vector
            from memory.node_vectors as own
            where own.being_id = n.being_id and own.node_id = n.node_id and own.embedding_model = %(model)s
            limit 1
        ) as v
        where n.being_id = %(being)s and n.cluster_id is null
        order by n.node_id
        """,
        {"being": being_id, "model": model},
        binary=True,
    )
    return [Unassigned(**{**row, "vector": as_array(row["vector"])}) for row in rows]


def unmatched(
    tx: Transaction, being_id: UUID, model: str | None, vectors: Mapping[UUID, Vector]
) -> dict[UUID, UUID | None]:
    """Select the nodes that no topic is similar enough to take.

    Args:
        model: The model that the vectors are of.
        vectors: The vector of each node's subject.

    Returns:
        For each of these nodes the key of the request that its note came with, if that brought one.
    """
    return tx.pairs(
        """
        select asked.node_id, memory.brought_with(b.being_id, asked.node_id) as request_key_id
        from memory.beings as b, unnest(%(nodes)s::uuid[], %(vectors)b::halfvec[]) as asked (node_id, vector)
        where b.being_id = %(being)s and not exists (
            select from memory.match_clusters(
                b.being_id, case when b.embedding_model = %(model)s then asked.vector end, %(threshold)s, 1
            )
        )
        """,
        {
            "being": being_id,
            "model": model,
            "threshold": ASSIGN_SIMILARITY,
            "nodes": list(vectors),
            "vectors": [halfvec(vector) for vector in vectors.values()],
        },
    )


def active_by_root(tx: Transaction, being_id: UUID) -> dict[Root, int]:
    """How many active nodes are below each root."""
    return tx.pairs(
        """
        select root.name, sum(c.active_nodes)::bigint as nodes
        from memory.clusters as root
        join memory.clusters as c on c.being_id = root.being_id and c.parent_id = root.cluster_id
        where root.being_id = %s and root.is_parent and c.removed_at is null
        group by root.name
        """,
        [being_id],
    )


def assign(
    tx: Transaction, being_id: UUID, model: str | None, vectors: Mapping[UUID, Vector], roots: Mapping[UUID, Root]
) -> dict[str, int]:
    """Assign each of these nodes to the topic that matches its words best, else to its root.

    Returns:
        How many nodes went to a topic (`matched`) and to a root (`rooted`).
    """
    (row,) = tx.execute(
        """
        select *
        from memory.assign_nodes(%(being)s, %(model)s, %(threshold)s, %(nodes)s, %(vectors)b, %(roots)s)
        """,
        {
            "being": being_id,
            "model": model,
            "threshold": ASSIGN_SIMILARITY,
            "nodes": list(vectors),
            "vectors": [halfvec(vector) for vector in vectors.values()],
            "roots": [roots[node_id] for node_id in vectors],
        },
    )
    return {**row}


def raise_counter(tx: Transaction, being_id: UUID) -> None:
    """Let a patrol's worth of time pass for every active node of a Being."""
    tx.execute("select memory.increment_session_counts(%s)", [being_id])


def flag_dying(tx: Transaction, being_id: UUID) -> int:
    """Mark nodes that have faded to an effective importance of 0.05; returns how many."""
    return tx.value("select memory.flag_dying_nodes(%s)", [being_id])


def revive_dead(tx: Transaction, being_id: UUID) -> int:
    """Make nodes active again that recall found after they died; returns how many."""
    return tx.value("select memory.revive_dead_nodes(%s)", [being_id])


def make_dead(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> None:
    """Let dying nodes go.

    Raises:
        Refused: A node is unknown, fresh, not dying or named twice.
    """
    tx.execute("select memory.make_dead(%s, %s)", [being_id, list(node_ids)])


def merge_small(tx: Transaction, being_id: UUID) -> int:
    """Let small clusters join their most like siblings, or their root; returns how many were removed."""
    return tx.value("select memory.merge_small_clusters(%s, %s)", [being_id, MERGE_SIMILARITY])
