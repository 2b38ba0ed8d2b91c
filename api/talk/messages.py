"""The routes to hand in messages to a Being, and utterances to a room."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from fastapi import Body, Depends, Path, Request
from pydantic import SkipValidation
from starlette.concurrency import run_in_threadpool

from api.http.access.auth import IngestBeing, Permitted
from api.http.bodies import JsonRoute, body_limit
from api.http.endpoints import Router
from api.http.gathering import Gathering
from api.http.load.fair_use import is_large
from api.http.openapi import problems
from api.http.request_key import RequestKey
from api.http.resources import On
from api.intake.batches import IdempotencyKey, hand_in, items_of, some_taken
from memory.accounts import rooms
from memory.accounts.access import Caller
from memory.intake.accepting import is_bulk
from memory.intake.messages import accept_messages
from memory.intake.request_batches import MessageRequest, accept_together
from operations.parameters import ids_from
from schemas.intake.inputs import MessageInput
from schemas.intake.notes import Receipt
from schemas.limits import BULK_ITEMS
from schemas.talk.rooms import RoomMessageInput
from workers.runtime.resources import Resources


@dataclass(frozen=True)
class Destination:
    """The Being that messages are for, and the id of the key that came with their request, if one did."""

    being_id: UUID
    request_key_id: UUID | None


MessagesTogether = Gathering[Destination, MessageRequest, Receipt]
"""Takes in what concurrent requests hand in to one Being in one transaction."""


def messages_together(on: Resources) -> MessagesTogether:
    """Return the gathering that takes in the messages of concurrent requests to one process."""

    def accept(to: Destination, sent: Sequence[MessageRequest]) -> list[Receipt | Exception]:
        return accept_together(on.store, on.settings, to.being_id, sent, paid_by=to.request_key_id)

    return Gathering(accept, BULK_ITEMS)


router = Router(prefix="/v1/beings/{being}", tags=["Messages"], route_class=JsonRoute)

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
        return await run_in_threadpool(hand_in, messages, idempotency_key, accept)
    together: MessagesTogether = request.app.state.messages_together
    destination = Destination(being.being_id, request_key)
    return some_taken(await together.join(destination, MessageRequest(items, ids_from(idempotency_key)), len(items)))


rooms_router = Router(prefix="/v1/rooms/{room}", tags=["Rooms"], route_class=JsonRoute)

Utterances = Annotated[RoomMessageInput | list[RoomMessageInput], SkipValidation]

ROOM_EXAMPLES: dict[str, Any] = {
    "one utterance": {
        "value": {"id": "turn-1", "role": "user", "content": "Leo is asleep. Listen.", "present": ["mira"]},
    },
    "a batch": {"value": [{"speaker_being": "leo", "content": "Good morning."}, {"role": "user", "content": "Tea?"}]},
}


@rooms_router.post("/messages", status_code=HTTPStatus.ACCEPTED, responses=problems(409))
@body_limit("batch")
def hand_in_room_messages(
    on: On,
    caller: Annotated[Caller, Depends(Permitted("ingest"))],
    room: Annotated[str, Path(max_length=200, description="The room's id or slug.")],
    messages: Annotated[Utterances, Body(openapi_examples=ROOM_EXAMPLES)],
    request_key: RequestKey,
    idempotency_key: IdempotencyKey = None,
) -> Receipt:
    """Hand in one utterance of a room, or a list of up to 1,000. Accepted means committed.

    Scope `ingest`.

    Each becomes a message of every Being that is `present`, under the same id: of the Being that speaks its own
    words, of the others words that they heard. A Being that is absent has none of it. It is judged once for all. A
    token for one Being writes what that Being hears alone; the same id with the same words, handed in for another
    Being, is the same utterance. Items are limited and refused as messages to a Being are.
    """
    accept = partial(rooms.hand_in, on.store, on.settings, caller, room, paid_by=request_key)
    return hand_in(messages, idempotency_key, accept)
