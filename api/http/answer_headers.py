"""Headers that every answer carries: what may keep it, and what it depends on."""

from starlette.datastructures import MutableHeaders
from starlette.types import Scope

from api.http.access.page_cookie import may_carry_session


def protect(scope: Scope, headers: MutableHeaders) -> None:
    """Let no cache keep a personal answer, and no browser take an answer for another type than it says.

    Answers to a token or a login are personal. Others are kept only if they say so, as the memory page's files do.

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
