"""A vault to write to, by the same use cases as the doors."""

from collections.abc import Sequence

import pytest

from memory import vault
from schemas.rows import Being
from schemas.settings import Settings
from schemas.vault import NewRecord, VaultRecord
from store import vault as rows
from store.database import Store


class Vault:
    """One Being's vault."""

    def __init__(self, store: Store, being: Being, settings: Settings) -> None:
        self.store = store
        self.being = being
        self.settings = settings

    def add(self, text: str, **said: object) -> VaultRecord:
        """Add a record to the Being's own scope, unless another is named."""
        return vault.add_memory(self.store, self.settings, self.being, NewRecord(text=text, **said))

    def register(self, topic_id: str, text: str, **said: object) -> VaultRecord:
        """Write to a topic's register."""
        return self.add(text, tier="register", topic_id=topic_id, **said)

    def delete(self, record: VaultRecord) -> VaultRecord:
        """End a record."""
        return vault.delete_memory(self.store, self.settings, self.being, record.id)

    def live(self, scopes: Sequence[str] | None = None) -> dict[str, VaultRecord]:
        """What lives, by id."""
        with self.store.transaction() as tx:
            return {each.id: each for each in rows.live(tx, self.being, scopes or ["shared", self.being.slug])}

    def versions(self, record_id: str) -> list[VaultRecord]:
        """Every version that is kept of a record."""
        with self.store.transaction() as tx:
            return rows.kept(tx, self.being, [record_id])


@pytest.fixture
def vault_of(store):
    """The vault of a Being."""
    return lambda being, **settings: Vault(store, being, Settings(**settings))


@pytest.fixture
def mine(vault_of, being):
    """The Being's vault."""
    return vault_of(being)
