"""An application's users and their access tokens, for an operator."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.accounts import access, erasure, user_accounts
from memory.text.pages import cut_page, parse_cursor
from operations.declaration import OPERATOR, Existing, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import ExternalId, IssuedToken, NewToken, NewUser, TokenPage, User, UserChanges, UserPage
from schemas.accounts.portability import BeingErased
from schemas.errors import NotFound, existing
from schemas.limits import PAGE_NODES
from store.accounts import beings, tokens, users
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("POST /v1/users", scope=OPERATOR, status=HTTPStatus.CREATED, conflicts=True, repeated="harmless")
def create_user(tx: Transaction, new: NewUser) -> User | Existing[User]:
    """Create a user for a person, or return the user whom you created with the same `external_id`.

    A user is one person: all of the person's Beings know a fact that one of them hears, unless
    `facts_known_to` is `present`. So create a user for each person, and a Being for each companion of that person.

    The answer is 201 for a new user, and 200 for a known one, who is returned as stored: change a user with `PATCH`.
    """
    user, created = users.ensure_user(
        tx,
        new.external_id,
        name=new.name or new.external_id,
        time_zone=new.time_zone,
        facts_known_to=new.facts_known_to,
    )
    return user if created else Existing(user)


@operation("GET /v1/users", scope=OPERATOR)
def list_users(
    tx: Transaction,
    *,
    external_id: Annotated[ExternalId | None, Field(description="Only the user with this external id.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> UserPage:
    """List users, oldest first."""
    after = parse_cursor(cursor, UUID)
    found = users.user_page(tx, external_id=external_id, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda user: user.user_id)
    return UserPage(users=shown, cursor=end)


@operation("GET /v1/users/{user_id}", scope=OPERATOR)
def show_user(tx: Transaction, user_id: UUID) -> User:
    """Show a user."""
    return users.get_user(tx, user_id)


@operation("PATCH /v1/users/{user_id}", scope=OPERATOR, conflicts=True)
def change_user(tx: Transaction, user_id: UUID, changes: UserChanges) -> User:
    """Change a user's name, time zone, daily budget, or which Beings know facts.

    A new `facts_known_to` applies to facts from later messages. The budget bounds all model calls of the user's
    Beings together; when it is spent, work that needs a model waits for the user's next day.
    """
    return users.change_user(tx, user_id, changes.model_dump(exclude_unset=True))


@operation("DELETE /v1/users/{user_id}", scope=OPERATOR)
def erase_user(on: Resources, user_id: UUID) -> BeingErased:
    """Erase a user for good, with all Beings, facts, keys and tokens. This can't be undone."""
    user = user_accounts.show(on.store, user_id)
    with on.store.bulk.unhurried():
        return erasure.erase_user(on.store, user)


@operation("POST /v1/users/{user_id}/tokens", scope=OPERATOR, status=HTTPStatus.CREATED, conflicts=True)
def create_token(on: Resources, user_id: UUID, new: NewToken) -> IssuedToken:
    """Create an access token for a user. Its secret is in this answer alone.

    Scopes: `ingest` hands in notes and messages, `read` reads and recalls, `manage` creates Beings and changes memory.
    A user may have up to PATROL_MOST_TOKENS valid tokens.
    """
    being_id = None
    with on.store.transaction() as tx:
        users.get_user(tx, user_id)
        if new.being is not None:
            found = beings.find_being(tx, user_id, new.being)
            being_id = existing(found, "The user has no Being of that id or slug.").being_id
    secret, token = access.issue_token(
        on.store,
        user_id,
        being_id=being_id,
        scopes=new.scopes,
        lifetime=None if new.expires is None else new.expires - datetime.now(UTC),
        most=on.settings.most_tokens,
    )
    return IssuedToken(secret=secret, token=token)


@operation("GET /v1/users/{user_id}/tokens", scope=OPERATOR)
def list_tokens(tx: Transaction, user_id: UUID) -> TokenPage:
    """List a user's tokens without their secrets, oldest first, revoked ones included."""
    users.get_user(tx, user_id)
    return TokenPage(tokens=tokens.tokens_of(tx, user_id), cursor=None)


@operation("DELETE /v1/users/{user_id}/tokens/{token_id}", scope=OPERATOR, status=HTTPStatus.NO_CONTENT)
def revoke_token(tx: Transaction, user_id: UUID, token_id: UUID) -> None:
    """Revoke a user's token at once. Provider keys that came with its requests are removed."""
    if not tokens.revoke_token(tx, user_id, token_id):
        raise NotFound(f"The user has no token {token_id}.")
