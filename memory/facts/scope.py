"""The scope of a user's facts: all of the user's Beings know them, or only those present."""

from uuid import UUID

from schemas.settings import Settings
from store.accounts import users
from store.transaction import Transaction


def stay_with_those_present(tx: Transaction, settings: Settings, user_id: UUID) -> bool:
    """Return whether new facts stay with the Beings present when they were said, as facts in confidence do."""
    return (users.facts_known_to(tx, user_id) or settings.facts_known_to) == "present"
