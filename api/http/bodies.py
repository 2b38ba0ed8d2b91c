"""Reads request bodies, limited by route in bytes, time and number of JSON values.

Scopes are checked first. The size limit is then checked against `Content-Length`, and again while the body arrives.
JSON is parsed in a thread, unless it is short; a syntax error is reported with its place.
"""

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Iterator
from http import HTTPStatus
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from api.http.access.auth import OperatorPermitted, Scoped
from api.http.idempotency import repeatable, takes_key
from api.http.json_values import read_batch, read_json, too_large
from api.http.load.bulk_queue import BulkTurn
from api.http.load.fair_use import LARGE_BYTES, is_large
from api.http.problems import Rejection
from operations.declaration import BodySize
from schemas.limits import (
    BULK_ITEMS,
    DOCUMENT_BYTES,
    DOCUMENT_VALUES,
    QUESTION_BYTES,
    QUESTION_VALUES,
)
from schemas.settings import Settings

FEW_BYTES = 4096

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def body_limit(size: BodySize) -> Callable[[Endpoint], Endpoint]:
    """Set the limit of an endpoint's body, where it is not that of a question."""

    def mark(endpoint: Endpoint) -> Endpoint:
        endpoint.body_size = size  # type: ignore[attr-defined]  # JsonRoute reads it
        return endpoint

    return mark


class JsonRoute(APIRoute):
    """A route that accepts only JSON bodies of a limited size, and with POST an Idempotency-Key."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        if "POST" in (options.get("methods") or ()) and not takes_key(endpoint):
            omit = {name: options.get(f"response_model_{name}", False) for name in ("exclude_none", "exclude_unset")}
            endpoint = repeatable(endpoint, options.get("status_code"), omit)
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Check scopes and media type, then call the framework's handler with a `JsonRequest`."""
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        size: BodySize = getattr(self.endpoint, "body_size", "question")
        permissions = [*_permissions(self.dependant)]

        async def read_and_handle(request: Request) -> Response:
            for permission in permissions:
                permission.check(request)
            _must_be_json(request)
            async with BulkTurn(request) as turn:
                settings: Settings = request.app.state.resources.settings
                receive = limited(request.receive, request.headers, _most_bytes(size, settings), settings)
                if is_large(request.headers) and (refusal := turn.refusal()):
                    await _read_to_end(receive)
                    raise refusal
                return await handle(JsonRequest(request.scope, receive, size, turn))

        return read_and_handle


class JsonRequest(Request):
    """A request whose body is limited, and parsed as JSON; outside the event loop unless it is short.

    Args:
        scope: The request's ASGI scope.
        receive: Receives the body, up to its limit.
        size: The limit of the body.
        turn: Taken before a bulk body (a large one, or a long list) is parsed or handled.

    Attributes:
        digest: The body's digest, once it was read.
    """

    def __init__(self, scope: Scope, receive: Receive, size: BodySize, turn: BulkTurn) -> None:
        super().__init__(scope, receive)
        self._size = size
        self._turn = turn
        self.digest = b""

    async def json(self) -> Any:
        """Parse the body. NaN and infinite numbers are left to the validation of the item that holds them.

        Raises:
            Rejection: The body is not JSON or has too many values; the text names the place. Or it is bulk, and waiting
                would take too long.
        """
        body = await self.body()
        self.digest = hashlib.sha256(body).digest()
        if len(body) > LARGE_BYTES:
            await self._turn.take()
        # Changing threads takes longer than parsing few bytes.
        read = self._read(body) if len(body) <= FEW_BYTES else await run_in_threadpool(self._read, body)
        if isinstance(read, list) and len(read) > BULK_ITEMS:
            await self._turn.take()
        return read

    def _read(self, body: bytes) -> Any:
        match self._size:
            case "question":
                return read_json(body, QUESTION_VALUES)
            case "document":
                return read_json(body, DOCUMENT_VALUES)
            case "batch":
                return read_batch(body)


def _most_bytes(size: BodySize, settings: Settings) -> int:
    return {"question": QUESTION_BYTES, "document": DOCUMENT_BYTES, "batch": settings.api_batch_bytes}[size]


async def _read_to_end(receive: Receive) -> None:
    """Read a body and keep nothing of it, so that the client reads the answer."""
    while (message := await receive()).get("more_body") and message["type"] == "http.request":
        pass


def limited(receive: Receive, headers: Headers, most_bytes: int, settings: Settings) -> Receive:
    """Limit the size and the pace of a body, with or without a `Content-Length`.

    Args:
        receive: The ASGI function that receives the body.
        headers: The request's headers.
        most_bytes: The limit of the body, in bytes.
        settings: The body's time limit: `api_body_timeout`, and one second more for each `api_body_rate` bytes.

    Returns:
        A function that receives the same body, and raises a `Rejection` at the first limit that is exceeded.
    """
    announced = headers.get("content-length", "0")
    too_long = announced.isdecimal() and (len(announced) > 18 or int(announced) > most_bytes)  # noqa: PLR2004  # avoids converting a number of any length
    received, waited, ended = 0, 0.0, False

    async def receive_some() -> Message:
        nonlocal received, waited, ended
        if too_long:
            raise _too_large(most_bytes)
        if ended:
            # The next message reports that the client has disconnected, and may come as late as the answer ends.
            return await receive()
        patience = settings.api_body_timeout.total_seconds() + received / settings.api_body_rate - waited
        began = asyncio.get_running_loop().time()
        try:
            # `wait_for` would make a task, which costs each short request a further turn of the loop.
            async with asyncio.timeout(patience):
                message = await receive()
        except TimeoutError:
            raise _too_slow() from None
        waited += asyncio.get_running_loop().time() - began
        received += len(message.get("body", b""))
        ended = not message.get("more_body")
        if received > most_bytes:
            raise _too_large(most_bytes)
        return message

    return receive_some


def _permissions(dependant: Dependant) -> Iterator[Scoped | OperatorPermitted]:
    """Yield the permission checks of a route and of its dependencies."""
    if isinstance(dependant.call, Scoped | OperatorPermitted):
        yield dependant.call
    for below in dependant.dependencies:
        yield from _permissions(below)


def _must_be_json(request: Request) -> None:
    if request.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise Rejection(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported-media-type",
            "Send the body as it is, not compressed: without the header `Content-Encoding`.",
        )
    kind, _, _ = request.headers.get("content-type", "none").partition(";")
    main, _, sub = kind.strip().lower().partition("/")
    if main != "application" or not (sub == "json" or sub.endswith("+json")):
        raise Rejection(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported-media-type",
            "Send the body as JSON, with the header `Content-Type: application/json`.",
        )


def _too_large(most_bytes: int) -> Rejection:
    return too_large(f"The body is longer than {most_bytes} bytes, the limit of this route")


def _too_slow() -> Rejection:
    return Rejection(
        HTTPStatus.REQUEST_TIMEOUT, "too-slow", "The body arrived too slowly, or stopped arriving: send it again."
    )
