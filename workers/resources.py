"""What a process works with: opened after the fork, handed in as the first argument, closed at the end."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from providers.embedders import Embedders
from schemas.settings import Settings
from store.database import Store
from workers.addresses import addresses


@dataclass(frozen=True)
class Resources:
    """The settings, the ledger and the models of one process."""

    settings: Settings
    store: Store
    embedders: Embedders


@contextmanager
def resources(settings: Settings) -> Iterator[Resources]:
    """Open what a process needs while the block runs.

    Raises:
        NothingRunsError: There is no database.
    """
    with Store(addresses(settings).database_url, settings.database_connections) as store:
        yield Resources(settings, store, Embedders(settings))
