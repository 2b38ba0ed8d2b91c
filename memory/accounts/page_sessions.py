"""Logins of the memory page. A browser keeps the secret of a session in a cookie that scripts can't read.

A session has the rights of the token that it was opened with, and ends with it, or after `LIFETIME`. Requests that
change something must also carry a second secret, which only answers to the page hold; the cookie does not contain it.

A link opens one session, once. The session has a token of its own with a secret that is discarded, so that users can
list and revoke it as any other.
"""

import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from memory.accounts.access import Caller, InvalidToken, digest
from schemas.accounts.accounts import Being, Scope
from schemas.ledger.acting import crossing
from store.accounts import beings, page_sessions, tokens, users
from store.database import Store
from store.transaction import Transaction

LIFETIME = timedelta(hours=8)
MOST_SESSIONS = 20
LINK_SCOPES: list[Scope] = ["ingest", "read", "manage"]


class ForgedRequest(Exception):
    """A request carries a session's secret without its second one: another site sent it."""


@dataclass(frozen=True)
class PageSession:
    """A valid session of a browser.

    Attributes:
        caller: The owner, with the rights of the session's token.
        user: The user's name.
        beings: The Beings that it gives access to, oldest first; without the scope `read`, none.
        expires_at: When it expires, on the real clock.
        request_secret: The secret that its changing requests carry.
    """

    caller: Caller
    user: str
    beings: list[Being]
    expires_at: datetime
    request_secret: str


def begin(store: Store, caller: Caller) -> str:
    """Open a session for the token of a request; returns its secret."""
    if caller.token_id is None:
        raise InvalidToken("This request has no token.")
    secret = secrets.token_urlsafe(32)
    store.run(page_sessions.add, caller.user_id, caller.token_id, digest(secret), LIFETIME, MOST_SESSIONS)
    return secret


def issue_link(store: Store, user_id: UUID, lifetime: timedelta) -> str:
    """Create a link with all scopes of a user; returns its secret, which logs one browser in, once.

    Args:
        lifetime: Until it expires if it is not used, on the real clock.
    """
    secret = secrets.token_urlsafe(32)
    store.run(page_sessions.remove_past_links, user_id)
    # In a transaction of its own: a new token locks its user, and the order of locks puts users before tokens.
    with store.transaction() as tx:
        unknown = digest(secrets.token_urlsafe(32))
        token = tokens.add_token(tx, user_id, None, unknown, LINK_SCOPES, lifetime + LIFETIME)
        page_sessions.add_link(tx, user_id, token.token_id, digest(secret), lifetime)
    return secret


def begin_by_link(store: Store, link: str) -> str:
    """Open the session of a link, which is used up; returns the session's secret.

    Raises:
        InvalidToken: The link is unknown, was used before, or has expired.
    """
    secret = secrets.token_urlsafe(32)
    with crossing("authentication"), store.transaction() as tx:
        if not page_sessions.use_link(tx, digest(link), digest(secret), LIFETIME):
            raise InvalidToken("This link was used before, or has expired. `patrol page` prints another.")
    return secret


def authenticate(store: Store, secret: str, proof: str | None) -> Caller:
    """Return the caller that a session belongs to.

    Args:
        secret: The session's secret.
        proof: The session's second secret, as the request carries it; None: the request changes nothing.

    Raises:
        InvalidToken: The session has ended, or its token has.
        ForgedRequest: The proof is not the session's.
    """
    with crossing("authentication"), store.transaction() as tx:
        caller, found = _valid(tx, secret)
    if proof is not None and not hmac.compare_digest(proof.encode(), found.request_secret.encode()):
        raise ForgedRequest
    return caller


def show(store: Store, secret: str) -> PageSession:
    """Return a session.

    Raises:
        InvalidToken: The session has ended, or its token has.
    """
    with crossing("authentication"), store.transaction() as tx:
        caller, found = _valid(tx, secret)
        user = users.get_user(tx, caller.user_id)
        known = beings.beings_of(tx, caller.user_id) if "read" in caller.scopes else []
    opened = [being for being in known if caller.opens(being.being_id)]
    return PageSession(caller, user.name, opened, found.expires_at, found.request_secret)


def end(store: Store, secret: str) -> None:
    """Log out: the session is no longer valid."""
    store.run(page_sessions.remove, digest(secret))


def _valid(tx: Transaction, secret: str) -> tuple[Caller, page_sessions.StoredPageSession]:
    """Return a session's owner and the session; raises `InvalidToken` if it or its token has ended."""
    found = page_sessions.find(tx, digest(secret))
    if found is None:
        raise InvalidToken("This login has ended: log in again with a token.")
    return Caller.of(found.token), found
