"""Who may do what: bearer tokens, hashed at rest, each for one user and at most one Being, or an operator's."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from schemas.keepable import unkeepable
from schemas.rows import Being, OperatorToken, Scope, Token
from store import operators, users
from store.database import Store
from store.errors import NotFound

PREFIX = "patrol_"


class Denied(Exception):
    """No such token, or it is not alive any more."""


class Forbidden(Exception):
    """The token is alive, and does not open this door."""


@dataclass(frozen=True)
class Caller:
    """Somebody who showed a token."""

    user_id: UUID
    being_id: UUID | None
    scopes: frozenset[Scope]

    def must(self, scope: Scope) -> None:
        """Refuse a caller without the scope.

        Raises:
            Forbidden: The token does not have it.
        """
        if scope not in self.scopes:
            raise Forbidden(f"This token lacks the scope `{scope}`.")


@dataclass(frozen=True)
class Operator:
    """Somebody who showed an operator's token: no user, and nobody's Beings open to it."""


def issue(
    store: Store, user_id: UUID, *, being_id: UUID | None, scopes: list[Scope], life: timedelta | None
) -> tuple[str, Token]:
    """Make a token; returns its secret, which is shown this once, and its row."""
    secret = PREFIX + secrets.token_urlsafe(32)
    with store.transaction() as tx:
        return secret, users.add_token(tx, user_id, being_id, _hash(secret), scopes, life)


def issue_operators(store: Store, *, life: timedelta | None) -> tuple[str, OperatorToken]:
    """Make an operator's token; returns its secret, which is shown this once, and its row."""
    secret = PREFIX + secrets.token_urlsafe(32)
    with store.transaction() as tx:
        return secret, operators.add_token(tx, _hash(secret), life)


def authenticate(store: Store, secret: str) -> Caller | Operator:
    """Find out who shows this token.

    Raises:
        Denied: Nobody, or nobody any more.
    """
    with store.transaction() as tx:
        found = users.find_token(tx, _hash(secret))
        operates = operators.alive(tx, _hash(secret)) if found is None else None
    if operates:
        return Operator()
    if operates is False:
        raise Denied("This token has expired or was revoked.")
    if found is None:
        raise Denied("This token is unknown.")
    token, alive = found
    if not alive:
        raise Denied("This token has expired or was revoked.")
    return Caller(token.user_id, token.being_id, frozenset(token.scopes))


def being_for(store: Store, caller: Caller, being: str) -> Being:
    """The caller's Being of that id or slug.

    Raises:
        NotFound: The caller has none; nobody learns whether somebody else has.
    """
    found = None
    if not any(unkeepable(being)):
        with store.transaction() as tx:
            found = users.find_being(tx, caller.user_id, being)
    if found is None or caller.being_id not in {None, found.being_id}:
        raise NotFound("You have no Being of that id or slug.")
    return found


def owners(store: Store, caller: Caller | Operator) -> list[UUID] | None:
    """The Beings whose work the caller may see: the token's, or all of the user's; None means everybody's."""
    if isinstance(caller, Operator):
        return None
    if caller.being_id is not None:
        return [caller.being_id]
    with store.transaction() as tx:
        return [being.being_id for being in users.beings_of(tx, caller.user_id)]


def _hash(secret: str) -> bytes:
    # A token is 256 random bits: there is nothing to guess, so a slow hash would only slow the door.
    return hashlib.sha256(secret.encode(errors="surrogatepass")).digest()
