"""Users and their access tokens, as an operator's application manages them."""

from uuid import UUID

from schemas.accounts.accounts import Being, Token, User
from schemas.errors import NotFound
from store.accounts import tokens, users
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
