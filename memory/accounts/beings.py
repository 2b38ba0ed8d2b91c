"""Changes to a Being: its display name, and the daily budget of its model calls."""

from typing import Any

from schemas.accounts.accounts import Being, BeingChanges
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store
from store.errors import Refused
from store.search import documents


def change(store: Store, settings: Settings, being: Being, changes: BeingChanges) -> Being:
    """Apply a user's changes to a Being of theirs; a budget may not exceed the platform's.

    Raises:
        Refused: The budget exceeds the platform's; only an operator can set such a budget.
    """
    named = changes.model_dump(exclude_unset=True)
    for name, words, most in (
        ("daily_cost", "dollars", settings.daily_cost),
        ("daily_tokens", "tokens", settings.daily_tokens),
    ):
        if _exceeds(named.get(name), most):
            raise Refused(f"`{name}` may be at most {most} {words} on this platform.")
    with store.transaction() as tx:
        changed = beings.change_being(tx, being.being_id, named)
        if changed.language != being.language:
            documents.index_again(tx, being.being_id)
        return changed


def _exceeds(wanted: Any, most: Any) -> bool:
    return wanted is not None and most is not None and wanted > most
