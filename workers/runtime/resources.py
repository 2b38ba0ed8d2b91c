"""One process's pools, clients and secret: opened after the fork, passed as the first argument, closed at the end."""

import os
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.settings import Settings
from store.database import DatabaseAccess, Sender, Store, send_nothing
from store.ledger.tracing import UNTRACED, Tracing
from store.shares import Limits
from workers.runtime.addresses import addresses, direct_url
from workers.runtime.usage_meter import AccountsMeter

# How long one statement of a worker or of the stream reader may run. Migrations have no timeout.
STEP_STATEMENT_SECONDS = 300.0
KEY_FILE = "secret-key"
KEY_BYTES = 32


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
    access = DatabaseAccess(pooled=settings.pooled and settings.database_url is not None, direct_url=direct)
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
        Store(url, settings.database_connections, send, limits, access, tracing) as store,
        closing(Thinkers(settings)) as thinkers,
    ):
        yield Resources(settings, store, Embedders(settings, AccountsMeter(store, settings)), thinkers)


@contextmanager
def _tracing(settings: Settings) -> Iterator[Tracing]:
    """Keep traces during the block, if settings turn them on."""
    if settings.traces == "off":
        yield UNTRACED
        return
    # Most systems keep none, and the exporter takes a tenth of a second to import.
    from workers.runtime.traces import exported_tracing  # noqa: PLC0415

    with exported_tracing() as tracing:
        yield tracing


def with_secret(settings: Settings) -> Settings:
    """Add a generated `secret_key` to the settings, if they have none and the database is the embedded one.

    An external database outlives this machine's home, so its operator must set PATROL_SECRET_KEY and keep it.
    """
    if settings.secret_key or settings.database_url:
        return settings
    return settings.model_copy(update={"secret_key": SecretStr(_kept(settings.home / KEY_FILE))})


def _kept(path: Path) -> str:
    """Read the secret from a file of mode 0600. The file is created atomically: the first of several processes wins."""
    if not path.exists():
        draft = path.with_name(f"{KEY_FILE}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode=0o600), "w") as file:
            file.write(secrets.token_urlsafe(KEY_BYTES))
        with suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text()
