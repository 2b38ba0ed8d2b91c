"""Finds what a person means who types the end of an id."""

from uuid import UUID

from schemas.accounts.accounts import Being
from schemas.search import Thing
from store.database import Store
from store.search import id_endings


def find_by_ending(store: Store, being: Being, thing: Thing, ending: str) -> list[UUID]:
    """Up to two things that a Being knows whose id ends so; two mean that it is ambiguous."""
    with store.transaction() as tx:
        return id_endings.find(tx, being, thing, ending)
