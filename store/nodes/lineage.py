"""Lineage: which response of a model decided what happens to nodes."""

from uuid import UUID

from store.llm import responses
from store.transaction import Transaction


def cite(tx: Transaction, being_id: UUID, response_id: UUID | None) -> None:
    """Attribute the transaction's further changes to a model response, which is kept as long as their history.

    Args:
        tx: The transaction.
        being_id: The Being.
        response_id: The response; None: no model decided the changes.
    """
    tx.execute("select set_config('memory.response_id', %s, true)", [str(response_id or "")])
    if response_id is not None:
        responses.keep(tx, being_id, [response_id])
