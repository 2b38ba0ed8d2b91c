"""Lineage: the response of a model that decided on each change of nodes."""

from collections.abc import Iterable
from uuid import UUID

from schemas.nodes.nodes import ShownNode
from store.llm import responses
from store.transaction import Transaction


def cite(tx: Transaction, being_id: UUID, response_id: UUID, shown: Iterable[ShownNode]) -> None:
    """Attribute the transaction's further changes to a model response, which is kept as long as their history.

    Args:
        shown: The nodes that the model was shown: when one of them is erased, the response goes with it.
    """
    tx.execute("select set_config('memory.response_id', %s, true)", [str(response_id)])
    responses.keep(tx, being_id, response_id, [node.node_id for node in shown])


def cite_none(tx: Transaction) -> None:
    """Attribute the transaction's further changes to no model response."""
    tx.execute("select set_config('memory.response_id', '', true)")
