"""Logs one line for each request under its `X-Request-Id`, and answers exceptions that nothing else handled."""

import re
import time
from http import HTTPMethod, HTTPStatus
from typing import TYPE_CHECKING
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.answer_headers import protect
from api.http.problems import answer
from api.http.request_metrics import RequestMetrics

if TYPE_CHECKING:
    from workers.runtime.resources import Resources

log = structlog.get_logger()

ID = "X-Request-Id"
METHODS = frozenset(HTTPMethod)
PLAIN = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestLog:
    """Middleware that logs method, route, status and time. Paths and queries may hold content, and are not logged.

    Args:
        app: The next application. Its exceptions are answered here, because uvicorn would log their texts.
        metrics: Counts the requests.
    """

    def __init__(self, app: ASGIApp, metrics: RequestMetrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on under its id, then log and count it."""
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
                protect(scope, answered)
                if unread:
                    # The body was not read to its end, so the connection can't be used for another request.
                    answered["Connection"] = "close"
            await send(message)

        on: Resources = scope["app"].state.resources
        caller = headers.get("traceparent", "")
        with (
            structlog.contextvars.bound_contextvars(request_id=request_id),
            self._metrics.open_request(),
            on.store.tracing.span("request", {"patrol.request_id": request_id}, parent=caller) as span,
        ):
            try:
                await self.app(scope, receive_all, send_with_id)
            except Exception as fault:  # noqa: BLE001  # the outermost handler
                response = answer(scope, fault)
                if not status:
                    await response(scope, receive, send_with_id)
            route, seconds = getattr(scope.get("route"), "path", None), time.perf_counter() - began
            # Clients can send any method, and each label value is a time series of its own.
            method = scope["method"] if scope["method"] in METHODS else "other"
            self._metrics.add(method, route, status, seconds)
            called = {"http.request.method": method, "http.response.status_code": status}
            span.rename(f"{method} {route or 'none'}", called | ({"http.route": route} if route else {}))
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                span.fail(str(status))
            log.info("http.answered", method=method, route=route, status=status, ms=round(1000 * seconds, 1))
