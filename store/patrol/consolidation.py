"""The rows of consolidation: marked nodes, nodes like them, and a model's decisions about them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.limits import LET_GO_NODES, LET_GO_PART, NEAREST_NODES
from schemas.nodes.nodes import ShownNode
from store.nodes.embeddings import halfvec
from store.nodes.nodes import NodeWords
from store.nodes.shown import shown
from store.transaction import Transaction

_WITH_VECTOR: LiteralString = """
    select n.node_id, n.cluster_id, memory.is_muted(n.being_id, 'node', n.node_id) as muted, own.*
    from memory.memory_nodes as n, lateral (
        select v.embedding_model, v.vector
        from memory.node_vectors as v
        where v.being_id = n.being_id and v.node_id = n.node_id
        limit 1
    ) as own
    where n.being_id = %(being)s
"""


def may_die(tx: Transaction, being_id: UUID, *, patrols: int, limit: int | None) -> list[UUID]:
    """Select the dying nodes that consolidation may make dead, those that have been dying longest first.

    Args:
        patrols: The counted patrols since a node was flagged as dying, at least.
        limit: The most nodes; None: LET_GO_NODES, or LET_GO_PART of the Being's living nodes if that is more.
    """
    return tx.column(
        """
        select n.node_id
        from memory.memory_nodes as n
        join memory.beings as b using (being_id)
        where n.being_id = %(being)s
            and n.status = 'dying'
            and not n.fresh
            and n.cluster_id is not null
            and coalesce(n.dying_since, 0) + %(patrols)s <= b.patrol_counter
        order by n.dying_since nulls first, n.importance, n.node_id
        limit coalesce(
            %(limit)s,
            (
                select greatest(%(least)s, ceil(%(part)s * sum(active_nodes + dying_nodes)))::bigint
                from memory.clusters
                where being_id = %(being)s
            )
        )
        """,
        {"being": being_id, "patrols": patrols, "limit": limit, "least": LET_GO_NODES, "part": LET_GO_PART},
    )


def dying(tx: Transaction, being_id: UUID) -> int:
    """Count the Being's dying nodes."""
    return tx.value(
        """
        select coalesce(sum(dying_nodes), 0)
        from memory.clusters
        where being_id = %s
        """,
        [being_id],
    )


def marked(tx: Transaction, being_id: UUID, may_die: Collection[UUID], limit: int) -> list[ShownNode]:
    """Select the nodes that consolidation has yet to decide: fresh ones and those that may die, newest first.

    Newest first, so that nodes for which answers keep failing do not hold up newer ones.
    """
    # An index has the fresh ones in this order: without a model all nodes stay fresh, and no run may read them all.
    return shown(
        tx,
        """
        cluster_id is not null and node_id = any(%s::uuid[] || array(
            select f.node_id
            from memory.memory_nodes as f
            where f.being_id = %s and f.cluster_id is not null and f.fresh and f.status <> 'dead'
            order by f.created_at desc, f.node_id desc
            limit %s
        ))
        order by created_at desc, node_id desc
        limit %s
        """,
        [being_id, list(may_die), being_id, limit, limit],
    )


def undecided(tx: Transaction, being_id: UUID, at_most: int) -> int:
    """Count the fresh nodes, which no consolidation has decided yet, up to `at_most`."""
    return tx.value(
        """
        select count(*)
        from (
            select from memory.memory_nodes
            where being_id = %s and cluster_id is not null and fresh and status <> 'dead'
            limit %s
        ) as fresh
        """,
        [being_id, at_most],
    )


def sizes(tx: Transaction, being_id: UUID, cluster_ids: Iterable[UUID]) -> dict[UUID, int]:
    """How many living nodes each of the clusters has."""
    return tx.pairs(
        "select cluster_id, active_nodes + dying_nodes as living from memory.clusters"
        " where being_id = %s and cluster_id = any(%s)",
        [being_id, list(cluster_ids)],
    )


def living(tx: Transaction, being_id: UUID, cluster_ids: Iterable[UUID]) -> list[ShownNode]:
    """The living nodes of these clusters, oldest first."""
    return shown(
        tx,
        " cluster_id = any(%s) and status <> 'dead' order by created_at, node_id",
        [being_id, list(cluster_ids)],
    )


def nearest(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """For each node the ten most similar living nodes of its cluster with the same muting, nearest first."""
    # The living nodes are read once, for any number of compared nodes, and none of the dead ones' vectors.
    return tx.pairs(
        f"""
        with asked as materialized ({_WITH_VECTOR} and n.node_id = any(%(nodes)s)),
        living as materialized ({_WITH_VECTOR}
                and n.cluster_id = any(array(select distinct cluster_id from asked))
                and n.status <> 'dead'
        )
        select asked.node_id, array(
            select living.node_id
            from living
            where living.cluster_id = asked.cluster_id and living.muted = asked.muted
                and living.embedding_model = asked.embedding_model
                and living.node_id <> asked.node_id
            order by living.vector <=> asked.vector, living.node_id
            limit %(limit)s
        ) as near
        from asked
        """,  # noqa: S608  # of a constant
        {"being": being_id, "nodes": list(node_ids), "limit": NEAREST_NODES},
    )


def by_ids(tx: Transaction, being_id: UUID, node_ids: Iterable[UUID]) -> list[ShownNode]:
    """Nodes by their ids."""
    return shown(tx, "node_id = any(%s) and cluster_id is not null", [being_id, list(node_ids)])


def born_since(tx: Transaction, being_id: UUID, since: UUID | None, limit: int) -> list[ShownNode]:
    """The newest nodes, without muted ones, that were born after another, or ever; oldest first, in any state.

    Ids of nodes are in the order of their birth, so nothing older is read.
    """
    found = shown(
        tx,
        "(%s::uuid is null or node_id > %s) and cluster_id is not null and forgotten_at is null"
        " and not memory.is_muted(being_id, 'node', node_id)"
        " order by node_id desc limit %s",
        [being_id, since, since, limit],
    )
    return found[::-1]


def handed_in_later(tx: Transaction, being_id: UUID, node_ids: Collection[UUID]) -> set[UUID]:
    """Select the nodes that may be of another day than that of their birth: imported, or drawn from talk."""
    return tx.distinct(
        """
        select n.node_id
        from memory.memory_nodes as n
        join memory.notes as o using (being_id, note_id)
        where n.being_id = %s and n.node_id = any(%s) and o.origin in ('import', 'talk')
        """,
        [being_id, list(node_ids)],
    )


def merge(
    tx: Transaction, being_id: UUID, survivor: ShownNode, absorbed: Sequence[ShownNode], model: str, words: NodeWords
) -> bool:
    """Let the survivor absorb the others and take these words.

    Returns:
        False, and nothing is changed, where one of them was touched since it was shown.
    """
    return tx.value(
        "select memory.merge_nodes(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::halfvec)",
        [
            being_id,
            _seen([survivor, *absorbed]),
            survivor.node_id,
            [node.node_id for node in absorbed],
            Jsonb(words.scene),
            words.feeling,
            words.themes,
            None if words.emotion is None else Jsonb(words.emotion),
            words.text_hash,
            model,
            halfvec(words.vector),
        ],
    )


def let_go(tx: Transaction, being_id: UUID, nodes: Iterable[ShownNode]) -> int:
    """Let dying nodes die that were not touched since they were shown; returns how many.

    Raises:
        Refused: One may not die.
    """
    seen = _seen(nodes)
    return int(tx.value("select memory.let_go(%s, %s)", [being_id, seen])) if seen.obj else 0


def settle(tx: Transaction, being_id: UUID, nodes: Iterable[ShownNode]) -> None:
    """Take the mark `fresh` from nodes that were looked at, except where they were touched since they were shown."""
    tx.execute("select memory.settle_nodes(%s, %s)", [being_id, _seen(nodes)])


def _seen(nodes: Iterable[ShownNode]) -> Jsonb:
    revisions: Mapping[str, int] = {str(node.node_id): node.revision for node in nodes}
    return Jsonb(revisions)
