"""The route that streams an answer part by part, as server-sent events."""

from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextvars import copy_context
from threading import Lock
from typing import TypeVar

from anyio import CancelScope
from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from starlette.types import Scope

from api.http.access.auth import ReadBeing
from api.http.bodies import JsonRoute
from api.http.endpoints import Router
from api.http.idempotency import RepeatableKey
from api.http.openapi import problems
from api.http.problems import answer
from api.http.request_key import RequestKey
from api.http.resources import On
from memory.asking.answering import AskInputs, Part, answered_in_parts
from schemas.context.asking import AskAnswer, AskRequest, LookedAt, Sentence

router = Router(prefix="/v1/beings/{being}", tags=["Search"], route_class=JsonRoute)

Made = TypeVar("Made")

EVENTS = "text/event-stream"
EVENT = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string", "description": "JSON."}},
    "required": ["event", "data"],
}
NAMES: Mapping[type[Part], str] = {LookedAt: "looked_at", Sentence: "sentence", AskAnswer: "answer"}


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

    `looked_at` comes first, then a `sentence` each, as soon as the model has written it and it was checked, and at the
    end `answer` with all of it, as the route without `/stream` answers: it counts where it differs from the sentences
    before. If it can't be ended, the last event is a `problem`. A client that leaves ends the model's call.
    """
    asking = AskInputs(on.store, on.embedders, on.thinkers, on.settings, being, question, request_key)
    parts = answered_in_parts(asking)
    # An invalid question is reported by the status.
    first = next(parts)
    return StreamingResponse(
        _events(first, parts, request.scope), media_type=EVENTS, headers={"Cache-Control": "no-store"}
    )


async def _events(first: Part, parts: Generator[Part, None, None], scope: Scope) -> AsyncIterator[bytes]:
    """The events, each as soon as its part is there. A client that leaves ends the model's call."""
    # Each part may be made in another thread: the threads share the context. A thread that makes a part goes on
    # when the request is cancelled, so the end waits for it.
    context, one_thread = copy_context(), Lock()

    def in_turn(do: Callable[[], Made]) -> Made:
        with one_thread:
            return context.run(do)

    part: Part | None = first
    try:
        while part is not None:
            yield _event(NAMES[type(part)], part.model_dump_json().encode())
            part = await run_in_threadpool(in_turn, lambda: next(parts, None))
    except Exception as fault:  # noqa: BLE001  # the status is sent already
        yield _event("problem", bytes(answer(scope, fault).body))
    finally:
        with CancelScope(shield=True):
            await run_in_threadpool(in_turn, parts.close)


def _event(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)
