"""Names of topics: the nodes that a name is made from, and the origin of a name."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.errors import Refused, existing
from schemas.nodes.nodes import Cluster, Root, ShownNode
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class NodeText:
    """A node's words for naming a topic."""

    node_id: UUID
    cluster_id: UUID
    action: str
    themes: list[str]
    actors: list[str]


def texts(tx: Transaction, being_id: UUID, cluster_ids: Sequence[UUID], newest: int) -> list[NodeText]:
    """Select the newest active nodes of each of these clusters, and the Being's newest ones, `newest` of each."""
    return tx.rows(
        NodeText,
        """
        select
            n.node_id, n.cluster_id, n.scene ->> 'action' as action, n.themes,
            coalesce(n.scene -> 'actors', '[]') as actors
        from memory.memory_nodes as n
        where n.being_id = %(being)s and n.node_id in (
            select of_topic.node_id
            from unnest(%(clusters)s::uuid[]) as asked (cluster_id),
            lateral (
                select node_id
                from memory.memory_nodes
                where being_id = %(being)s and cluster_id = asked.cluster_id and status = 'active'
                    and memory.is_muted(being_id, 'node', node_id) = memory.is_muted(being_id, 'topic', cluster_id)
                order by created_at desc, node_id desc
                limit %(newest)s
            ) as of_topic
            union
            (
                select node_id
                from memory.memory_nodes
                where being_id = %(being)s and cluster_id is not null and status = 'active'
                    and not memory.is_muted(being_id, 'node', node_id)
                order by created_at desc, node_id desc
                limit %(newest)s
            )
        )
        order by n.node_id
        """,
        {"being": being_id, "clusters": list(cluster_ids), "newest": newest},
    )


def named_by_words(tx: Transaction, being_id: UUID, limit: int) -> list[Cluster]:
    """Select the largest topics whose names are made of words, which a model has not named yet."""
    return tx.rows(
        Cluster,
        """
        select *
        from memory.seen_clusters
        where being_id = %s and named_by = 'words' and not is_parent and removed_at is null and active_nodes > 0
        order by active_nodes desc, cluster_id
        limit %s
        """,
        [being_id, limit],
    )


def outdated(tx: Transaction, being_id: UUID, limit: int) -> list[UUID]:
    """Select topics named by words whose active nodes have changed since."""
    return tx.column(
        """
        select cluster_id
        from memory.clusters
        where being_id = %s and name_outdated and named_by = 'words' and not is_parent and removed_at is null
            and active_nodes > 0
        order by cluster_id
        limit %s
        """,
        [being_id, limit],
    )


def made_from(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> list[UUID]:
    """Select topics whose names may rest on one of these nodes, except those that a person named.

    For a name of unknown origin these are the topics below the root of one of the nodes.
    """
    return tx.column(
        """
        select c.cluster_id
        from memory.clusters as c
        where c.being_id = %(being)s
            and not c.is_parent
            and c.named_by <> 'person'
            and (
                c.named_from && %(nodes)s::uuid[]
                or c.named_from is null and exists (
                    select
                    from memory.memory_nodes as n
                    join memory.clusters as home on home.being_id = n.being_id and home.cluster_id = n.cluster_id
                    where n.being_id = %(being)s and n.node_id = any(%(nodes)s) and home.parent_id = c.parent_id
                )
            )
        """,
        {"being": being_id, "nodes": list(node_ids)},
    )


def give(tx: Transaction, being_id: UUID, cluster_id: UUID, name: str, named_from: Sequence[UUID]) -> None:
    """Give a topic the name that words of its nodes make."""
    tx.execute(
        """
        update memory.clusters
        set name = %s, named_by = 'words', named_from = %s, name_outdated = false
        where being_id = %s and cluster_id = %s and not is_parent
        """,
        [name, list(named_from), being_id, cluster_id],
    )


def give_proper(tx: Transaction, being_id: UUID, cluster_id: UUID, name: str, nodes: Sequence[ShownNode]) -> bool:
    """Give a topic the name that a model chose; returns false if it was renamed, removed or a node was changed since.

    Args:
        nodes: The nodes that the model was shown.
    """
    node_ids = [node.node_id for node in nodes]
    return tx.changes(
        """
        update memory.clusters
        set name = %(name)s, named_by = 'model', named_from = %(nodes)s
        where being_id = %(being)s
            and cluster_id = %(cluster)s
            and named_by = 'words'
            and removed_at is null
            and (
                select count(*)
                from unnest(%(nodes)s::uuid[], %(revisions)s::bigint[]) as seen (node_id, revision)
                join memory.memory_nodes as n on n.being_id = %(being)s and n.node_id = seen.node_id
                where n.revision = seen.revision
            ) = cardinality(%(nodes)s::uuid[])
        """,
        {
            "being": being_id,
            "cluster": cluster_id,
            "name": name,
            "nodes": node_ids,
            "revisions": [node.revision for node in nodes],
        },
    )


def change(tx: Transaction, being_id: UUID, cluster_id: UUID, *, name: str | None, root: Root | None) -> Cluster:
    """Rename a topic in a person's name, move it below a root, or both.

    Raises:
        NotFound: This Being has no such cluster.
        Refused: The cluster is a root, or was merged into another.
    """
    tx.execute(
        """
        select memory.lock_being(%s)
        """,
        [being_id],
    )
    query = "select * from memory.seen_clusters where being_id = %s and cluster_id = %s"
    cluster = existing(tx.row(Cluster, query, [being_id, cluster_id]), f"This Being has no cluster {cluster_id}.")
    if cluster.is_parent:
        raise Refused(f"{cluster.name} is a root: only topics below a root can be renamed or moved.")
    if cluster.removed_at is not None:
        raise Refused(f"This topic is gone: its memories are in the cluster {cluster.merged_into}.")
    return tx.one(
        Cluster,
        """
        update memory.clusters as c
        set name = coalesce(%(name)s, c.name),
            named_by = case when %(name)s::text is null then c.named_by else 'person' end,
            named_from = case when %(name)s::text is null then c.named_from end,
            parent_id = coalesce(root.cluster_id, c.parent_id)
        from (select 1) as once
        left join memory.clusters as root
            on root.being_id = %(being)s and root.is_parent and root.name = %(root)s
        where c.being_id = %(being)s and c.cluster_id = %(cluster)s
        returning c.*
        """,
        {"being": being_id, "cluster": cluster_id, "name": name, "root": root},
    )
