"""The scope of a user's facts: known to all of the user's Beings, or to the Being that heard them."""

from uuid import UUID

from schemas.settings import Settings
from store.accounts import users
from store.transaction import Transaction


def stay_with_being(tx: Transaction, settings: Settings, user_id: UUID) -> bool:
    """Return whether facts that are heard now stay with the Being that heard them, as if told in confidence."""
    return (users.facts_scope(tx, user_id) or settings.facts_scope) == "being"
