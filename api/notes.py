"""Notes: handed in by producers, and looked through to see what became of them."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from pydantic import SkipValidation

from api.auth import FedBeing, ReadBeing
from api.bodies import JsonRoute
from api.intake import IdempotencyKey, hand_in
from api.keys import BroughtKey
from api.openapi import problems
from api.pages import Cursor, Limit
from api.resources import On
from memory.browsing import note_page
from memory.intake import accept_notes
from schemas.answers import NotePage
from schemas.limits import PAGE_NODES
from schemas.receipts import Receipt
from schemas.rows import NoteState
from schemas.wire import NoteInput

router = APIRouter(prefix="/v1/beings/{being}/notes", tags=["Notes"], route_class=JsonRoute)

# Documented as what each item should be; checked item by item, so that a bad one does not spoil the others.
Notes = Annotated[NoteInput | list[NoteInput], SkipValidation]

SCENE = {
    "id": "diary-2026-03-02-1",
    "type": "scene",
    "content": {
        "action": "The oven failed during the morning bake.",
        "actors": ["Mira", "Jon"],
        "when": ["2026-03-02"],
        "feeling": "I had promised bread, and there was none.",
        "importance": 0.7,
    },
}
EXAMPLES: dict[str, Any] = {
    "one scene": {"value": SCENE},
    "a batch": {
        "value": [
            {**SCENE, "id": "diary-2026-03-02-2"},
            {"type": "todo", "content": "Call the oven repair."},
            {"type": "reminder", "content": "Jon's birthday", "due_at": "2026-05-02T09:00:00+02:00"},
            {"type": "knowledge", "title": "The starter", "content": "It is fed at six, with rye."},
        ]
    },
}


@router.post("", status_code=HTTPStatus.ACCEPTED, responses=problems(409, 429))
def hand_in_notes(
    on: On,
    being: FedBeing,
    notes: Annotated[Notes, Body(openapi_examples=EXAMPLES)],
    brought: BroughtKey,
    idempotency_key: IdempotencyKey = None,
) -> Receipt:
    """Hand in one note, or a list of up to 1,000. Accepted means committed.

    Scope `ingest`.

    Items are at most 64 KB each. One that can't be taken is listed under `rejected` by its position, and the others are
    taken; where none can be, the answer is a 422 with the same list. An id that is known with the same content is a
    duplicate and changes nothing; with other content it is listed under `conflicts` and changes nothing either.
    """
    return hand_in(
        notes, idempotency_key, partial(accept_notes, on.store, on.settings, being.being_id, paid_by=brought)
    )


@router.get("")
def list_notes(
    on: On,
    being: ReadBeing,
    state: Annotated[
        NoteState | None,
        Query(description="Only these; `parse_failed` are scenes that no memory could be made of, with the reason."),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> NotePage:
    """List notes with what became of each.

    Scope `read`.
    """
    return note_page(on.store, being.being_id, state=state, cursor=cursor, limit=limit)
