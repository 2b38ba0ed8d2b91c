"""The route that tells an answer part by part, as server-sent events."""

from collections.abc import Iterator, Mapping
from itertools import chain

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from starlette.types import Scope

from api.http.access.auth import ReadBeing
from api.http.bodies import JsonRoute
from api.http.idempotency import RepeatableKey
from api.http.openapi import problems
from api.http.problems import answer
from api.http.request_key import RequestKey
from api.http.resources import On
from memory.asking.answering import Part, answered_in_parts
from schemas.context.asking import Asked, AskRequest, LookedAt, Sentence

router = APIRouter(prefix="/v1/beings/{being}", tags=["Search"], route_class=JsonRoute)

EVENTS = "text/event-stream"
EVENT = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string", "description": "JSON."}},
    "required": ["event", "data"],
}
NAMES: Mapping[type[Part], str] = {LookedAt: "looked_at", Sentence: "sentence", Asked: "answer"}


@router.post(
    "/ask/stream",
    response_class=StreamingResponse,
    responses=problems()
    | {200: {"content": {EVENTS: {"schema": EVENT}}, "description": "Server-sent events, each of this form."}},
)
def stream_answer(
    request: Request,
    on: On,
    being: ReadBeing,
    question: AskRequest,
    request_key: RequestKey,
    idempotency_key: RepeatableKey = None,  # noqa: ARG001  # every POST takes one
) -> StreamingResponse:
    """Ask a question, and get each sentence as soon as it was checked, as server-sent events.

    Scope `read`.

    `looked_at` comes first, then a `sentence` each, and at the end `answer` with all of it, as the route without
    `/stream` answers. If it can't be ended, the last event is a `problem`.
    """
    parts = answered_in_parts(on.store, on.embedders, on.thinkers, on.settings, being, question, request_key)
    # What is wrong with the question is told by the status.
    first = next(parts)
    return StreamingResponse(
        _events(chain([first], parts), request.scope), media_type=EVENTS, headers={"Cache-Control": "no-store"}
    )


def _events(parts: Iterator[Part], scope: Scope) -> Iterator[bytes]:
    try:
        for part in parts:
            yield _event(NAMES[type(part)], part.model_dump_json().encode())
    except Exception as fault:  # noqa: BLE001  # the status is sent already
        yield _event("problem", bytes(answer(scope, fault).body))


def _event(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)
