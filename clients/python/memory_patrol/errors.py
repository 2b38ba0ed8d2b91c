"""The errors of the client, as exceptions.

PatrolError
├── Unreachable        no answer, after all retries
└── ApiError           the API answered with a problem (RFC 9457): `type`, `detail`, `status`, `members`
    ├── Unauthorized   401  no valid token
    ├── Forbidden      403  the token lacks a scope, or is bound to another Being
    ├── NotFound       404  you have no such resource
    ├── Conflict       409  the resource's state does not allow it
    ├── Gone           410  it was erased for good
    ├── Invalid        400, 413, 415, 422: the request; `members` names each place
    ├── TooMany        429  after all retries
    └── Unavailable    408, 502, 503, 504, after all retries
"""

from collections.abc import Mapping
from typing import Any


class PatrolError(Exception):
    """Base of all errors of this client."""


class Unreachable(PatrolError):
    """No answer came, after all retries. With the same Idempotency-Key the request could be sent again."""


class ApiError(PatrolError):
    """The API refused a request.

    Args:
        status: The HTTP status.
        problem: The members of the problem; empty if the answer was none, as from a proxy in between.
        request_id: The `X-Request-Id` under which the server logged the request.
        retry_after: The seconds after which the same request may succeed, if the API gave them.
    """

    def __init__(
        self, status: int, problem: Mapping[str, Any], *, request_id: str | None, retry_after: float | None
    ) -> None:
        self.status = status
        words = {name: value for name, value in problem.items() if isinstance(value, str)}
        self.type = words.get("type", "about:blank")
        self.title = words.get("title", "")
        self.detail = words.get("detail", f"The answer has the status {status}, and is none of Memory Patrol.")
        self.members = {name: value for name, value in problem.items() if name not in _STANDARD}
        self.request_id = request_id
        self.retry_after = retry_after
        super().__init__(f"{status} {self.type.rpartition(':')[2]}: {self.detail}")


class Unauthorized(ApiError):
    """There is no token, or it is unknown, expired or revoked."""


class Forbidden(ApiError):
    """The token lacks a scope, or is bound to another Being."""


class NotFound(ApiError):
    """You have no such resource."""


class Conflict(ApiError):
    """The resource's state does not allow it."""


class Gone(ApiError):
    """It was erased for good."""


class Invalid(ApiError):
    """The request is invalid; `members` may name each place."""


class TooMany(ApiError):
    """Too many requests, or too much waiting work."""


class Unavailable(ApiError):
    """A required service is unavailable, or timed out."""


_STANDARD = frozenset({"type", "title", "status", "detail", "instance"})
OF_STATUS: dict[int, type[ApiError]] = {
    400: Invalid,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    408: Unavailable,
    409: Conflict,
    410: Gone,
    413: Invalid,
    415: Invalid,
    422: Invalid,
    429: TooMany,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
