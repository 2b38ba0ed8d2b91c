"""Errors of the proxy in the form of a request's wire, so that SDKs raise the same errors as for their provider."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from api.http.problems import rejection_of
from api.proxy.relay import ClientGone
from memory.proxy.admission import NoPayer, UnknownAnswer
from memory.text.errors import InvalidRequest
from providers.chat.upstream import UpstreamFailed
from schemas.errors import BudgetSpent
from schemas.proxy.upstreams import WireName

_TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}
_ANTHROPIC_TYPES = {
    **_TYPES,
    HTTPStatus.BAD_REQUEST: "invalid_request_error",
    HTTPStatus.NOT_FOUND: "not_found_error",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "request_too_large",
    HTTPStatus.GATEWAY_TIMEOUT: "timeout_error",
    HTTPStatus.SERVICE_UNAVAILABLE: "overloaded_error",
}


@dataclass(frozen=True)
class _Error:
    """An error: its status, its message, its type and code in OpenAI's form, the parameter at fault, and headers."""

    status: HTTPStatus
    message: str
    kind: str
    code: str
    headers: Mapping[str, str] = field(default_factory=dict)
    param: str | None = None


async def answer_in_form(
    wire: WireName, scope: Scope, receive: Receive, send: Send, handle: Callable[[Send], Awaitable[None]]
) -> None:
    """Answer a request by `handle`; an error before the answer has begun is in the form of the wire."""
    started = False

    async def send_once(message: Message) -> None:
        nonlocal started
        started = True
        await send(message)

    try:
        await handle(send_once)
    except (ClientGone, ClientDisconnect):
        return
    except Exception as fault:
        if started:
            raise
        await error_answer(fault, wire)(scope, receive, send)


def error_answer(fault: Exception, wire: WireName) -> JSONResponse:
    """Return the error for an exception; unexpected ones are logged without content and answered without details."""
    error = _error(fault)
    if wire == "messages":
        kind = _ANTHROPIC_TYPES.get(
            error.status, "invalid_request_error" if error.status < HTTPStatus.INTERNAL_SERVER_ERROR else "api_error"
        )
        form: dict[str, object] = {"type": "error", "error": {"type": kind, "message": error.message}}
    else:
        form = {"error": {"message": error.message, "type": error.kind, "param": error.param, "code": error.code}}
    return JSONResponse(form, error.status, dict(error.headers))


def _error(fault: Exception) -> _Error:  # noqa: PLR0911  # one for each kind of fault
    match fault:
        case BudgetSpent():
            headers = {"Retry-After": str(max(1, round(fault.retry_after))), "X-Should-Retry": "false"}
            return _Error(HTTPStatus.TOO_MANY_REQUESTS, str(fault), "insufficient_quota", "budget_spent", headers)
        case UpstreamFailed(timed_out=True):
            return _Error(HTTPStatus.GATEWAY_TIMEOUT, str(fault), "server_error", "upstream_timeout")
        case UpstreamFailed():
            return _Error(HTTPStatus.BAD_GATEWAY, str(fault), "server_error", "upstream_failed")
        case NoPayer():
            return _Error(HTTPStatus.FORBIDDEN, str(fault), "permission_error", "no_key")
        case UnknownAnswer():
            param, code = "previous_response_id", "previous_response_not_found"
            return _Error(HTTPStatus.BAD_REQUEST, str(fault), "invalid_request_error", code, param=param)
        case InvalidRequest():
            return _Error(HTTPStatus.BAD_REQUEST, str(fault), "invalid_request_error", "invalid")
    rejection = rejection_of(fault)
    status = HTTPStatus(rejection.status_code)
    server = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = _TYPES.get(status, "server_error" if server else "invalid_request_error")
    return _Error(status, rejection.detail, kind, rejection.kind.replace("-", "_"), dict(rejection.headers or {}))
