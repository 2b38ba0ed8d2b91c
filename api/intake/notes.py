"""Routes to hand in notes and to list them with their outcome."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Body
from pydantic import SkipValidation

from api.http.access.auth import IngestBeing
from api.http.bodies import JsonRoute, body_limit
from api.http.endpoints import Router
from api.http.openapi import problems
from api.http.request_key import RequestKey
from api.http.resources import On
from api.intake.batches import IdempotencyKey, hand_in
from memory.intake.notes import accept_notes
from schemas.intake.inputs import NoteInput
from schemas.intake.notes import Receipt

router = Router(prefix="/v1/beings/{being}/notes", tags=["Notes"], route_class=JsonRoute)

# Declared for the OpenAPI document; validated item by item, so that an invalid one does not reject the others.
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


@router.post("", status_code=HTTPStatus.ACCEPTED, responses=problems(409))
@body_limit("batch")
def hand_in_notes(
    on: On,
    being: IngestBeing,
    notes: Annotated[Notes, Body(openapi_examples=EXAMPLES)],
    request_key: RequestKey,
    idempotency_key: IdempotencyKey = None,
) -> Receipt:
    """Hand in one note, or a list of up to 1,000. Accepted means committed.

    Scope `ingest`.

    Items are at most 64 KB each. An invalid item is listed under `rejected` by its position, and the others are
    accepted; if all are invalid, the answer is a 422 with the same list. An item whose id is stored with the same
    content is a duplicate and changes nothing; with other content it is listed under `conflicts` and changes nothing
    either.
    """
    return hand_in(
        notes, idempotency_key, partial(accept_notes, on.store, on.settings, being.being_id, paid_by=request_key)
    )
