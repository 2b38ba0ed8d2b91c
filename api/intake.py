"""Handing in, whatever it is: what a batch answers, and which of its troubles are errors."""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Header

from api.problems import Rejection
from api.resources import ring
from memory.batches import BatchRefused, DeriveId
from memory.intake import Accepted
from schemas.limits import BATCH_ITEMS, PRODUCER_ID_CHARACTERS
from schemas.receipts import Receipt

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=PRODUCER_ID_CHARACTERS,
        description="Gives items without an id one, by this key and their position: a retry changes nothing.",
    ),
]


def ids_from(idempotency_key: str | None) -> DeriveId:
    """How items without an id get one: from the key of their request, if it has one, and their position."""
    return lambda position: idempotency_key and f"idempotency-key/{idempotency_key}/{position}"


def hand_in(sent: Any, idempotency_key: str | None, accept: Callable[[Sequence[Any], DeriveId], Accepted]) -> Receipt:
    """Take in one item or a list, and ring for what that causes.

    Raises:
        Rejection: Nothing could be taken; the problem says why for each item.
    """
    items = sent if isinstance(sent, list) else [sent]
    try:
        accepted = accept(items, ids_from(idempotency_key))
    except BatchRefused as refusal:
        if len(items) > BATCH_ITEMS:
            raise Rejection(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", str(refusal)) from None
        raise Rejection(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", str(refusal)) from None
    rejected = accepted.receipt.rejected
    if len(rejected) == len(items):
        raise Rejection(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "rejected",
            rejected[0].reason if len(items) == 1 else f"None of the {len(items)} items can be taken.",
            {"rejected": [trouble.model_dump() for trouble in rejected]},
        )
    ring(accepted.rings)
    return accepted.receipt
