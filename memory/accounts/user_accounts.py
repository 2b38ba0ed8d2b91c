"""Users and their access tokens, as an operator's application manages them."""

from datetime import UTC, datetime
from uuid import UUID

from memory.accounts import access
from schemas.accounts.accounts import Being, NewToken, Token, User
from schemas.errors import NotFound, existing
from schemas.settings import Settings
from store.accounts import beings, tokens, users
from store.database import Store


def add(store: Store, name: str, time_zone: str) -> User:
    """Create a user.

    Raises:
        Refused: Another user has the name.
    """
    return store.run(users.add_user, name, time_zone)


def show(store: Store, user_id: UUID) -> User:
    """A user.

    Raises:
        NotFound: There is none.
    """
    return store.run(users.get_user, user_id)


def issue_token(store: Store, settings: Settings, user_id: UUID, new: NewToken) -> tuple[str, Token]:
    """Create a token of a user; returns its secret, which can't be read again, and its row.

    Raises:
        NotFound: There is no such user, or the user has no such Being.
        Refused: The user has as many valid tokens as the settings allow.
    """
    being_id = None
    with store.transaction() as tx:
        users.get_user(tx, user_id)
        if new.being is not None:
            found = beings.find_being(tx, user_id, new.being)
            being_id = existing(found, "The user has no Being of that id or slug.").being_id
    return access.issue_token(
        store,
        user_id,
        being_id=being_id,
        scopes=new.scopes,
        lifetime=None if new.expires is None else new.expires - datetime.now(UTC),
        most=settings.most_tokens,
    )


def tokens_of_being(store: Store, being: Being) -> list[Token]:
    """The valid tokens that open one Being alone, newest first."""
    return store.run(tokens.tokens_of_being, being.user_id, being.being_id)


def revoke_token_of_being(store: Store, being: Being, token_id: UUID) -> None:
    """Revoke a token that opens one Being alone, at once; provider keys that came with its requests are deleted.

    Raises:
        NotFound: The Being has no such valid token.
    """
    with store.transaction() as tx:
        known = tokens.tokens_of_being(tx, being.user_id, being.being_id)
        if token_id not in {token.token_id for token in known}:
            raise NotFound(f"This Being has no valid token {token_id}.")
        tokens.revoke_token(tx, being.user_id, token_id)
