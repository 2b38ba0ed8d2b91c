"""Vaults for tests, written by the same use cases as through the doors."""

from collections.abc import Sequence

import pytest

from memory.vault import records
from schemas.accounts.accounts import Being
from schemas.settings import Settings
from schemas.vault.records import VaultRecord
from schemas.vault.vault_requests import NewRecord
from store import vault as rows
from store.database import Store


class Vault:
    """One Being's vault."""

    def __init__(self, store: Store, being: Being, settings: Settings) -> None:
        self.store = store
        self.being = being
        self.settings = settings

    def add(self, text: str, **fields: object) -> VaultRecord:
        """Add a record to the Being's own scope, unless another is named."""
        return records.add_memory(self.store, self.settings, self.being, NewRecord(text=text, **fields))

    def register(self, topic_id: str, text: str, **fields: object) -> VaultRecord:
        """Write a topic's register."""
        return self.add(text, tier="register", topic_id=topic_id, **fields)

    def delete(self, record: VaultRecord) -> VaultRecord:
        """Delete a record."""
        return records.delete_memory(self.store, self.settings, self.being, record.id)

    def live(self, scopes: Sequence[str] | None = None) -> dict[str, VaultRecord]:
        """The live records by id."""
        with self.store.transaction() as tx:
            return {each.id: each for each in rows.live(tx, self.being, scopes or ["shared", self.being.slug])}

    def versions(self, record_id: str) -> list[VaultRecord]:
        """The stored versions of a record."""
        with self.store.transaction() as tx:
            return rows.versions(tx, self.being, [record_id])


@pytest.fixture
def vault_of(store):
    """The vault of a Being."""
    return lambda being, **settings: Vault(store, being, Settings(**settings))


@pytest.fixture
def mine(vault_of, being):
    """The Being's vault."""
    return vault_of(being)
