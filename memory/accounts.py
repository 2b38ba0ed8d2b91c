"""What a Being is called, and what its models may use in a day."""

from typing import Any

from schemas.requests import BeingChanges
from schemas.rows import Being
from schemas.settings import Settings
from store import users
from store.database import Store
from store.errors import Refused


def change(store: Store, settings: Settings, being: Being, changes: BeingChanges) -> Being:
    """Change what was named, for the Being's own user: a budget stays within the platform's.

    Raises:
        Refused: The budget is higher than the platform's, which only whoever runs it can allow.
    """
    named = changes.model_dump(exclude_unset=True)
    for name, words, most in (
        ("daily_cost", "dollars", settings.daily_cost),
        ("daily_tokens", "tokens", settings.daily_tokens),
    ):
        if _exceeds(named.get(name), most):
            raise Refused(f"`{name}` may be {most} {words} at most on this platform.")
    with store.transaction() as tx:
        return users.change_being(tx, being.being_id, named)


def _exceeds(wanted: Any, most: Any) -> bool:
    return wanted is not None and most is not None and wanted > most
