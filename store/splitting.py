"""Crowded clusters: which there are, what is in them, and the topics that are founded out of them."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.limits import SPLIT_AGAIN_AFTER, SPLIT_CLUSTERS, TOPIC_NODES
from schemas.rows import Cluster, ShownNode
from store.shown import shown
from store.transaction import Transaction, value

MOST_SIBLINGS = 50


def crowded(tx: Transaction, being_id: UUID, *, roots: bool) -> list[Cluster]:
    """Clusters with more than ten active nodes that were never asked to split or have five new ones; roots if so.

    At most 20 of them, those first to which most has come.
    """
    with tx.cursor(row_factory=class_row(Cluster)) as cursor:
        return cursor.execute(
            "select * from memory.clusters where being_id = %s and active_nodes > 10 and removed_at is null"
            " and (%s or not is_parent) and (arrivals_since_split is null or arrivals_since_split >= %s)"
            " order by coalesce(arrivals_since_split, active_nodes) desc, cluster_id limit %s",
            [being_id, roots, SPLIT_AGAIN_AFTER, SPLIT_CLUSTERS],
        ).fetchall()


def newest(tx: Transaction, being_id: UUID, cluster_id: UUID, limit: int) -> list[ShownNode]:
    """The newest active nodes of a cluster, oldest first."""
    found = shown(
        tx,
        "cluster_id = %s and status = 'active' order by created_at desc, node_id desc limit %s",
        [being_id, cluster_id, limit],
    )
    return found[::-1]


def newest_vectors(tx: Transaction, being_id: UUID, cluster_id: UUID, limit: int) -> list[tuple[UUID, str, Any]]:
    """Id, action and vector of the newest active nodes of a cluster."""
    rows = tx.execute(
        "select node_id, scene ->> 'action' as action, vector from memory.memory_nodes"
        " where being_id = %s and cluster_id = %s and status = 'active'"
        " order by created_at desc, node_id desc limit %s",
        [being_id, cluster_id, limit],
    )
    return [(row["node_id"], row["action"], row["vector"].to_numpy()) for row in rows]


def siblings(tx: Transaction, being_id: UUID, cluster: Cluster) -> list[str]:
    """What the largest topics beside a cluster are called; of a root, the topics below it."""
    rows = tx.execute(
        "select name from memory.clusters where being_id = %s and parent_id = %s and cluster_id <> %s and not is_parent"
        " and removed_at is null order by active_nodes desc, cluster_id limit %s",
        [being_id, cluster.parent_id, cluster.cluster_id, MOST_SIBLINGS],
    )
    return [row["name"] for row in rows]


def found(tx: Transaction, being_id: UUID, source: UUID, name: str, nodes: Sequence[UUID]) -> UUID:
    """Make a topic beside a cluster, or below a root, and move these of its nodes into it."""
    cluster_id: UUID = value(tx, "select memory.found_topic(%s, %s, %s, %s)", [being_id, source, name, list(nodes)])
    return cluster_id


def found_of_shown(tx: Transaction, being_id: UUID, source: UUID, name: str, nodes: Iterable[ShownNode]) -> int:
    """Make a topic of what was not touched since it was shown; returns how many nodes went into it.

    Nothing is done, and 0 returned, where fewer than three of them are left, or fewer than three would be left behind.
    """
    seen = Jsonb({str(node.node_id): node.version for node in nodes})
    return int(
        value(tx, "select memory.found_topic_of_shown(%s, %s, %s, %s, %s)", [being_id, source, name, seen, TOPIC_NODES])
    )


def asked(tx: Transaction, being_id: UUID, cluster_id: UUID) -> None:
    """Remember that a cluster was asked, so that it is left in peace until more nodes come."""
    tx.execute(
        "update memory.clusters set arrivals_since_split = 0 where being_id = %s and cluster_id = %s",
        [being_id, cluster_id],
    )
