"""The pools and clients of one process: opened after the fork, passed as the first argument, closed at the end."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.settings import Settings
from store.database import Sender, Store, Way, send_nothing
from store.ledger.tracing import UNTRACED, Tracing
from store.shares import Limits
from workers.runtime.addresses import addresses, direct_url
from workers.runtime.secret import with_secret
from workers.runtime.usage_meter import AccountsMeter

# How long one statement of a worker or of the stream reader may run. Migrations have no timeout.
STEP_STATEMENT_SECONDS = 300.0


@dataclass(frozen=True, eq=False)
class Resources:
    """The settings, the ledger and the models of one process."""

    settings: Settings
    store: Store
    embedders: Embedders
    thinkers: Thinkers


@contextmanager
def resources(
    settings: Settings,
    send: Sender = send_nothing,
    *,
    statement_seconds: float | None = None,
    user_connections: int | None = None,
    bulk_turns: Path | None = None,
    notes_live_requests: bool = False,
) -> Iterator[Resources]:
    """Open a process's resources for the duration of the block.

    Args:
        send: Sends the Celery messages for work that a transaction made ready; by default the sweep sends them.
        statement_seconds: The statement timeout of this process; None: unlimited.
        user_connections: How many connections one user's requests may hold at once; None: the whole pool.
        bulk_turns: The file by which this process takes turns at bulk with others; None: it does not coordinate.
        notes_live_requests: Whether this process notes live requests, so that bulk need not rest while there are none.

    Raises:
        NothingRunsError: No database is configured, and no embedded one runs.
    """
    url = addresses(settings).database_url
    direct = settings.direct_url.get_secret_value() if settings.direct_url else None
    if not settings.database_url:
        direct = direct_url(settings)
    way = Way(pooled=settings.pooled and settings.database_url is not None, direct_url=direct)
    settings = with_secret(settings)
    limits = Limits(
        statement_seconds,
        settings.bulk_statement_timeout,
        user_connections,
        settings.bulk_share,
        bulk_turns,
        rests_always=not notes_live_requests,
        connection_seconds=settings.connection_patience,
    )
    with (
        _tracing(settings) as tracing,
        Store(url, settings.database_connections, send, limits, way, tracing) as store,
        closing(Thinkers(settings)) as thinkers,
    ):
        yield Resources(settings, store, Embedders(settings, AccountsMeter(store, settings)), thinkers)


@contextmanager
def _tracing(settings: Settings) -> Iterator[Tracing]:
    """Keep traces during the block, if the settings say so."""
    if settings.traces == "off":
        yield UNTRACED
        return
    # Most systems keep none, and the exporter takes a tenth of a second to import.
    from workers.runtime.traces import exported_tracing  # noqa: PLC0415

    with exported_tracing() as tracing:
        yield tracing
