"""Every error as RFC 9457 `application/problem+json`: what was wrong, where, and what to do; never what was sent."""

from collections.abc import Mapping
from http import HTTPStatus
from math import ceil
from typing import Any

import structlog
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Scope

from memory.access import Denied, Forbidden
from memory.intake import DoorFull
from memory.questions import BadQuestion
from memory.vault_gates import GateRefused
from providers.errors import ProviderError, Transient
from schemas.complaints import place_of
from store.errors import BudgetSpent, NotFound, Refused, Unavailable
from workers.faults import described

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 5


class Problem(BaseModel):
    """An error, as RFC 9457 has it. More members may tell more about it."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:memory-patrol:problem:not-found",
                    "title": "There is no such thing",
                    "status": 404,
                    "detail": "You have no Being of that id or slug.",
                    "instance": "/v1/beings/mira",
                }
            ]
        },
    )

    type: str = Field(description="Which kind of problem it is; stable, for programs.")
    title: str = Field(description="The kind in words.")
    status: int
    detail: str = Field(description="What was wrong this time, where, and what to do.")
    instance: str = Field(description="The path that was asked, without its query.")


class Rejection(HTTPException):
    """A request is refused by the door itself.

    Args:
        status: The HTTP status.
        kind: One of the kinds in `TITLES`.
        detail: What was wrong, where, and what to do.
        members: What else the problem tells.
        headers: What else the answer carries.
    """

    def __init__(
        self,
        status: HTTPStatus,
        kind: str,
        detail: str,
        members: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, detail, headers)
        self.kind = kind
        self.members = members or {}


TITLES = {
    "bad-request": "The request can't be read",
    "conflict": "The state of the thing forbids it",
    "failed": "Something failed here",
    "forbidden": "This token does not open this door",
    "invalid": "The request is not as it must be",
    "method-not-allowed": "The address knows no such method",
    "not-found": "There is no such thing",
    "not-ready": "The system is not ready",
    "rejected": "Nothing could be taken",
    "too-large": "The request is too large",
    "too-many": "Too much waits already",
    "unauthorized": "A living token is needed",
    "unavailable": "Something that is needed is out of reach",
    "unsupported-media-type": "The body is in a form that is not read here",
}


def answer(scope: Scope, fault: Exception) -> JSONResponse:
    """Say what went wrong; what nobody foresaw is logged without a word of anybody's, and told without details."""
    rejection = _rejection(fault)
    problem = {
        "type": f"urn:memory-patrol:problem:{rejection.kind}",
        "title": TITLES[rejection.kind],
        "status": int(rejection.status_code),
        "detail": rejection.detail,
        "instance": scope["path"],
        **rejection.members,
    }
    return JSONResponse(problem, rejection.status_code, rejection.headers, MEDIA_TYPE)


async def handle(request: Request, fault: Exception) -> JSONResponse:
    """Answer for an error that the framework found, which knows one method of an address that may take more."""
    if isinstance(fault, HTTPException) and fault.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        fault = HTTPException(fault.status_code, headers={"Allow": ", ".join(_taken(request))})
    return answer(request.scope, fault)


def _taken(request: Request) -> list[str]:
    """The methods that the address of a request takes."""
    routes = request.app.routes
    asked = [(method, {**request.scope, "method": method}) for method in ("GET", "POST", "PUT", "PATCH", "DELETE")]
    return [method for method, scope in asked if any(route.matches(scope)[0] is Match.FULL for route in routes)]


# What the floors below say no with, and what that is at this door.
_KINDS: dict[type[Exception], tuple[HTTPStatus, str]] = {
    Denied: (HTTPStatus.UNAUTHORIZED, "unauthorized"),
    Forbidden: (HTTPStatus.FORBIDDEN, "forbidden"),
    NotFound: (HTTPStatus.NOT_FOUND, "not-found"),
    Refused: (HTTPStatus.CONFLICT, "conflict"),
    BadQuestion: (HTTPStatus.UNPROCESSABLE_ENTITY, "invalid"),
    DoorFull: (HTTPStatus.TOO_MANY_REQUESTS, "too-many"),
    Unavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
    BudgetSpent: (HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
    ProviderError: (HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
}


def _rejection(fault: Exception) -> Rejection:
    match fault:
        case Rejection():
            return fault
        case RequestValidationError():
            return _invalid(fault)
        case HTTPException():
            return _of_framework(fault)
        case GateRefused():
            return Rejection(HTTPStatus.UNPROCESSABLE_ENTITY, "rejected", str(fault), fault.told())
    for type_, (status, kind) in _KINDS.items():
        if isinstance(fault, type_):
            return Rejection(status, kind, str(fault), headers=_headers(status, fault))
    log.error("http.failed", fault=described(fault))
    return Rejection(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "failed",
        "This is a fault of the server, not of your request. Its log has more under this answer's X-Request-Id.",
    )


def _headers(status: HTTPStatus, fault: Exception) -> dict[str, str]:
    match status:
        case HTTPStatus.UNAUTHORIZED:
            return {"WWW-Authenticate": 'Bearer error="invalid_token"'}
        case HTTPStatus.FORBIDDEN:
            return {"WWW-Authenticate": 'Bearer error="insufficient_scope"'}
        case HTTPStatus.TOO_MANY_REQUESTS | HTTPStatus.SERVICE_UNAVAILABLE:
            wait = fault.retry_after if isinstance(fault, Transient | BudgetSpent) else None
            return {"Retry-After": str(ceil(wait or RETRY_AFTER_SECONDS))}
        case _:
            return {}


def _invalid(fault: RequestValidationError) -> Rejection:
    errors = [{"place": place_of(error["loc"]), "reason": error["msg"]} for error in fault.errors()]
    detail = "; ".join(f"{error['place']}: {error['reason']}" for error in errors)
    return Rejection(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", detail, {"errors": errors})


def _of_framework(fault: HTTPException) -> Rejection:
    status = HTTPStatus(fault.status_code)
    headers = fault.headers or {}
    match status:
        case HTTPStatus.NOT_FOUND:
            return Rejection(status, "not-found", "Nothing is at this address.", headers=headers)
        case HTTPStatus.METHOD_NOT_ALLOWED:
            methods = headers.get("Allow", "another")
            return Rejection(status, "method-not-allowed", f"Use {methods} at this address.", headers=headers)
    return Rejection(status, "bad-request", status.description or status.phrase, headers=headers)
