"""Access by bearer tokens, hashed at rest. A token is a user's, optionally bound to one Being, or an operator's."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from schemas.accounts.accounts import Being, OperatorToken, Scope, Token
from schemas.errors import existing
from schemas.ledger.acting import crossing
from schemas.text.storable import storable
from store.accounts import beings, operators, tokens
from store.accounts.tokens import TokenAccess
from store.database import Store

PREFIX = "patrol_"
NO_LONGER_VALID = "This token has expired or was revoked."


class InvalidToken(Exception):
    """The token is unknown, expired or revoked."""


class Forbidden(Exception):
    """The token is valid, but does not allow this request."""


@dataclass(frozen=True)
class Caller:
    """The user and the permissions of an authenticated request."""

    user_id: UUID
    being_id: UUID | None
    scopes: frozenset[Scope]
    token_id: UUID | None = None

    @classmethod
    def of(cls, token: Token) -> "Caller":
        """Return the caller with the rights of a valid token."""
        return cls(token.user_id, token.being_id, frozenset(token.scopes), token.token_id)

    def opens(self, being_id: UUID) -> bool:
        """Return whether the token gives access to that Being of its user."""
        return self.being_id in {None, being_id}

    def require(self, scope: Scope) -> None:
        """Check that the token has a scope.

        Raises:
            Forbidden: It does not.
        """
        if scope not in self.scopes:
            raise Forbidden(f"This token lacks the scope `{scope}`.")

    def require_all_beings(self) -> None:
        """Check that the token gives access to all of its user's Beings.

        Raises:
            Forbidden: It is bound to one.
        """
        if self.being_id is not None:
            raise Forbidden("This token is bound to one Being: use a token for all of your Beings.")


@dataclass(frozen=True)
class Operator:
    """The caller of a request with an operator's token, which is no user's and gives access to no Being."""


def issue_token(
    store: Store,
    user_id: UUID,
    *,
    being_id: UUID | None,
    scopes: list[Scope],
    lifetime: timedelta | None,
    most: int | None = None,
) -> tuple[str, Token]:
    """Create a token of a user; returns its secret, which can't be read again, and its row.

    Args:
        being_id: The only Being that it gives access to; None: all of the user's.
        lifetime: Until it expires, on the real clock; None: for ever.
        most: The most valid tokens that the user may have; None: any number.

    Raises:
        Refused: The user would have more than `most` valid tokens.
    """
    secret = PREFIX + secrets.token_urlsafe(32)
    with store.transaction() as tx:
        return secret, tokens.add_token(tx, user_id, being_id, digest(secret), scopes, lifetime, most=most)


def issue_operator_token(store: Store, *, lifetime: timedelta | None) -> tuple[str, OperatorToken]:
    """Create an operator's token; returns its secret, which can't be read again, and its row."""
    secret = PREFIX + secrets.token_urlsafe(32)
    with store.transaction() as tx:
        return secret, operators.add_token(tx, digest(secret), lifetime)


def operator_tokens(store: Store) -> list[OperatorToken]:
    """Operators' tokens, oldest first, without their secrets."""
    return store.run(operators.tokens)


def revoke_operator_token(store: Store, token_id: UUID) -> bool:
    """Revoke an operator's token at once; returns whether there is one of that id."""
    return store.run(operators.revoke, token_id)


@dataclass(frozen=True)
class PresentedCredentials:
    """The claim of a request: a token's secret, and the id or slug of the Being that it names, if it names one."""

    secret: str
    being: str | None = None


@dataclass(frozen=True)
class AuthenticatedRequest:
    """The caller that a token belongs to, and the caller's Being of the name that came with it, if there is one."""

    caller: Caller | Operator
    being: Being | None = None


def authenticate(store: Store, secret: str) -> Caller | Operator:
    """Return the caller that a token belongs to.

    Raises:
        InvalidToken: The token is unknown, expired or revoked.
    """
    (admitted,) = authenticate_each(store, [PresentedCredentials(secret)])
    if isinstance(admitted, InvalidToken):
        raise admitted
    return admitted.caller


def authenticate_each(
    store: Store, presented: Sequence[PresentedCredentials]
) -> list[AuthenticatedRequest | InvalidToken]:
    """Return for each request the caller, or why the token is invalid: it is unknown, expired or revoked."""
    claims = [(digest(each.secret), storable(each.being)) for each in presented]
    with crossing("authentication"), store.transaction() as tx:
        found = tokens.access_of(tx, claims)
        unknown = {hashed for (hashed, _), opened in zip(claims, found, strict=True) if opened is None}
        used = {hashed for (hashed, _), opened in zip(claims, found, strict=True) if opened and opened.used_unnoted}
        if used:
            tokens.note_use(tx, used)
        operates = {hashed: operators.is_valid(tx, hashed) for hashed in unknown}
    return [
        _admitted(opened) if opened else _operator(operates[hashed])
        for (hashed, _), opened in zip(claims, found, strict=True)
    ]


def _admitted(opened: TokenAccess) -> AuthenticatedRequest | InvalidToken:
    if not opened.valid:
        return InvalidToken(NO_LONGER_VALID)
    caller = Caller(opened.user_id, opened.bound_to, frozenset(opened.scopes), opened.token_id)
    return AuthenticatedRequest(caller, _open_to(caller, opened.being))


def _operator(valid: bool | None) -> AuthenticatedRequest | InvalidToken:
    """Return the request that an operator's token authenticates; `valid` is None if there is no such token."""
    if valid is None:
        return InvalidToken("This token is unknown.")
    return AuthenticatedRequest(Operator()) if valid else InvalidToken(NO_LONGER_VALID)


def _open_to(caller: Caller, being: Being | None) -> Being | None:
    """Return a Being of the caller's user, unless the token is bound to another."""
    return being if being is not None and caller.opens(being.being_id) else None


def find_being(store: Store, caller: Caller, being: str) -> Being:
    """Return the Being with that id or slug, if the caller has access to it.

    Raises:
        NotFound: The caller has no such Being, whether or not another user has.
    """
    found = store.run(beings.find_being, caller.user_id, storable(being))
    return must_be_found(_open_to(caller, found))


def must_be_found(being: Being | None) -> Being:
    """Return the Being that a request names.

    Raises:
        NotFound: The caller has no such Being, whether or not another user has.
    """
    return existing(being, "You have no Being of that id or slug.")


def digest(secret: str) -> bytes:
    """Return the digest by which a secret of 256 random bits is stored: a slow hash would only delay requests."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).digest()
