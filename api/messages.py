"""Messages: handed in by producers, and looked through by session."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body, Query
from pydantic import SkipValidation

from api.auth import FedBeing, ManagedBeing, ReadBeing
from api.bodies import JsonRoute
from api.intake import IdempotencyKey, hand_in
from api.keys import BroughtKey
from api.openapi import problems
from api.resources import On, ring
from memory import browsing, erasure
from memory.intake import accept_messages
from schemas.answers import SessionPage
from schemas.fact_answers import Erased
from schemas.limits import LONGEST_PAGE, PAGE_NODES
from schemas.receipts import Receipt
from schemas.rows import Message
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


@router.get("/sessions")
def list_sessions(
    on: On,
    being: ReadBeing,
    cursor: Annotated[str | None, Query(description="Where the page before ended.")] = None,
    limit: Annotated[int, Query(ge=1, le=LONGEST_PAGE)] = PAGE_NODES,
) -> SessionPage:
    """List conversations, the one opened last first; one that goes on has no `ended_at`.

    Scope `read`.
    """
    return browsing.session_page(on.store, being.being_id, cursor=cursor, limit=limit)


@router.get("/sessions/{session_id}/messages")
def list_messages(on: On, being: ReadBeing, session_id: UUID) -> list[Message]:
    """List what was said in a conversation, in order.

    Scope `read`.
    """
    return browsing.said_in(on.store, being.being_id, session_id)


@router.delete("/messages/{message_id}")
def erase_message(on: On, being: ManagedBeing, message_id: UUID) -> Erased:
    """Erase a message, and with it the facts and todos that rest on it alone; the answer names them.

    Scope `manage`.

    What such a message had changed is as it was before: an older statement stands again, a todo is open again.
    """
    erased, rings = erasure.erase_messages(on.store, being, [message_id])
    ring(rings)
    return erased
