"""One line of the log for each request, under an id that its answer carries too; and an answer to any fault."""

import re
import time
from http import HTTPMethod
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.metrics import Answers
from api.problems import answer

log = structlog.get_logger()

ID = "X-Request-Id"
METHODS = frozenset(HTTPMethod)
PLAIN = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Journal:
    """Writes down method, route, status and time; paths and queries may hold people's words, and are not written.

    Args:
        answers: Counts them.
        app: The application behind it. No exception gets past: a server would log its text, which may hold content.
    """

    def __init__(self, app: ASGIApp, answers: Answers) -> None:
        self.app = app
        self._answers = answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass under its id, and write down what came of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        headers = Headers(scope=scope)
        given = headers.get(ID, "")
        request_id = given if PLAIN.fullmatch(given) else uuid4().hex
        status = 0
        unread = "content-length" in headers or "transfer-encoding" in headers

        async def receive_all() -> Message:
            nonlocal unread
            message = await receive()
            unread = bool(message.get("more_body"))
            return message

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                answered = MutableHeaders(scope=message)
                answered[ID] = request_id
                if unread:
                    # Whoever is answered before they have said everything might otherwise go on for ever.
                    answered["Connection"] = "close"
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive_all, send_with_id)
            except Exception as fault:  # noqa: BLE001  # the last who can answer
                response = answer(scope, fault)
                if not status:
                    await response(scope, receive, send_with_id)
            route, seconds = getattr(scope.get("route"), "path", None), time.perf_counter() - began
            # Anybody may make up methods, and each would have a series of numbers of its own.
            method = scope["method"] if scope["method"] in METHODS else "other"
            self._answers.add(method, route, status, seconds)
            log.info("http.answered", method=method, route=route, status=status, ms=round(1000 * seconds, 1))
