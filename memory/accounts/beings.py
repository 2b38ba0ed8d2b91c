"""A user's Beings: made, listed and changed."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from memory.accounts.access import Caller
from schemas.accounts.accounts import Being, NewBeing
from schemas.accounts.slugs import slug_of
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store
from store.search import documents


def make(store: Store, settings: Settings, user_id: UUID, new: NewBeing) -> Being:
    """Create a Being with its two root clusters.

    Raises:
        Refused: The user has a Being of that slug, or as many as the settings allow.
    """
    with store.transaction() as tx:
        slug = new.slug or slug_of(new.name)
        if new.slug is None and beings.find_being(tx, user_id, slug) is not None:
            slug = slug_of(new.name, told_apart=True)
        return beings.add_being(tx, user_id, slug, new.name, most=settings.most_beings)


def opened_by(store: Store, caller: Caller) -> list[Being]:
    """The Beings that a caller has access to, oldest first."""
    found = store.run(beings.beings_of, caller.user_id)
    return [being for being in found if caller.opens(being.being_id)]


def change(store: Store, being: Being, named: Mapping[str, Any]) -> Being:
    """Change fields of a Being by their names, as an operator may; returns the changed Being."""
    with store.transaction() as tx:
        changed = beings.change_being(tx, being.being_id, named)
        if changed.language != being.language:
            documents.index_again(tx, being.being_id)
        return changed
