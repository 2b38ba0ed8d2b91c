"""Routes of messages: intake, confidences, retraction and erasure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body, Request
from pydantic import SkipValidation

from api.accounts.keys import RequestKey
from api.http.auth import IngestBeing, ManagedBeing
from api.http.bodies import JsonRoute, body_limit
from api.http.fair_use import is_large
from api.http.gathering import Gathering
from api.http.openapi import problems
from api.http.resources import On
from api.http.threads import Threads, threads_of
from api.intake.batches import IdempotencyKey, hand_in, ids_from, items_of, request_id, some_taken
from memory.accounts import erasure
from memory.intake import retraction
from memory.intake.batches import is_bulk
from memory.intake.messages import accept_messages
from memory.intake.together import Sent, accept_together
from memory.talk import confidences
from schemas.facts.answers import Erased
from schemas.intake.inputs import MessageInput
from schemas.intake.notes import Receipt
from schemas.limits import BULK_ITEMS
from schemas.talk.confidences import MessageChanges
from schemas.talk.messages import Message
from schemas.talk.retraction import MessageSelection, Restored, Retracted
from workers.runtime.resources import Resources


@dataclass(frozen=True)
class Destination:
    """The Being that messages are for, and the id of the key that came with their request, if one did."""

    being_id: UUID
    request_key_id: UUID | None


MessagesTogether = Gathering[Destination, Sent, Receipt]
"""Takes in what concurrent requests hand in to one Being in one transaction."""


def messages_together(on: Resources, threads: Threads) -> MessagesTogether:
    """Return what takes in the messages of concurrent requests to one process."""

    def accept(to: Destination, sent: Sequence[Sent]) -> list[Receipt | Exception]:
        return accept_together(on.store, on.settings, to.being_id, sent, paid_by=to.request_key_id)

    return Gathering(accept, BULK_ITEMS, threads)


router = APIRouter(prefix="/v1/beings/{being}", tags=["Messages"], route_class=JsonRoute)

# The type documents valid items; intake checks each item by itself, so that one invalid item refuses no other.
Messages = Annotated[MessageInput | list[MessageInput], SkipValidation]

EXAMPLE = {
    "id": "turn-1",
    "role": "user",
    "content": "The oven failed again.",
    "created_at": "2026-03-02T06:10:00+01:00",
}
EXAMPLES: dict[str, Any] = {
    "one message": {"value": EXAMPLE},
    "a batch": {"value": [EXAMPLE, {"role": "assistant", "content": "On a market day, too."}]},
}

SELECTIONS: dict[str, Any] = {
    "an answer": {"value": {"ids": ["turn-2"]}},
    "back to a message": {"value": {"conversation": "chat-7", "after": "turn-1"}},
}


@router.post("/messages", status_code=HTTPStatus.ACCEPTED, responses=problems(409))
@body_limit("batch")
async def hand_in_messages(
    request: Request,
    on: On,
    being: IngestBeing,
    messages: Annotated[Messages, Body(openapi_examples=EXAMPLES)],
    request_key: RequestKey,
    idempotency_key: IdempotencyKey = None,
) -> Receipt:
    """Hand in one message, or a list of up to 1,000. Accepted means committed.

    Scope `ingest`.

    A message belongs to the session within 30 minutes of its own `created_at`. A time up to an hour in the future
    becomes now, and a later one is refused. Of a message with more than 64 KB the beginning is kept; it is listed under
    `shortened`. Characters that are none (NUL, halves of UTF-16 pairs) become U+FFFD. As for notes, refused items are
    listed under `rejected`, and an id is taken once.
    """
    items = items_of(messages)
    if is_bulk(items) or is_large(request.headers):
        accept = partial(accept_messages, on.store, on.settings, being.being_id, paid_by=request_key)
        return await threads_of(request.app).run(hand_in, messages, idempotency_key, accept)
    together: MessagesTogether = request.app.state.messages_together
    destination = Destination(being.being_id, request_key)
    return some_taken(await together.join(destination, Sent(items, ids_from(idempotency_key)), len(items)))


@router.post("/messages/retract")
def retract_messages(
    on: On,
    being: IngestBeing,
    selection: Annotated[MessageSelection, Body(openapi_examples=SELECTIONS)],
    idempotency_key: IdempotencyKey = None,
) -> Retracted:
    """Take messages back: by `ids`, or those of a `conversation` behind the message `after`.

    Scope `ingest`.

    A retracted message counts as never said. It is in no search, context or prompt, and workers derive again, without
    it, what was derived from it. A retraction that comes before its message waits for it. The same id with other
    content is then a new version of the message.
    """
    return retraction.retract(
        on.store, on.settings, on.embedders, being.being_id, selection, request_id=request_id(idempotency_key)
    )


@router.post("/messages/restore", responses=problems(410))
def restore_messages(
    on: On,
    being: IngestBeing,
    selection: Annotated[MessageSelection, Body(openapi_examples=SELECTIONS)],
    idempotency_key: IdempotencyKey = None,
) -> Restored:
    """Let retracted messages stand again, under their own ids and times.

    Scope `ingest`.

    They are processed as new messages are. What was erased does not come back: 410, and nothing is restored.
    """
    return retraction.restore(on.store, on.settings, being.being_id, selection, request_id=request_id(idempotency_key))


@router.patch("/messages/{message_id}")
def change_message(on: On, being: ManagedBeing, message_id: UUID, changes: MessageChanges) -> Message:
    """Set or lift the confidence of a message.

    Scope `manage`.

    A message in confidence stays, with all that rests on it, with the Being that it was said to. The decision precedes
    the mark of the message's producer and what a model finds, and facts and the spine follow it.
    """
    (message,) = confidences.decide_on_messages(on.store, being, [str(message_id)], in_confidence=changes.in_confidence)
    return message


@router.get("/messages/{message_id}/erasure")
def preview_erasure(on: On, being: ManagedBeing, message_id: UUID) -> Erased:
    """Show what erasing a message would remove and change; nothing is erased.

    Scope `manage`.
    """
    return erasure.preview_messages(on.store, on.settings, on.embedders, being, [message_id])


@router.delete("/messages/{message_id}")
def erase_message(on: On, being: ManagedBeing, message_id: UUID) -> Erased:
    """Erase a message, with the facts and todos that no other message supports; the answer names them.

    Scope `manage`.

    Scenes that were drawn from it go with their memories. Its other effects are undone: a statement that it replaced is
    current again, a todo that it closed is open.
    """
    return erasure.erase_messages(on.store, on.settings, on.embedders, being, [message_id])
