"""The statements of the patrol's mechanical steps; each runs in the transaction that finishes its step."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from schemas.limits import ASSIGN_SIMILARITY, MERGE_SIMILARITY
from schemas.rows import Root
from store.embeddings import Vector, literal
from store.transaction import Transaction, value


def homeless(tx: Transaction, being_id: UUID) -> bool:
    """Whether any node has no cluster yet."""
    return bool(
        value(
            tx,
            "select exists(select from memory.memory_nodes where being_id = %s and cluster_id is null)",
            [being_id],
        )
    )


def unmatched(tx: Transaction, being_id: UUID, model: str) -> list[tuple[UUID, str]]:
    """The homeless nodes that no topic matches, each by its id and what happened, in the order of their birth."""
    rows = tx.execute(
        "select n.node_id, n.scene ->> 'action' as action from memory.memory_nodes as n"
        " where n.being_id = %(being)s and n.cluster_id is null and n.embedding_model = %(model)s and not exists"
        " (select from memory.match_clusters(%(being)s, n.vector, %(threshold)s, 1)) order by n.node_id",
        {"being": being_id, "model": model, "threshold": ASSIGN_SIMILARITY},
    )
    return [(row["node_id"], row["action"]) for row in rows]


def assign(
    tx: Transaction, being_id: UUID, model: str, prototypes: Mapping[Root, Vector], told: Mapping[UUID, Root]
) -> dict[str, int]:
    """Put each homeless node into the topic it matches best, or else into a root.

    Args:
        tx: The transaction.
        being_id: Whose nodes.
        model: The model of the nodes' and the prototypes' vectors.
        prototypes: A vector for each root: the nearest one decides where nobody has told.
        told: The roots of those nodes of which it has been told.

    Returns:
        How many nodes found a topic (`matched`) and how many a root (`rooted`), and of how many it was told which.
    """
    (row,) = tx.execute(
        "with homeless as (select n.node_id, coalesce((select told.root"
        " from unnest(%(nodes)s::uuid[], %(roots)s::text[]) as told (node_id, root) where told.node_id = n.node_id),"
        " (select root.name from unnest(%(names)s::text[], %(prototypes)s::text[]) as root (name, prototype)"
        " order by n.vector <=> root.prototype::halfvec, root.name limit 1)) as root"
        " from memory.memory_nodes as n"
        " where n.being_id = %(being)s and n.cluster_id is null and n.embedding_model = %(model)s)"
        " select a.* from (select coalesce(array_agg(node_id), '{}') as nodes, coalesce(array_agg(root), '{}') as roots"
        " from homeless) as h, lateral memory.assign_nodes(%(being)s, %(threshold)s, h.nodes, h.roots) as a",
        {
            "being": being_id,
            "model": model,
            "names": list(prototypes),
            "prototypes": [literal(vector) for vector in prototypes.values()],
            "nodes": list(told),
            "roots": list(told.values()),
            "threshold": ASSIGN_SIMILARITY,
        },
    )
    return {**row, "told": len(told)}


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


def merge_small(tx: Transaction, being_id: UUID) -> int:
    """Let small clusters join their most like siblings, or their root; returns how many were removed."""
    return int(value(tx, "select memory.merge_small_clusters(%s, %s)", [being_id, MERGE_SIMILARITY]))
