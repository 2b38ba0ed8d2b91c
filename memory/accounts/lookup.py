"""Finds users and Beings by name, and a Being's items by the end of their ids, for a person with access to all."""

from uuid import UUID

from schemas.accounts.accounts import Being, User
from schemas.search import Thing
from store.accounts import beings, users
from store.context import persona
from store.database import Store
from store.nodes import nodes
from store.search import id_endings


def user_named(store: Store, name: str) -> User | None:
    """The user of that name, external id or id."""
    return store.run(users.find_user, name)


def all_users(store: Store) -> list[User]:
    """All users, oldest first."""
    return store.run(users.all_users)


def beings_named(store: Store, name: str | None, user_id: UUID | None, limit: int | None = None) -> list[Being]:
    """Beings, oldest first.

    Args:
        name: Only those of that slug or id; None: of any.
        user_id: Only this user's; None: all users'.
        limit: The most of them, where neither is given; None: all.
    """
    with store.transaction() as tx:
        if name is not None:
            return [one for one in beings.beings_named(tx, name) if user_id in {None, one.user_id}]
        return beings.all_beings(tx, limit=limit) if user_id is None else beings.beings_of(tx, user_id)


def nodes_named(store: Store, being: Being, name: str) -> list[UUID]:
    """Up to two nodes with that id, end of an id, or producer's id of their note; two mean that it is ambiguous."""
    return store.run(nodes.named, being.being_id, name)


def things_named(store: Store, being: Being, thing: Thing, ending: str) -> list[UUID]:
    """Return the ids of up to two items of a Being with this ending; two mean that it is ambiguous."""
    return store.run(id_endings.find, being, thing, ending)


def entries_named(store: Store, being: Being, name: str) -> list[UUID]:
    """Return the entries of all lists of a Being's persona with this name, else those with this ending of their id."""
    entries = store.run(persona.listed, being.being_id)
    called_so = [one.entry_id for one in entries if one.name == name]
    return called_so or [one.entry_id for one in entries if str(one.entry_id).endswith(name)]
