"""Nodes in the form that a model is shown, each with its revision at that moment."""

from collections.abc import Sequence
from typing import Any, LiteralString
from uuid import UUID

from schemas.nodes.nodes import ShownNode
from store.transaction import Transaction

# Most notes came without a key, and the call of a function is spared for each of those.
SHOWN: LiteralString = """
    select
        n.node_id, n.cluster_id, n.scene, n.feeling, n.themes, n.emotion, n.importance, n.status, n.fresh, n.pinned,
        n.created_at, n.revision,
        memory.is_muted(n.being_id, 'node', n.node_id) as muted,
        case
            when exists (
                select from memory.notes as o
                where o.being_id = n.being_id and o.note_id = n.note_id and o.request_key_id is not null
            )
            then memory.brought_with(n.being_id, n.node_id)
        end as request_key_id
    from memory.memory_nodes as n
    where n.being_id = %s and
"""


def shown(tx: Transaction, which: LiteralString, parameters: Sequence[Any]) -> list[ShownNode]:
    """Nodes of a Being.

    Args:
        which: A condition, and an order.
        parameters: The Being's id, then those of the condition.
    """
    return tx.rows(ShownNode, SHOWN + which, parameters)


def newest(tx: Transaction, being_id: UUID, cluster_id: UUID, limit: int) -> list[ShownNode]:
    """The active nodes of a cluster by which it is named and divided, newest first; muted ones if it is muted."""
    return shown(
        tx,
        """
            cluster_id = %s and status = 'active'
            and memory.is_muted(being_id, 'node', node_id) = memory.is_muted(being_id, 'topic', cluster_id)
        order by created_at desc, node_id desc
        limit %s
        """,
        [being_id, cluster_id, limit],
    )
