"""Limits each user's concurrent requests and database time, so that one user can't starve another."""

from functools import partial
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.problems import answer, too_many
from memory.accounts.access import Caller
from schemas.ledger.allowance import Allowance, allowed

if TYPE_CHECKING:
    from api.http.load.user_loads import UserLoads

# Longer bodies are batches, imports, or mistakes.
LARGE_BYTES = 128 * 1024


class FairUse:
    """Middleware that answers 429 above a user's limits, and runs other requests within the user's database share.

    It runs after `Authentication`. Operators are not limited, nor is the idle stream that an MCP client may hold open.

    Args:
        app: The next application; its `state.loads` counts requests and database time.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 429."""
        caller = scope.get("state", {}).get("caller")
        if not isinstance(caller, Caller) or (scope["path"] == "/mcp" and scope["method"] == "GET"):
            await self.app(scope, receive, send)
            return
        loads: UserLoads = scope["app"].state.loads
        large = is_large(Headers(scope=scope))
        if excess := loads.begin(caller.user_id, large=large):
            await answer(scope, too_many(excess.reason, excess.retry_after))(scope, receive, send)
            return
        allowance = (
            Allowance(caller.user_id)
            if large
            else Allowance(caller.user_id, None, partial(loads.charge, caller.user_id))
        )
        try:
            with allowed(allowance):
                await self.app(scope, receive, send)
        finally:
            loads.end(caller.user_id, large=large)
            # A bulk request that is refused makes others wait as little as one that takes its turn.
            if not large and "bulk" not in scope["state"]:
                scope["app"].state.resources.store.bulk.note_live()


def is_large(headers: Headers) -> bool:
    """Return whether the body is longer than `LARGE_BYTES` by its `Content-Length`, or of unknown length."""
    length = headers.get("content-length", "")
    return int(length) > LARGE_BYTES if length.isdecimal() else "transfer-encoding" in headers
