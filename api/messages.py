"""Messages: handed in by producers, and erased."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body
from pydantic import SkipValidation

from api.auth import FedBeing, ManagedBeing
from api.bodies import JsonRoute
from api.intake import IdempotencyKey, hand_in
from api.keys import BroughtKey
from api.openapi import problems
from api.resources import On, ring
from memory import erasure
from memory.intake import accept_messages
from schemas.fact_answers import Erased
from schemas.receipts import Receipt
from schemas.wire import MessageInput

router = APIRouter(prefix="/v1/beings/{being}", tags=["Messages"], route_class=JsonRoute)

# Documented as what each item should be; checked item by item, so that a bad one does not spoil the others.
Messages = Annotated[MessageInput | list[MessageInput], SkipValidation]

SAID = {"id": "turn-1", "role": "user", "content": "The oven failed again.", "created_at": "2026-03-02T06:10:00+01:00"}
EXAMPLES: dict[str, Any] = {
    "one message": {"value": SAID},
    "a batch": {"value": [SAID, {"role": "assistant", "content": "On a market day, too."}]},
}


@router.post("/messages", status_code=HTTPStatus.ACCEPTED, responses=problems(409))
def hand_in_messages(
    on: On,
    being: FedBeing,
    messages: Annotated[Messages, Body(openapi_examples=EXAMPLES)],
    brought: BroughtKey,
    idempotency_key: IdempotencyKey = None,
) -> Receipt:
    """Hand in one message, or a list of up to 1,000. Accepted means committed.

    Scope `ingest`.

    A message belongs to the session within 30 minutes of which it was said, by its own `created_at`; more than five
    minutes in the future is refused. What holds for notes holds for messages: items are at most 64 KB each, those that
    can't be taken are listed under `rejected`, and an id is taken once.
    """
    accept = partial(accept_messages, on.store, on.settings, being.being_id, paid_by=brought)
    return hand_in(messages, idempotency_key, accept)


@router.delete("/messages/{message_id}")
def erase_message(on: On, being: ManagedBeing, message_id: UUID) -> Erased:
    """Erase a message, and with it the facts and todos that rest on it alone; the answer names them.

    Scope `manage`.

    What such a message had changed is as it was before: an older statement stands again, a todo is open again.
    """
    erased, rings = erasure.erase_messages(on.store, being, [message_id])
    ring(rings)
    return erased
