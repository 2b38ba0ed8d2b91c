"""Login and logout of the memory page.

The secret of a printed link comes in the header of a request, as a token does: never in its path, which is logged.
"""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request, Response
from pydantic import Field

from api.http.access.auth import Opened, Permitted
from api.http.access.credentials import secret_of
from api.http.access.page_cookie import carried_session, remove_session, set_session
from api.http.endpoints import Router
from api.http.resources import On
from memory.accounts import access, page_sessions, user_accounts
from memory.accounts.access import Caller, InvalidToken
from schemas.accounts.accounts import Being, IssuedToken, Scope, TokenPage
from schemas.version import VERSION
from schemas.wire.answers import Answer
from workers.runtime.resources import Resources

router = Router(prefix="/page/session", include_in_schema=False)

AnyCaller = Annotated[Caller, Depends(Permitted())]
FrontendBeing = Annotated[Being, Depends(Opened("manage", "ingest", "read"))]


class Login(Answer):
    """A session of the memory page."""

    user: str
    being_id: UUID | None = Field(description="The only Being that it gives access to; null: all of the user's.")
    scopes: list[Scope]
    beings: list[Being] = Field(description="The Beings that it gives access to, oldest first.")
    expires_at: datetime
    request_secret: str = Field(description="What requests that change something carry in `X-Memory-Page`.")
    proxies: bool = Field(description="Whether chat completions are passed on to models, with memory.")
    version: str


@router.post("")
def log_in(on: On, caller: AnyCaller, request: Request, response: Response) -> Login:
    """Open a session for the token in the request's `Authorization`; the answer sets the cookie."""
    secret = page_sessions.begin(on.store, caller)
    set_session(request.scope, response, secret)
    return _login(on, page_sessions.show(on.store, secret))


@router.post("/link")
def log_in_by_link(on: On, request: Request, response: Response) -> Login:
    """Open a session for the link whose secret is in the request's `Authorization`; the link is used up."""
    secret = page_sessions.begin_by_link(on.store, secret_of(request.headers))
    set_session(request.scope, response, secret)
    return _login(on, page_sessions.show(on.store, secret))


@router.get("/tokens/{being}")
def list_being_tokens(on: On, being: FrontendBeing) -> TokenPage:
    """List the valid tokens that open one Being alone, newest first, made here or elsewhere."""
    return TokenPage(tokens=user_accounts.tokens_of_being(on.store, being), cursor=None)


@router.delete("/tokens/{being}/{token_id}", status_code=204)
def revoke_being_token(on: On, being: FrontendBeing, token_id: UUID) -> None:
    """Revoke a token that opens one Being alone."""
    user_accounts.revoke_token_of_being(on.store, being, token_id)


@router.post("/tokens/{being}", status_code=201)
def make_frontend_token(on: On, being: FrontendBeing) -> IssuedToken:
    """Create a token for a program that one Being talks through: it can hand in and read, and change nothing."""
    secret, token = access.issue_token(
        on.store,
        being.user_id,
        being_id=being.being_id,
        scopes=["ingest", "read"],
        lifetime=None,
        most=on.settings.most_tokens,
    )
    return IssuedToken(secret=secret, token=token)


@router.get("")
def show_login(on: On, _: AnyCaller, request: Request) -> Login:
    """Show the session of the request's cookie. Without one the answer is empty: see `api.http.access.auth`."""
    secret = _secret(request)
    return _login(on, page_sessions.show(on.store, secret))


@router.delete("", status_code=204)
def log_out(on: On, _: AnyCaller, request: Request, response: Response) -> None:
    """End the session of the request's cookie."""
    page_sessions.end(on.store, _secret(request))
    remove_session(request.scope, response)


def _secret(request: Request) -> str:
    secret = carried_session(request.scope, request.headers)
    if secret is None:
        raise InvalidToken("This request has no cookie of a login.")
    return secret


def _login(on: Resources, session: page_sessions.PageSession) -> Login:
    return Login(
        user=session.user,
        being_id=session.caller.being_id,
        scopes=sorted(session.caller.scopes),
        beings=session.beings,
        expires_at=session.expires_at,
        request_secret=session.request_secret,
        proxies=bool(on.settings.proxy_upstreams),
        version=VERSION,
    )
