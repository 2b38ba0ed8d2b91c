"""A Being's soul and its state, its lists of entries, and the user model."""

from collections.abc import Sequence
from typing import get_args

from schemas.accounts.accounts import Being
from schemas.context.persona import (
    PersonaEntry,
    PersonaKind,
    SoulChanges,
    WholeSoul,
)
from store.context import persona, souls
from store.database import Store
from store.transaction import Transaction


def change_soul(tx: Transaction, being: Being, changes: SoulChanges) -> WholeSoul:
    """Change parts of a Being's soul or of its state; returns both as they are now."""
    if parts := changes.of_soul():
        persona.write_soul(tx, being.being_id, parts)
    if parts := changes.of_state():
        persona.set_state(tx, being.being_id, parts)
    return whole_soul(tx, being)


def entries_named(store: Store, being: Being, name: str) -> Sequence[PersonaEntry]:
    """The entries of all lists of a Being with this name, else those whose id ends so."""
    with store.transaction() as tx:
        entries = [entry for kind in get_args(PersonaKind) for entry in persona.listed(tx, being.being_id, kind)]
    return [one for one in entries if one.name == name] or [one for one in entries if str(one.entry_id).endswith(name)]


def whole_soul(tx: Transaction, being: Being) -> WholeSoul:
    """A Being's soul and its state."""
    return WholeSoul(soul=souls.get(tx, being.being_id), state=persona.state(tx, being.being_id))
