"""The route to hand in what is said in a room."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Body, Depends, Path
from pydantic import SkipValidation

from api.http.access.auth import Permitted
from api.http.bodies import JsonRoute, body_limit
from api.http.endpoints import Router
from api.http.openapi import problems
from api.http.request_key import RequestKey
from api.http.resources import On
from api.intake.batches import IdempotencyKey, hand_in
from memory.accounts import rooms
from memory.accounts.access import Caller
from schemas.intake.notes import Receipt
from schemas.talk.rooms import RoomMessageInput

router = Router(prefix="/v1/rooms/{room}", tags=["Rooms"], route_class=JsonRoute)

# The type documents valid items; intake checks each item by itself, so that one invalid item refuses no other.
Utterances = Annotated[RoomMessageInput | list[RoomMessageInput], SkipValidation]

EXAMPLES: dict[str, Any] = {
    "one utterance": {
        "value": {"id": "turn-1", "role": "user", "content": "Leo is asleep. Listen.", "present": ["mira"]},
    },
    "a batch": {"value": [{"speaker_being": "leo", "content": "Good morning."}, {"role": "user", "content": "Tea?"}]},
}


@router.post("/messages", status_code=HTTPStatus.ACCEPTED, responses=problems(409))
@body_limit("batch")
def hand_in_room_messages(
    on: On,
    caller: Annotated[Caller, Depends(Permitted("ingest"))],
    room: Annotated[str, Path(max_length=200, description="The room's id or slug.")],
    messages: Annotated[Utterances, Body(openapi_examples=EXAMPLES)],
    request_key: RequestKey,
    idempotency_key: IdempotencyKey = None,
) -> Receipt:
    """Hand in one utterance of a room, or a list of up to 1,000. Accepted means committed.

    Scope `ingest`.

    Each becomes a message of every Being that is `present`, under the same id: of the Being that speaks its own words,
    of the others what they heard. A Being that is absent has none of it. It is judged once for all of them. A token for
    one Being writes what that Being hears alone; the same id with the same words, handed in for another Being, is the
    same utterance. Items are limited and refused as messages to a Being are.
    """
    accept = partial(rooms.hand_in, on.store, on.settings, caller, room, paid_by=request_key)
    return hand_in(messages, idempotency_key, accept)
