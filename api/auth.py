"""Who asks, and what their token opens: no token, no answer, on every route but `/health/*`.

`ingest` hands notes in; `read` looks, recalls and searches; `manage` makes and renames Beings, demands patrols (which
lets time pass for a Being), pins, corrects, forgets and revives. A token for one Being opens no other and makes none.
An operator's token opens metrics and everybody's work, and nothing of what anybody said.
"""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Path, Request, Security
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.guessing import Guesses
from api.problems import Rejection, answer
from api.resources import On
from memory import access
from memory.access import Caller, Denied, Forbidden, Operator
from schemas.rows import Being
from schemas.rows import Scope as Permission
from workers.resources import Resources

OPEN = "/health/"
SCHEME = HTTPBearer(auto_error=False, description="A token made with `patrol token add`.")


class Authentication:
    """Finds out who asks before anything else of a request is looked at, its body least of all.

    Args:
        app: The application behind it, which reads the `Caller` from `request.state.caller`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._guesses = Guesses()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass with its caller, or answer it."""
        if scope["type"] == "http" and not scope["path"].startswith(OPEN):
            try:
                secret = _secret(Headers(scope=scope).get("authorization"))
                store = scope["app"].state.resources.store
                caller = await run_in_threadpool(access.authenticate, store, secret)
            except Exception as fault:  # noqa: BLE001  # whatever it is, who asks gets no further
                if isinstance(fault, Denied):
                    await asyncio.sleep(self._guesses.wrong((scope.get("client") or ("",))[0]))
                await answer(scope, fault)(scope, receive, send)
                return
            scope.setdefault("state", {})["caller"] = caller
        await self.app(scope, receive, send)


def _secret(header: str | None) -> str:
    scheme, _, secret = (header or "").partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise Rejection(
            HTTPStatus.UNAUTHORIZED,
            "unauthorized",
            "Send a token with the request: `Authorization: Bearer patrol_…`.",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return secret.strip()


def _caller(*scopes: Permission) -> Callable[..., Caller]:
    def caller(request: Request, _: Annotated[object, Security(SCHEME)]) -> Caller:
        who: Caller | Operator = request.state.caller
        if isinstance(who, Operator):
            raise Forbidden("This is an operator's token: it opens /metrics and /v1/work.")
        for scope in scopes:
            who.must(scope)
        return who

    return caller


def _caller_or_operator(scope: Permission) -> Callable[..., Caller | Operator]:
    def caller(request: Request, _: Annotated[object, Security(SCHEME)]) -> Caller | Operator:
        who: Caller | Operator = request.state.caller
        if isinstance(who, Caller):
            who.must(scope)
        return who

    return caller


def _operating(request: Request, on: On, _: Annotated[object, Security(SCHEME)]) -> Resources:
    if not isinstance(request.state.caller, Operator):
        raise Forbidden("Only an operator's token opens this: see `patrol operator add`.")
    return on


def _being(*scopes: Permission) -> Callable[..., Being]:
    def opened(
        on: On,
        caller: Annotated[Caller, Depends(_caller(*scopes))],
        being: Annotated[str, Path(description="The Being's id or slug.", examples=["mira"])],
    ) -> Being:
        return access.being_for(on.store, caller, being)

    return opened


Reader = Annotated[Caller, Depends(_caller("read"))]
WorkReader = Annotated[Caller | Operator, Depends(_caller_or_operator("read"))]
WorkManager = Annotated[Caller | Operator, Depends(_caller_or_operator("manage"))]
Operating = Annotated[Resources, Depends(_operating)]
Manager = Annotated[Caller, Depends(_caller("manage"))]
FedBeing = Annotated[Being, Depends(_being("ingest"))]
ReadBeing = Annotated[Being, Depends(_being("read"))]
FedAndReadBeing = Annotated[Being, Depends(_being("ingest", "read"))]
ManagedBeing = Annotated[Being, Depends(_being("manage"))]
