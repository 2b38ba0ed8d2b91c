"""Makes every POST repeatable: with an Idempotency-Key the same request is applied once, and answered alike.

Routes whose handler takes the key itself derive ids from it, or are repeatable by nature. The others are wrapped here:
their writes commit together with the stored answer for a repetition.
"""

import hashlib
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Header, Request, Response
from pydantic import TypeAdapter

from api.http.access.credentials import secret_of
from api.http.endpoints import stand_for
from memory.accounts.access import Caller
from memory.accounts.request_answers import KeyedRequest, NewAnswer, answer_again, answer_once
from schemas.limits import PRODUCER_ID_CHARACTERS
from schemas.wire.fields import MARK

if TYPE_CHECKING:
    from workers.runtime.resources import Resources

PARAMETER = "idempotency_key"
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

RequestKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=PRODUCER_ID_CHARACTERS,
        description="A new random text with each new request. The same request with the same key, sent again with the "
        "same token within PATROL_KEEP_REQUEST_ANSWERS, is applied once and answered alike.",
    ),
]
RepeatableKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=PRODUCER_ID_CHARACTERS,
        description="Accepted, and without effect: the same request again changes nothing.",
    ),
]


def calls_models(endpoint: Endpoint) -> Endpoint:
    """Mark an endpoint that may call a model, and that is harmless when it is handled again."""
    endpoint.calls_models = True  # type: ignore[attr-defined]  # `repeatable` reads it
    return endpoint


def takes_key(endpoint: Callable[..., Any]) -> bool:
    """Whether an endpoint takes the Idempotency-Key."""
    return PARAMETER in inspect.signature(endpoint).parameters


def repeatable(endpoint: Callable[..., Any], status: int | None, options: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the endpoint with one more parameter, the Idempotency-Key, under which it is applied once.

    Args:
        endpoint: A handler that returns a model or None.
        status: The status of its answers.
        options: How its models become JSON, as pydantic's `dump_json` takes it.
    """
    signature = inspect.signature(endpoint)
    of_answer: TypeAdapter[Any] = TypeAdapter(signature.return_annotation)
    answer_repeatedly = answer_again if getattr(endpoint, "calls_models", False) else answer_once
    to_json = partial(of_answer.dump_json, by_alias=True, **options)

    def handle(sent: Request, idempotency_key: str | None, **arguments: Any) -> Any:
        def make() -> NewAnswer:
            made = endpoint(**arguments)
            off_the_record = any(getattr(each, MARK, False) is True for each in (made, *arguments.values()))
            return NewAnswer(to_json(made), off_the_record=off_the_record)

        keyed = idempotency_key and _keyed(sent, idempotency_key)
        on: Resources = sent.app.state.resources
        # Made in the handler's thread; the framework would make it on the event loop.
        body = answer_repeatedly(on.store, keyed, make) if keyed else make().answer
        if signature.return_annotation is None:
            return Response(status_code=status or HTTPStatus.NO_CONTENT)
        return Response(body, status or HTTPStatus.OK, media_type="application/json")

    key = inspect.Parameter(PARAMETER, inspect.Parameter.KEYWORD_ONLY, annotation=RequestKey, default=None)
    sender = inspect.Parameter("sent", inspect.Parameter.KEYWORD_ONLY, annotation=Request)
    stand_for(handle, endpoint, sender, key)
    return handle


def _keyed(request: Request, key: str) -> KeyedRequest | None:
    """Return the request with its owner; None for an operator's that names no user, such as a replay of work."""
    caller = request.state.caller
    owner = caller.user_id if isinstance(caller, Caller) else request.path_params.get("user_id")
    if owner is None:
        return None
    user_id = UUID(str(owner))
    fingerprint = f"{request.method} {request.url.path}?{request.url.query} ".encode() + getattr(request, "digest", b"")
    return KeyedRequest(user_id, secret_of(request.headers), key, hashlib.sha256(fingerprint).digest())
