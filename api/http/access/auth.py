"""Authentication and authorization by bearer tokens, on every route but `/health/*`, or by a login of the memory page.

The proxy's two routes verify tokens themselves, because they also answer in a short outage of the database.

Scopes of a user's token: `ingest` hands in notes and messages; `read` reads, recalls and searches; `manage` creates and
renames Beings, starts patrols (which age a Being's memory), pins, corrects, forgets and revives. A token bound to one
Being gives access to no other Being and can't create any. An operator's token creates users and their tokens, and
gives access to metrics and to the work of all users, but to no content.
"""

import asyncio
from contextlib import AbstractContextManager
from typing import Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Path, Request, Security
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.access.auth_throttle import InvalidTokens
from api.http.access.credentials import secret_of
from api.http.access.page_cookie import (
    SESSION_PATH,
    TOKENS_PATH,
    asks_for_login,
    carried_session,
    no_login,
    proof_of,
    without_proof,
)
from api.http.gathering import Gathering
from api.http.problems import answer
from api.http.resources import On
from memory.accounts import access, page_sessions
from memory.accounts.access import AuthenticatedRequest, Caller, Forbidden, InvalidToken, Operator, PresentedCredentials
from schemas.accounts.accounts import Being
from schemas.accounts.accounts import Scope as Permission
from schemas.ledger.acting import acting_for, crossing
from workers.runtime.resources import Resources

OPEN = "/health/"
# The list of routes and the memory page, for a browser: see api/operations/pages.py and api/page/files.py.
OPEN_PAGES = frozenset({"/", "/docs"})
# See api/proxy/gateway.py.
PROXY_ROUTES = ("/openai/", "/anthropic/")
OPEN_FILES = "/page/"
BEINGS = "/v1/beings/"
MOST_TOGETHER = 100
SCHEME = HTTPBearer(auto_error=False, description="A token made with `patrol token add`.")


class Authentication:
    """Middleware that authenticates a request before anything else of it is read.

    Concurrent requests are authenticated together, each by the state of the database after it came in. The Being that a
    path names is looked up with the token.

    Args:
        app: The next application, which reads the `Caller` from `request.state.caller`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._invalid = InvalidTokens()
        # A thread of its own, so that requests which occupy all others delay no authentication.
        self._together: Gathering[Resources, PresentedCredentials, AuthenticatedRequest] = Gathering(
            lambda on, presented: access.authenticate_each(on.store, presented), MOST_TOGETHER, CapacityLimiter(1)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an authenticated request on, or answer it with a problem."""
        if scope["type"] == "http" and not _is_open(scope["path"]):
            headers = Headers(scope=scope)
            try:
                session = carried_session(scope, headers)
                if session is None and asks_for_login(scope, headers):
                    await no_login(scope)(scope, receive, send)
                    return
                secret = secret_of(headers) if session is None else session
                on: Resources = scope["app"].state.resources
                state = scope.setdefault("state", {})
                being = None
                if session is None:
                    named = _named_in(scope["path"])
                    admitted = await self._together.join(on, PresentedCredentials(secret, named))
                    caller, being = admitted.caller, admitted.being
                    state["opened"] = (named, being)
                else:
                    caller = await run_in_threadpool(
                        page_sessions.authenticate, on.store, secret, proof_of(scope, headers)
                    )
                state["caller"] = caller
            except Exception as error:  # noqa: BLE001  # no failure may let a request pass
                fault = without_proof() if isinstance(error, page_sessions.ForgedRequest) else error
                if isinstance(fault, InvalidToken):
                    await asyncio.sleep(self._invalid.delay((scope.get("client") or ("",))[0]))
                    if asks_for_login(scope, headers):
                        await no_login(scope)(scope, receive, send)
                        return
                await answer(scope, fault)(scope, receive, send)
                return
            with _acting(caller, being):
                await self.app(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _acting(caller: Caller | Operator, being: Being | None) -> AbstractContextManager[None]:
    """Let the request's transactions see the rows of the caller's user; an operator's see the rows of all users."""
    if isinstance(caller, Operator):
        return crossing("operator")
    return acting_for(caller.user_id, being.being_id if being else None)


def _named_in(path: str) -> str | None:
    """Return the id or slug of the Being that a path names."""
    if not path.startswith(BEINGS):
        return None
    return path[len(BEINGS) :].partition("/")[0]


def _is_open(path: str) -> bool:
    if path.startswith(OPEN_FILES):
        return path != SESSION_PATH and not path.startswith(TOKENS_PATH)
    return path.startswith((OPEN, *PROXY_ROUTES)) or path in OPEN_PAGES


class Scoped:
    """Checks the scopes of a caller's token. Routes with a body call `check` before they read it.

    Args:
        scopes: The scopes that the token must have.
    """

    def __init__(self, *scopes: Permission) -> None:
        self._scopes = scopes

    def check(self, request: Request) -> Caller:
        """Return the caller of a request.

        Raises:
            Forbidden: The token lacks one of the scopes, or is an operator's.
        """
        caller: Caller | Operator = request.state.caller
        if isinstance(caller, Operator):
            raise Forbidden("This is an operator's token, which gives access to /metrics, /v1/work and /v1/users only.")
        for scope in self._scopes:
            caller.require(scope)
        return caller


class Permitted(Scoped):
    """Dependency that returns the caller."""

    async def __call__(self, request: Request, _: Annotated[object, Security(SCHEME)]) -> Caller:
        """Return the caller of a request."""
        return self.check(request)


class Opened(Scoped):
    """Dependency that returns the Being that the path names."""

    async def __call__(
        self,
        request: Request,
        being: Annotated[str, Path(description="The Being's id or slug.", examples=["mira"])],
        _: Annotated[object, Security(SCHEME)],
    ) -> Being:
        """Return the Being, if the caller has access to it."""
        caller = self.check(request)
        named, found = getattr(request.state, "opened", (None, None))
        if named == being:
            return access.must_be_found(found)
        store = request.app.state.resources.store
        return await run_in_threadpool(access.find_being, store, caller, being)


class PermittedOrOperator(Scoped):
    """Dependency that returns the caller, who may be an operator."""

    async def __call__(self, request: Request, _: Annotated[object, Security(SCHEME)]) -> Caller | Operator:
        """Return the caller of a request."""
        caller: Caller | Operator = request.state.caller
        return caller if isinstance(caller, Operator) else self.check(request)


class OperatorPermitted:
    """Dependency that checks that the caller is an operator. Routes with a body call `check` before they read it."""

    async def __call__(self, request: Request, on: On, _: Annotated[object, Security(SCHEME)]) -> Resources:
        """Return the application's resources to an operator."""
        self.check(request)
        return on

    def check(self, request: Request) -> None:
        """Check a request's caller.

        Raises:
            Forbidden: The token is a user's.
        """
        if not isinstance(request.state.caller, Operator):
            raise Forbidden("This needs an operator's token: see `patrol operator add`.")


OperatorResources = Annotated[Resources, Depends(OperatorPermitted())]
IngestBeing = Annotated[Being, Depends(Opened("ingest"))]
ReadBeing = Annotated[Being, Depends(Opened("read"))]
ManagedBeing = Annotated[Being, Depends(Opened("manage"))]
