"""The cookie of the memory page: how a session is carried, and the defence against requests that other sites forge.

Browsers send cookies with requests of any page, so a request that shows one must also prove that the memory page
sent it. The cookie is `SameSite=Strict`; a request from another site or another port of this host is refused by its
`Sec-Fetch-Site`; one that changes something needs the session's second secret in the header `X-Memory-Page`.
"""

from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from api.http.problems import Rejection
from memory.accounts.page_sessions import LIFETIME

HEADER = "X-Memory-Page"
SESSION_PATH = "/page/session"
TOKENS_PATH = f"{SESSION_PATH}/tokens/"
# Only browsers with TLS accept the prefix `__Host-`, which binds the cookie to this host.
NAME = "memory_patrol"
READING = frozenset({"GET", "HEAD"})


def carried_session(scope: Scope, headers: Headers) -> str | None:
    """Return the secret of the session that a request shows; None if it shows a token, or no cookie.

    Raises:
        Rejection: The cookie came with a request that the memory page did not send.
    """
    if "authorization" in headers or not may_carry_session(scope):
        return None
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(_name(scope))
    except CookieError:
        return None
    if morsel is None:
        return None
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise _forged("The request comes from another site.")
    return morsel.value


def may_carry_session(scope: Scope) -> bool:
    """Whether a request's path is one at which the cookie counts."""
    path: str = scope["path"]
    return path.startswith(("/v1/", SESSION_PATH))


def proof_of(scope: Scope, headers: Headers) -> str | None:
    """Return the session's second secret from a request's header; None if its method changes nothing and needs none."""
    return None if scope["method"] in READING else headers.get(HEADER, "")


def asks_for_login(scope: Scope, headers: Headers) -> bool:
    """Whether a request is the memory page's first, which checks for a login in this browser."""
    return scope["path"] == SESSION_PATH and scope["method"] == "GET" and "authorization" not in headers


def no_login(scope: Scope) -> Response:
    """Answer that request when there is no login: with an empty answer, since browsers log each error."""
    response = Response(status_code=HTTPStatus.NO_CONTENT)
    remove_session(scope, response)
    return response


def set_session(scope: Scope, response: Response, secret: str) -> None:
    """Let the browser keep a session."""
    secure = scope["scheme"] == "https"
    response.set_cookie(
        _name(scope),
        secret,
        max_age=int(LIFETIME.total_seconds()),
        path="/",
        secure=secure,
        httponly=True,
        samesite="strict",
    )


def remove_session(scope: Scope, response: Response) -> None:
    """Let the browser forget its session."""
    response.delete_cookie(_name(scope), path="/", secure=scope["scheme"] == "https", httponly=True, samesite="strict")


def _name(scope: Scope) -> str:
    return f"__Host-{NAME}" if scope["scheme"] == "https" else NAME


def without_proof() -> Rejection:
    """Return the refusal of a request whose second secret is not its session's."""
    return _forged(f"The header `{HEADER}` does not belong to this login.")


def _forged(detail: str) -> Rejection:
    return Rejection(HTTPStatus.FORBIDDEN, "forbidden", detail)
