"""Crowded clusters, their nodes, and the topics that are made out of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.limits import SPLIT_AGAIN_AFTER, SPLIT_CLUSTERS, TOPIC_NODES
from schemas.nodes.nodes import Cluster
from store.nodes.embeddings import Vector, as_array
from store.transaction import Transaction

MOST_SIBLINGS = 50


@dataclass(frozen=True, slots=True)
class Member:
    """A node of a crowded cluster, with its vector."""

    node_id: UUID
    revision: int
    action: str
    themes: list[str]
    actors: list[str]
    when: list[Any]
    vector: Vector


def crowded(tx: Transaction, being_id: UUID, *, roots: bool) -> list[Cluster]:
    """Select clusters with more than ten active nodes that were never split, or have five new nodes since.

    With `roots` including roots; at most SPLIT_CLUSTERS, those with the most new nodes first.
    """
    return tx.rows(
        Cluster,
        """
        select *
        from memory.seen_clusters
        where being_id = %s
            and active_nodes > 10
            and removed_at is null
            and (%s or not is_parent)
            and (arrivals_since_split is null or arrivals_since_split >= %s)
        order by coalesce(arrivals_since_split, active_nodes) desc, cluster_id
        limit %s
        """,
        [being_id, roots, SPLIT_AGAIN_AFTER, SPLIT_CLUSTERS],
    )


def newest_members(tx: Transaction, being_id: UUID, cluster_id: UUID, limit: int) -> list[Member]:
    """Select the nodes that `shown.newest` does, with their vectors."""
    rows = tx.execute(
        """
        select
            n.node_id, n.revision, n.scene ->> 'action' as action, n.themes,
            coalesce(n.scene -> 'actors', '[]') as actors, coalesce(n.scene -> 'when', '[]') as when, own.vector
        from memory.memory_nodes as n, lateral (
            select v.vector
            from memory.node_vectors as v
            where v.being_id = n.being_id and v.node_id = n.node_id
            limit 1
        ) as own
        where n.being_id = %s and n.cluster_id = %s and n.status = 'active'
            and memory.is_muted(n.being_id, 'node', n.node_id) = memory.is_muted(n.being_id, 'topic', n.cluster_id)
        order by n.created_at desc, n.node_id desc
        limit %s
        """,
        [being_id, cluster_id, limit],
        binary=True,
    )
    return [Member(**{**row, "vector": as_array(row["vector"])}) for row in rows]


def siblings(tx: Transaction, being_id: UUID, cluster: Cluster) -> list[str]:
    """List the names of the largest topics beside a cluster, or below a root, without muted ones."""
    return tx.column(
        """
        select name
        from memory.clusters
        where being_id = %s and parent_id = %s and cluster_id <> %s and not is_parent and removed_at is null
            and not memory.is_muted(being_id, 'topic', cluster_id)
        order by active_nodes desc, cluster_id
        limit %s
        """,
        [being_id, cluster.parent_id, cluster.cluster_id, MOST_SIBLINGS],
    )


def found_of_shown(
    tx: Transaction,
    being_id: UUID,
    source: UUID,
    name: str,
    named_by: Literal["words", "model"],
    named_from: Iterable[UUID],
    revisions: Mapping[UUID, int],
) -> int:
    """Make a topic beside a cluster or below a root, of those nodes that were not changed since they were shown.

    Args:
        source: The cluster that the nodes are in.
        name: The topic's name.
        named_by: The source of the name.
        named_from: All nodes that the name was made of.
        revisions: The nodes of the topic, with the revisions at which they were shown.

    Returns:
        How many nodes were moved. 0, and nothing is done, if fewer than three would move or stay behind, or if one that
        the name was made of was erased meanwhile.
    """
    seen = Jsonb({str(node_id): revision for node_id, revision in revisions.items()})
    return tx.value(
        "select memory.found_topic_of_shown(%s, %s, %s, %s, %s, %s, %s)",
        [being_id, source, name, named_by, list(named_from), seen, TOPIC_NODES],
    )


def mark_asked(tx: Transaction, being_id: UUID, cluster_id: UUID) -> None:
    """Record that a model was asked about a cluster, so that it is not asked again until more nodes arrive."""
    tx.execute(
        "update memory.clusters set arrivals_since_split = 0 where being_id = %s and cluster_id = %s",
        [being_id, cluster_id],
    )
