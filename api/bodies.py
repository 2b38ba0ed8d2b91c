"""Reading bodies: bounded while they stream in, and as JSON that tells where it is none."""

import json
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.types import Message

from api.problems import Rejection
from schemas.limits import BATCH_ITEMS, ITEM_BYTES

# A full batch of the largest items, and room for the commas and white space between them.
MOST_BYTES = BATCH_ITEMS * (ITEM_BYTES + 4 * 1024)


class JsonRoute(APIRoute):
    """A route whose body, if it takes one, is JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Let the framework's own handler read through a `JsonRequest`."""
        handle = super().get_route_handler()
        takes_body = self.body_field is not None

        async def read_and_handle(request: Request) -> Response:
            if takes_body:
                _must_be_json(request)
            return await handle(JsonRequest(request.scope, bounded(request)))

        return read_and_handle


class JsonRequest(Request):
    """A request whose body is read as JSON beside the event loop: a large one takes a second."""

    async def json(self) -> Any:
        """The body as JSON values; NaN and infinite numbers come through, for whoever checks the item they are in.

        Raises:
            Rejection: It is no JSON; the text says where.
        """
        return await run_in_threadpool(read_json, await self.body())


def read_json(body: bytes) -> Any:
    """Read JSON.

    Raises:
        Rejection: It is none; the text says where, and nothing of what is there.
    """
    try:
        return json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise _unreadable(f"The body is not UTF-8: byte {error.start} can't be read.") from None
    except json.JSONDecodeError as error:
        raise _unreadable(f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise _unreadable("The body is nested too deeply.") from None
    except ValueError:
        raise _unreadable("The body holds a number with more digits than can be read.") from None


def _unreadable(detail: str) -> Rejection:
    return Rejection(HTTPStatus.BAD_REQUEST, "bad-request", detail)


def _must_be_json(request: Request) -> None:
    kind, _, _ = request.headers.get("content-type", "none").partition(";")
    main, _, sub = kind.strip().lower().partition("/")
    if main != "application" or not (sub == "json" or sub.endswith("+json")):
        raise Rejection(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported-media-type",
            "Send the body as JSON, with the header `Content-Type: application/json`.",
        )


def bounded(request: Request) -> Callable[[], Coroutine[Any, Any, Message]]:
    """Receive a body up to its limit, whether or not it said beforehand how long it is."""
    announced = request.headers.get("content-length", "0")
    left = MOST_BYTES

    async def receive() -> Message:
        nonlocal left
        if announced.isdecimal() and int(announced) > MOST_BYTES:
            raise _too_large()
        message = await request.receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise _too_large()
        return message

    return receive


def _too_large() -> Rejection:
    return Rejection(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "too-large",
        f"The body is longer than {MOST_BYTES} bytes: nothing was taken, send it in parts.",
    )
