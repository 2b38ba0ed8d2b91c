"""Errors as RFC 9457 `application/problem+json`: the fault, its place, and the remedy. Input is never repeated."""

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

from memory.accounts.access import Forbidden, InvalidToken
from memory.intake.accepting import IntakeFull
from memory.intake.retraction import ErasedForGood
from memory.text.errors import InvalidRequest, NothingTaken
from memory.text.items import ItemBatchRefused, TooManyItems
from memory.vault.gates import GateRefused
from providers.errors import ProviderError, Transient
from schemas.errors import BudgetSpent, NotFound, Refused, StatementTimeout, Unavailable
from schemas.text.validation_messages import MOST_MESSAGES, bounded, place_of, rule_of, shortened
from workers.runtime.faults import described

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 5


class Problem(BaseModel):
    """An error in the form of RFC 9457. It may have more members, depending on its type."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:memory-patrol:problem:not-found",
                    "title": "Not found",
                    "status": 404,
                    "detail": "You have no Being of that id or slug.",
                    "instance": "/v1/beings/mira",
                }
            ]
        },
    )

    type: str = Field(description="The kind of problem, a stable URN for programs.")
    title: str = Field(description="The kind of problem in words.")
    status: int
    detail: str = Field(description="What was wrong this time, where, and what to do.")
    instance: str = Field(description="The path of the request, without its query.")


class Rejection(HTTPException):
    """Refusal of a request by the HTTP layer.

    Args:
        status: The HTTP status.
        kind: One of the kinds in `TITLES`.
        detail: The fault, its place, and how to mend it.
        members: Further members of the problem.
        headers: Further headers of the answer.
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


def _refused(fault: NothingTaken | GateRefused) -> Rejection:
    """Return the problem of a batch without a valid item: the first 20 reasons, and the number of the others."""
    members: Mapping[str, Any]
    if isinstance(fault, GateRefused):
        members = fault.as_dict()
    else:
        shown = [each.model_dump() for each in fault.rejected[:MOST_MESSAGES]]
        members = {"rejected": shown, "more": len(fault.rejected) - len(shown), **fault.members}
    return Rejection(HTTPStatus.UNPROCESSABLE_ENTITY, "rejected", str(fault), members)


TITLES = {
    "bad-request": "The request can't be read",
    "conflict": "The resource's state does not allow it",
    "failed": "Internal error",
    "forbidden": "The token does not allow this request",
    "gone": "Erased for good",
    "invalid": "The request is invalid",
    "method-not-allowed": "The route has no such method",
    "not-found": "Not found",
    "not-ready": "The system is not ready",
    "rejected": "No item was accepted",
    "timed-out": "The database statement timed out",
    "too-large": "The request is too large",
    "too-slow": "The request did not arrive in time",
    "too-many": "Too many requests, or too much waiting work",
    "unauthorized": "A valid access token is required",
    "unavailable": "A required service is unavailable",
    "unsupported-media-type": "The body's media type is not supported",
}


def too_many(detail: str, retry_after: float) -> Rejection:
    """Return a 429 whose `Retry-After` is `retry_after` seconds, rounded up."""
    headers = {"Retry-After": str(max(1, ceil(retry_after)))}
    return Rejection(HTTPStatus.TOO_MANY_REQUESTS, "too-many", detail, headers=headers)


def answer(scope: Scope, fault: Exception) -> JSONResponse:
    """Return the problem for an exception; unexpected ones are logged without content and answered without details."""
    rejection = rejection_of(fault)
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
    """Answer an error of the framework; for 405, name all methods of the path, of which the framework knows one."""
    if isinstance(fault, HTTPException) and fault.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        fault = HTTPException(fault.status_code, headers={"Allow": ", ".join(_taken(request))})
    return answer(request.scope, fault)


def _taken(request: Request) -> list[str]:
    """Return the methods that the request's path allows."""
    routes = request.app.routes
    scopes = [(method, {**request.scope, "method": method}) for method in ("GET", "POST", "PUT", "PATCH", "DELETE")]
    return [method for method, scope in scopes if any(route.matches(scope)[0] is Match.FULL for route in routes)]


# Exceptions of the lower layers, with their HTTP status and kind.
_KINDS: dict[type[Exception], tuple[HTTPStatus, str]] = {
    InvalidToken: (HTTPStatus.UNAUTHORIZED, "unauthorized"),
    Forbidden: (HTTPStatus.FORBIDDEN, "forbidden"),
    NotFound: (HTTPStatus.NOT_FOUND, "not-found"),
    Refused: (HTTPStatus.CONFLICT, "conflict"),
    ErasedForGood: (HTTPStatus.GONE, "gone"),
    TooManyItems: (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large"),
    ItemBatchRefused: (HTTPStatus.UNPROCESSABLE_ENTITY, "invalid"),
    InvalidRequest: (HTTPStatus.UNPROCESSABLE_ENTITY, "invalid"),
    IntakeFull: (HTTPStatus.TOO_MANY_REQUESTS, "too-many"),
    StatementTimeout: (HTTPStatus.SERVICE_UNAVAILABLE, "timed-out"),
    Unavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
    BudgetSpent: (HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
    ProviderError: (HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
}


def rejection_of(fault: Exception) -> Rejection:
    """Return the status, kind and text of an exception; an unexpected one is logged without content."""
    match fault:
        case Rejection():
            return fault
        case RequestValidationError():
            return _invalid(fault)
        case HTTPException():
            return _of_framework(fault)
        case NothingTaken() | GateRefused():
            return _refused(fault)
    for type_, (status, kind) in _KINDS.items():
        if isinstance(fault, type_):
            return Rejection(status, kind, str(fault), headers=_headers(status, fault))
    log.error("http.failed", fault=described(fault))
    return Rejection(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "failed",
        "The server failed to handle the request. Its log has details under this answer's X-Request-Id.",
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
    faults = fault.errors()
    errors = [{"place": place_of(one["loc"]), "reason": shortened(rule_of(one))} for one in faults[:MOST_MESSAGES]]
    lines = bounded((f"{error['place']}: {error['reason']}" for error in errors), len(faults) - len(errors))
    members = {"errors": errors, "more": len(faults) - len(errors)}
    return Rejection(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "; ".join(lines), members)


def _of_framework(fault: HTTPException) -> Rejection:
    status = HTTPStatus(fault.status_code)
    headers = fault.headers or {}
    match status:
        case HTTPStatus.NOT_FOUND:
            return Rejection(status, "not-found", "There is no route at this path.", headers=headers)
        case HTTPStatus.METHOD_NOT_ALLOWED:
            methods = headers.get("Allow", "another")
            return Rejection(status, "method-not-allowed", f"This path allows {methods}.", headers=headers)
    return Rejection(status, "bad-request", status.description or status.phrase, headers=headers)
