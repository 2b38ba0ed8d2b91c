"""Routes with which an application creates its users and their access tokens; they need an operator's token."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from api.http.auth import OperatorResources
from api.http.bodies import JsonRoute
from api.http.idempotency import RepeatableKey
from api.http.openapi import problems
from api.http.paging import Cursor, Limit
from memory.accounts import access, erasure, user_accounts
from schemas.accounts.accounts import ExternalId, IssuedToken, NewToken, NewUser, TokenPage, User, UserChanges, UserPage
from schemas.accounts.portability import BeingErased
from schemas.limits import PAGE_NODES
from store.accounts import beings, tokens, users
from store.errors import NotFound

router = APIRouter(prefix="/v1/users", tags=["Users"], route_class=JsonRoute)


@router.post("", status_code=HTTPStatus.CREATED, responses=problems(409) | {200: {"model": User}})
def create_user(
    on: OperatorResources,
    new: NewUser,
    response: Response,
    idempotency_key: RepeatableKey = None,  # noqa: ARG001  # the document names it
) -> User:
    """Create a user for a person, or return the user whom you created with the same `external_id`.

    An operator's token. A user is one person: what one of the person's Beings hears about the person, all of them know,
    unless `facts_scope` is `being`. So create a user for each person, and a Being for each companion of that person.

    The answer is 201 for a new user, and 200 for a known one, who is returned as stored: change a user with `PATCH`.
    """
    with on.store.transaction() as tx:
        user, created = users.ensure_user(
            tx,
            new.external_id,
            name=new.name or new.external_id,
            time_zone=new.time_zone,
            facts_scope=new.facts_scope,
        )
    if not created:
        response.status_code = HTTPStatus.OK
    return user


@router.get("")
def list_users(
    on: OperatorResources,
    external_id: Annotated[ExternalId | None, Query(description="Only the user with this external id.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> UserPage:
    """List users, oldest first.

    An operator's token.
    """
    return user_accounts.user_page(on.store, external_id=external_id, cursor=cursor, limit=limit)


@router.get("/{user_id}")
def show_user(on: OperatorResources, user_id: UUID) -> User:
    """Show a user.

    An operator's token.
    """
    with on.store.transaction() as tx:
        return users.get_user(tx, user_id)


@router.patch("/{user_id}", responses=problems(409))
def change_user(on: OperatorResources, user_id: UUID, changes: UserChanges) -> User:
    """Change a user's name, time zone or scope of facts.

    An operator's token. A new scope applies to facts that are heard from then on.
    """
    with on.store.transaction() as tx:
        return users.change_user(tx, user_id, changes.model_dump(exclude_unset=True))


@router.delete("/{user_id}")
def erase_user(on: OperatorResources, user_id: UUID) -> BeingErased:
    """Erase a user for good, with all Beings, facts, keys and tokens. This can't be undone.

    An operator's token.
    """
    with on.store.transaction() as tx:
        user = users.get_user(tx, user_id)
    with on.store.bulk.unhurried():
        return erasure.erase_user(on.store, user)


@router.post("/{user_id}/tokens", status_code=HTTPStatus.CREATED, responses=problems(409))
def create_token(on: OperatorResources, user_id: UUID, new: NewToken) -> IssuedToken:
    """Create an access token for a user. Its secret is in this answer alone.

    An operator's token. Scopes: `ingest` hands in notes and messages, `read` reads and recalls, `manage` creates Beings
    and changes memory. A user may have up to PATROL_MOST_TOKENS valid tokens.
    """
    being_id = None
    with on.store.transaction() as tx:
        users.get_user(tx, user_id)
        if new.being is not None:
            being = beings.find_being(tx, user_id, new.being)
            if being is None:
                raise NotFound("The user has no Being of that id or slug.")
            being_id = being.being_id
    secret, token = access.issue_token(
        on.store,
        user_id,
        being_id=being_id,
        scopes=new.scopes,
        lifetime=None if new.expires is None else new.expires - datetime.now(UTC),
        most=on.settings.most_tokens,
    )
    return IssuedToken(secret=secret, token=token)


@router.get("/{user_id}/tokens")
def list_tokens(on: OperatorResources, user_id: UUID) -> TokenPage:
    """List a user's tokens without their secrets, oldest first, revoked ones included.

    An operator's token.
    """
    with on.store.transaction() as tx:
        users.get_user(tx, user_id)
        return TokenPage(tokens=tokens.tokens_of(tx, user_id), cursor=None)


@router.delete("/{user_id}/tokens/{token_id}", status_code=HTTPStatus.NO_CONTENT)
def revoke_token(on: OperatorResources, user_id: UUID, token_id: UUID) -> None:
    """Revoke a user's token at once. Provider keys that came with its requests are deleted.

    An operator's token.
    """
    with on.store.transaction() as tx:
        if not tokens.revoke_token(tx, user_id, token_id):
            raise NotFound(f"The user has no token {token_id}.")
