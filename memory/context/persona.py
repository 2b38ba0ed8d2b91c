"""A Being's soul and its state, its lists of entries, and the user model."""

from collections.abc import Sequence
from typing import get_args
from uuid import UUID

from schemas.accounts.accounts import Being
from schemas.context.persona import (
    NewPersonaEntry,
    NewUserModel,
    PersonaChanges,
    PersonaEntry,
    PersonaKind,
    SoulChanges,
    UserModel,
    WholeSoul,
)
from schemas.errors import NotFound
from store.context import persona, souls
from store.database import Store
from store.transaction import Transaction


def whole_soul(store: Store, being: Being) -> WholeSoul:
    """A Being's soul and its state."""
    with store.transaction() as tx:
        return _whole_soul(tx, being)


def change_soul(store: Store, being: Being, changes: SoulChanges) -> WholeSoul:
    """Change parts of a Being's soul or of its state; returns both as they are now."""
    with store.transaction() as tx:
        if parts := changes.of_soul():
            persona.write_soul(tx, being.being_id, parts)
        if parts := changes.of_state():
            persona.set_state(tx, being.being_id, parts)
        return _whole_soul(tx, being)


def listed(store: Store, being: Being, kind: PersonaKind) -> Sequence[PersonaEntry]:
    """The entries of one of a Being's lists in the order of contexts; disabled ones too."""
    with store.transaction() as tx:
        return persona.listed(tx, being.being_id, kind)


def entries_named(store: Store, being: Being, name: str) -> Sequence[PersonaEntry]:
    """The entries of all lists of a Being with this name, else those whose id ends so."""
    with store.transaction() as tx:
        entries = [entry for kind in get_args(PersonaKind) for entry in persona.listed(tx, being.being_id, kind)]
    return [one for one in entries if one.name == name] or [one for one in entries if str(one.entry_id).endswith(name)]


def add(store: Store, being: Being, kind: PersonaKind, new: NewPersonaEntry) -> PersonaEntry:
    """Add an entry to one of a Being's lists.

    Raises:
        Refused: The list is full, or has an entry of that name.
    """
    with store.transaction() as tx:
        return persona.add(tx, being.being_id, kind, new.model_dump())


def change(store: Store, being: Being, kind: PersonaKind, entry_id: UUID, changes: PersonaChanges) -> PersonaEntry:
    """Change an entry, enable it or disable it.

    Raises:
        NotFound: The list has no such entry.
        Refused: The list has another entry of that name.
    """
    with store.transaction() as tx:
        return persona.change(tx, being.being_id, kind, entry_id, changes.model_dump())


def remove(store: Store, being: Being, kind: PersonaKind, entry_id: UUID) -> None:
    """Remove an entry.

    Raises:
        NotFound: The list has no such entry.
    """
    with store.transaction() as tx:
        persona.remove(tx, being.being_id, kind, entry_id)


def user_model(store: Store, user_id: UUID) -> UserModel:
    """The user model.

    Raises:
        NotFound: There is none.
    """
    with store.transaction() as tx:
        model = persona.user_model(tx, user_id)
    if model is None:
        raise NotFound("There is no user model yet.")
    return model


def write_user_model(store: Store, user_id: UUID, new: NewUserModel) -> UserModel:
    """Replace the user model."""
    with store.transaction() as tx:
        return persona.write_user_model(tx, user_id, new.content)


def remove_user_model(store: Store, user_id: UUID) -> None:
    """Remove the user model."""
    with store.transaction() as tx:
        persona.remove_user_model(tx, user_id)


def _whole_soul(tx: Transaction, being: Being) -> WholeSoul:
    return WholeSoul(soul=souls.get(tx, being.being_id), state=persona.state(tx, being.being_id))
