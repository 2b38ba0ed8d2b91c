"""The scope of a user's facts: all of the user's Beings know them, or those that heard them."""

from uuid import UUID

from schemas.settings import Settings
from store.accounts import users
from store.transaction import Transaction


def stay_with_those_present(tx: Transaction, settings: Settings, user_id: UUID) -> bool:
    """Return whether facts that are heard now stay with the Beings that hear them, as if told in confidence."""
    return (users.facts_known_to(tx, user_id) or settings.facts_known_to) == "present"
