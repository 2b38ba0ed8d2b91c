"""Lineage: which response of a model decided what happens to nodes."""

from uuid import UUID

from store import responses
from store.transaction import Transaction


def cite(tx: Transaction, being_id: UUID, response_id: UUID | None) -> None:
    """Sign what this transaction changes from now on with the response that decided it, which is kept for as long.

    Args:
        tx: The transaction.
        being_id: Whose nodes are changed.
        response_id: What a model said; None where no model has.
    """
    tx.execute("select set_config('memory.response_id', %s, true)", [str(response_id or "")])
    if response_id is not None:
        responses.keep(tx, being_id, [response_id])
