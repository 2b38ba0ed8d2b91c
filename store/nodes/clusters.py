"""Clusters: the topics of a Being's memory."""

from uuid import UUID

from schemas.nodes.nodes import Cluster
from store.transaction import Transaction


def live(tx: Transaction, being_id: UUID, *, muted: bool = True) -> list[Cluster]:
    """List the Being's clusters that are not removed, muted ones with `muted`: each root, then its topics by size."""
    return tx.rows(
        Cluster,
        """
        select c.*
        from memory.seen_clusters as c
        join memory.clusters as root on root.being_id = c.being_id and root.cluster_id = c.parent_id
        where c.being_id = %s and c.removed_at is null
            and (%s or not memory.is_muted(c.being_id, 'topic', c.cluster_id))
        order by root.name, c.is_parent desc, c.active_nodes desc, c.cluster_id
        """,
        [being_id, muted],
    )


def names(tx: Transaction, being_id: UUID) -> dict[UUID, str]:
    """Map the Being's cluster ids to names, including removed clusters."""
    return tx.pairs(
        """
        select cluster_id, name
        from memory.clusters
        where being_id = %s
        """,
        [being_id],
    )


def find(tx: Transaction, being_id: UUID, cluster_id: UUID, *, muted: bool = True) -> Cluster | None:
    """Find a cluster by id, or the one that it was merged into; a muted one with `muted`."""
    return tx.row(
        Cluster,
        """
        with recursive trail as (
            select *
            from memory.seen_clusters
            where being_id = %s and cluster_id = %s
            union all
            select c.*
            from trail as t
            join memory.seen_clusters as c on c.being_id = t.being_id and c.cluster_id = t.merged_into
        )
        select *
        from trail
        where merged_into is null and (%s or not memory.is_muted(being_id, 'topic', cluster_id))
        """,
        [being_id, cluster_id, muted],
    )
