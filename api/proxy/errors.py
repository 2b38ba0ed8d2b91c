"""Errors of the proxy in OpenAI's form, so that its SDKs raise what they raise for OpenAI."""

from http import HTTPStatus

from fastapi.responses import JSONResponse

from api.http.problems import rejection_of
from memory.proxy.admission import NoPayer
from memory.text.errors import InvalidRequest
from providers.chat.upstream import UpstreamFailed
from schemas.errors import BudgetSpent

_TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}


def error_answer(fault: Exception) -> JSONResponse:
    """Return the error for an exception; unexpected ones are logged without content and answered without details."""
    match fault:
        case BudgetSpent():
            headers = {"Retry-After": str(max(1, round(fault.retry_after))), "X-Should-Retry": "false"}
            return _answer(HTTPStatus.TOO_MANY_REQUESTS, str(fault), "insufficient_quota", "budget_spent", headers)
        case UpstreamFailed(timed_out=True):
            return _answer(HTTPStatus.GATEWAY_TIMEOUT, str(fault), "server_error", "upstream_timeout")
        case UpstreamFailed():
            return _answer(HTTPStatus.BAD_GATEWAY, str(fault), "server_error", "upstream_failed")
        case NoPayer():
            return _answer(HTTPStatus.FORBIDDEN, str(fault), "permission_error", "no_key")
        case InvalidRequest():
            return _answer(HTTPStatus.BAD_REQUEST, str(fault), "invalid_request_error", "invalid")
    rejection = rejection_of(fault)
    status = HTTPStatus(rejection.status_code)
    server = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = _TYPES.get(status, "server_error" if server else "invalid_request_error")
    return _answer(status, rejection.detail, kind, rejection.kind.replace("-", "_"), dict(rejection.headers or {}))


def _answer(
    status: HTTPStatus, message: str, kind: str, code: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    error = {"message": message, "type": kind, "param": None, "code": code}
    return JSONResponse({"error": error}, status, headers)
