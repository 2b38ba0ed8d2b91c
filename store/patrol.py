"""The statements of the patrol's mechanical steps; each runs in the transaction that finishes its step."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from schemas.limits import ASSIGN_SIMILARITY, BIRTH_NODES, MERGE_SIMILARITY, SPLIT_AGAIN_AFTER
from schemas.rows import Root
from store.embeddings import Vector, literal
from store.transaction import Transaction, value


def any_homeless(tx: Transaction, being_id: UUID) -> bool:
    """Whether any node has no cluster yet."""
    return bool(
        value(
            tx,
            "select exists(select from memory.memory_nodes where being_id = %s and cluster_id is null)",
            [being_id],
        )
    )


def assign(tx: Transaction, being_id: UUID, model: str, roots: Mapping[Root, Vector]) -> dict[str, int]:
    """Put each homeless node into the topic it matches best, or into the root whose prototype vector is nearest.

    Returns:
        How many nodes found a topic (`matched`) and how many a root (`rooted`).
    """
    (row,) = tx.execute(
        "with homeless as (select n.node_id, (select root.name"
        " from unnest(%(names)s::text[], %(prototypes)s::text[]) as root (name, prototype)"
        " order by n.vector <=> root.prototype::halfvec, root.name limit 1) as root"
        " from memory.memory_nodes as n"
        " where n.being_id = %(being)s and n.cluster_id is null and n.embedding_model = %(model)s)"
        " select a.* from (select coalesce(array_agg(node_id), '{}') as nodes, coalesce(array_agg(root), '{}') as roots"
        " from homeless) as h, lateral memory.assign_nodes(%(being)s, %(threshold)s, h.nodes, h.roots) as a",
        {
            "being": being_id,
            "model": model,
            "names": list(roots),
            "prototypes": [literal(vector) for vector in roots.values()],
            "threshold": ASSIGN_SIMILARITY,
        },
    )
    return dict(row)


def raise_counter(tx: Transaction, being_id: UUID) -> None:
    """Let a patrol's worth of time pass for every active node of a Being."""
    tx.execute("select memory.increment_session_counts(%s)", [being_id])


def flag_dying(tx: Transaction, being_id: UUID) -> int:
    """Mark what has faded to an effective importance of 0.05; returns how many."""
    return int(value(tx, "select memory.flag_dying_nodes(%s)", [being_id]))


def revive_dead(tx: Transaction, being_id: UUID) -> int:
    """Make nodes active again that were asked for after they died; returns how many."""
    return int(value(tx, "select memory.revive_dead_nodes(%s)", [being_id]))


def absorb(tx: Transaction, being_id: UUID, survivor: UUID, absorbed: Sequence[UUID]) -> None:
    """Let the survivor of a merge take the others in.

    Raises:
        Refused: A node is unknown, pinned, dead or named twice.
    """
    tx.execute("select memory.absorb_nodes(%s, %s, %s)", [being_id, survivor, list(absorbed)])


def make_dead(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> None:
    """Let dying nodes go.

    Raises:
        Refused: A node is unknown, fresh, not dying or named twice.
    """
    tx.execute("select memory.make_dead(%s, %s)", [being_id, list(node_ids)])


def crowded_roots(tx: Transaction, being_id: UUID) -> list[UUID]:
    """Roots with more than ten active nodes of their own that were never asked for topics, or have five new ones."""
    rows = tx.execute(
        "select cluster_id from memory.clusters where being_id = %s and active_nodes > 10 and removed_at is null"
        " and is_parent and (arrivals_since_split is null or arrivals_since_split >= %s) order by cluster_id",
        [being_id, SPLIT_AGAIN_AFTER],
    )
    return [row["cluster_id"] for row in rows]


def newest_of_root(tx: Transaction, being_id: UUID, cluster_id: UUID) -> list[tuple[UUID, str, Any]]:
    """Id, action and vector of a root's 200 newest active nodes."""
    rows = tx.execute(
        "select node_id, scene ->> 'action' as action, vector from memory.memory_nodes"
        " where being_id = %s and cluster_id = %s and status = 'active'"
        " order by created_at desc, node_id desc limit %s",
        [being_id, cluster_id, BIRTH_NODES],
    )
    return [(row["node_id"], row["action"], row["vector"].to_numpy()) for row in rows]


def found_topic(tx: Transaction, being_id: UUID, root: UUID, name: str, nodes: Sequence[UUID]) -> UUID:
    """Make a sub-cluster of a root and move these nodes into it."""
    cluster_id: UUID = value(tx, "select memory.found_topic(%s, %s, %s, %s)", [being_id, root, name, list(nodes)])
    return cluster_id


def asked_to_split(tx: Transaction, being_id: UUID, cluster_id: UUID) -> None:
    """Remember that a cluster was asked, so that it is left in peace until more nodes come."""
    tx.execute(
        "update memory.clusters set arrivals_since_split = 0 where being_id = %s and cluster_id = %s",
        [being_id, cluster_id],
    )


def merge_small(tx: Transaction, being_id: UUID) -> int:
    """Let small clusters join their most like siblings, or their root; returns how many were removed."""
    return int(value(tx, "select memory.merge_small_clusters(%s, %s)", [being_id, MERGE_SIMILARITY]))
