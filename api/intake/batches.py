"""Intake of one item or a list: receipts, and the problem if every item was rejected."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import Header

from memory.text.errors import NothingTaken
from memory.text.items import DeriveId
from operations.parameters import ItemKey, ids_from
from schemas.intake.notes import Receipt

IdempotencyKey = Annotated[ItemKey, Header()]


def hand_in(sent: Any, idempotency_key: str | None, accept: Callable[[Sequence[Any], DeriveId], Receipt]) -> Receipt:
    """Take in one item or a list.

    Raises:
        NothingTaken: No item was accepted; the problem has the reason for each.
    """
    return some_taken(accept(items_of(sent), ids_from(idempotency_key)))


def items_of(sent: Any) -> Sequence[Any]:
    """Return the items of a body, which is a list or one item."""
    return sent if isinstance(sent, list) else [sent]


def some_taken(receipt: Receipt) -> Receipt:
    """Return a receipt, if any of its items was not rejected.

    Raises:
        NothingTaken: No item was accepted; the problem has the reason for each.
    """
    rejected, count = receipt.rejected, len(receipt.ids)
    if len(rejected) == count:
        detail = rejected[0].reason if count == 1 else f"All {count} items were rejected."
        raise NothingTaken(detail, rejected)
    return receipt
