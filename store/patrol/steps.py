"""The statements of the patrol's mechanical steps; each runs in the transaction that finishes its step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.limits import ASSIGN_SIMILARITY, MERGE_SIMILARITY
from schemas.nodes.nodes import Root
from store.nodes.embeddings import Vector, as_array
from store.transaction import Transaction, value


@dataclass(frozen=True, slots=True)
class Unassigned:
    """A node without a cluster.

    Attributes:
        node_id: The node.
        action: Its scene's action.
        request_key_id: The key of the request that its note came with, if that brought one; None where it is matched.
        matched: Whether a topic is similar enough to take it.
        vector: Its vector, of the Being's model.
    """

    node_id: UUID
    action: str
    request_key_id: UUID | None
    matched: bool
    vector: Vector


def unassigned(tx: Transaction, being_id: UUID, model: str | None) -> list[Unassigned]:
    """Select the nodes without a cluster, oldest first."""
    rows = tx.execute(
        """
        select
            n.node_id, n.scene ->> 'action' as action, v.vector, found.matched,
            case when not found.matched then memory.brought_with(n.being_id, n.node_id) end as request_key_id
        from memory.memory_nodes as n
        cross join lateral (
            select own.vector
            from memory.node_vectors as own
            where own.being_id = n.being_id and own.node_id = n.node_id and own.embedding_model = %(model)s
            limit 1
        ) as v
        -- `offset 0` has it computed once for both columns.
        cross join lateral (
            select exists (select from memory.match_clusters(%(being)s, v.vector, %(threshold)s, 1)) as matched offset 0
        ) as found
        where n.being_id = %(being)s and n.cluster_id is null
        order by n.node_id
        """,
        {"being": being_id, "model": model, "threshold": ASSIGN_SIMILARITY},
        binary=True,
    )
    return [Unassigned(**{**row, "vector": as_array(row["vector"])}) for row in rows]


def assign(tx: Transaction, being_id: UUID, roots: Mapping[UUID, Root]) -> dict[str, int]:
    """Assign each of these nodes to the topic that it matches best, else to its root.

    Returns:
        How many nodes went to a topic (`matched`) and to a root (`rooted`).
    """
    (row,) = tx.execute(
        """
        select *
        from memory.assign_nodes(%s, %s, %s, %s)
        """,
        [being_id, ASSIGN_SIMILARITY, list(roots), list(roots.values())],
    )
    return {**row}


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
