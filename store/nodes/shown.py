"""Nodes as they are shown to a model, each with its revision at that moment."""

from collections.abc import Sequence
from typing import Any, LiteralString

from psycopg.rows import class_row

from schemas.nodes.nodes import ShownNode
from store.transaction import Transaction

SHOWN: LiteralString = (
    "select node_id, cluster_id, scene, feeling, themes, emotion, importance, status, fresh, pinned, created_at,"
    " revision, memory.brought_with(being_id, node_id) as request_key_id"
    " from memory.memory_nodes where being_id = %s and "
)


def shown(tx: Transaction, which: LiteralString, parameters: Sequence[Any]) -> list[ShownNode]:
    """Nodes of a Being.

    Args:
        tx: The transaction.
        which: A condition, and in what order.
        parameters: The Being's id, then those of the condition.
    """
    with tx.cursor(row_factory=class_row(ShownNode)) as cursor:
        return cursor.execute(SHOWN + which, parameters).fetchall()
