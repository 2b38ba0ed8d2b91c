"""What a process works with: opened after the fork, handed in as the first argument, closed at the end."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.settings import Settings
from store.database import Store
from workers.addresses import addresses
from workers.meter import AccountsMeter
from workers.secret import with_secret

if TYPE_CHECKING:
    from workers.crash_points import CrashPoint


@dataclass(frozen=True)
class Resources:
    """The settings, the ledger and the models of one process; and where it is to die, if a test says so."""

    settings: Settings
    store: Store
    embedders: Embedders
    thinkers: Thinkers
    crash: "CrashPoint | None" = None


@contextmanager
def resources(settings: Settings) -> Iterator[Resources]:
    """Open what a process needs while the block runs.

    Raises:
        NothingRunsError: There is no database.
    """
    url = addresses(settings).database_url
    settings = with_secret(settings)
    if settings.crash_at:
        from workers.crash_points import (  # noqa: PLC0415  # for tests alone
            CrashingMeter,
            CrashingStore,
            CrashingThinkers,
            CrashPoint,
        )

        crash = CrashPoint(settings.crash_at, settings.home)
        with (
            CrashingStore(url, settings.database_connections, crash) as store,
            closing(CrashingThinkers(settings, crash)) as thinkers,
        ):
            embedders = Embedders(settings, CrashingMeter(store, settings, crash))
            yield Resources(settings, store, embedders, thinkers, crash)
    else:
        with Store(url, settings.database_connections) as store, closing(Thinkers(settings)) as thinkers:
            yield Resources(settings, store, Embedders(settings, AccountsMeter(store, settings)), thinkers)
