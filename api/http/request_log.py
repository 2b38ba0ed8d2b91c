"""Logs and traces each request, under its `X-Request-Id`, and answers exceptions that nothing else handled."""

import re
import time
from http import HTTPMethod, HTTPStatus
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.access.page_cookie import may_carry_session
from api.http.problems import answer
from api.http.request_metrics import RequestMetrics

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

        with structlog.contextvars.bound_contextvars(request_id=request_id), self._metrics.open_request():
            try:
                await self.app(scope, receive_all, send_with_id)
            except Exception as fault:  # noqa: BLE001  # the outermost handler
                response = answer(scope, fault)
                if not status:
                    await response(scope, receive, send_with_id)
            route, seconds = getattr(scope.get("route"), "path", None), time.perf_counter() - began
            method = _method(scope)
            self._metrics.add(method, route, status, seconds)
            log.info("http.answered", method=method, route=route, status=status, ms=round(1000 * seconds, 1))


class RequestTraces:
    """Middleware that runs a request within a span. Paths and queries may hold content, and are not in it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and name its span by the route and the status."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 0

        async def send_noting_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        tracing = scope["app"].state.resources.store.tracing
        with tracing.span("request", {}, parent=Headers(scope=scope).get("traceparent", "")) as span:
            await self.app(scope, receive, send_noting_status)
            route = getattr(scope.get("route"), "path", "")
            method = _method(scope)
            attributes = {"http.request.method": method, "http.response.status_code": status}
            span.rename(f"{method} {route}".rstrip(), attributes | {"http.route": route})
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                span.fail(str(status))


def _method(scope: Scope) -> str:
    # Clients can send any method, and each value of a label is a time series of its own.
    return str(scope["method"]) if scope["method"] in METHODS else "other"


def protect(scope: Scope, headers: MutableHeaders) -> None:
    """Let no cache keep a personal answer, and no browser take an answer for another type than its own.

    Answers to a token or a login are personal. Others are kept only if their headers allow it, as the page's files do.

    Args:
        scope: The request's ASGI scope.
        headers: The answer's headers, which are changed.
    """
    headers["X-Content-Type-Options"] = "nosniff"
    if "caller" in scope.get("state", {}):
        headers["Cache-Control"] = "no-store"
    else:
        headers.setdefault("Cache-Control", "no-store")
    if may_carry_session(scope):
        headers.add_vary_header("Cookie")
