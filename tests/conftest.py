"""What every test stands on: a real Postgres for the test process, and a database of its own for each test.

A database is a copy of a migrated template, which takes some 15 ms in memory (on a disk it can be 300), so no test
cleans up after another. The server is the embedded one that users run, but it promises nothing across a crash of the
machine.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, settings

from schemas.rows import Being, User
from store import clock as domain_clock
from store.database import Store
from store.migrate import migrate
from tests.scenes import make_being, make_user
from workers import processes
from workers.postgres_server import EmbeddedPostgres

# A condition that comes true costs nothing of this; a busy machine is no reason to fail.
PATIENCE = 120.0
MEMORY = Path("/dev/shm")  # noqa: S108  # directories in it get names that nobody can guess
ROOM = 2 << 30

# Nothing of the machine's own settings, and no proxy between us and ourselves.
for variable in [*os.environ]:
    if variable.startswith(("PATROL_", "OPENAI_", "ANTHROPIC_", "PG")) or variable in {"DATABASE_URL", "REDIS_URL"}:
        del os.environ[variable]
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

# A busy machine is no reason to fail. Examples may share a test's database, because each makes a Being of its own. They
# are the same in every run, so that nobody meets in their own change what is not of it; `deep` looks for new ones.
settings.register_profile(
    "deep",
    deadline=None,
    max_examples=5000,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("normal", settings.get_profile("deep"), max_examples=100, derandomize=True, database=None)
settings.load_profile("normal")


class Clock:
    """The domain's clock of one database, moved for everybody who reads it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def now(self) -> datetime:
        """Read the domain's time."""
        with self._store.transaction() as tx:
            return domain_clock.now(tx)

    def advance(self, **by: float) -> None:
        """Let time pass, by the keywords of `timedelta`: `clock.advance(hours=25)`."""
        with self._store.transaction() as tx:
            domain_clock.shift(tx, timedelta(**by))


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """A server for this test process, gone when it ends."""
    in_memory = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM
    with tempfile.TemporaryDirectory(prefix="patrol-", dir=MEMORY if in_memory else None) as home:
        sockets = Path(home) / "run"
        sockets.mkdir()
        with EmbeddedPostgres(Path(home) / "postgres", sockets, durable=False) as server:
            yield server


def execute_alone(url: str, statement: str) -> None:
    """Execute what can't be while anybody is connected, who may take longer to go than the server waits."""

    def executed() -> bool:
        try:
            server.execute(statement)
        except psycopg.errors.ObjectInUse:
            return False
        return True

    with psycopg.connect(url, autocommit=True) as server:
        assert processes.wait_until(executed, PATIENCE), f"somebody stays connected: {statement}"


@pytest.fixture(scope="session")
def new_database(postgres: EmbeddedPostgres) -> Callable[..., object]:
    """A maker of databases: migrated ones, and with `template="template0"` empty ones."""

    def url_of(database: str) -> str:
        return postgres.url.replace("/postgres?", f"/{database}?")

    @contextmanager
    def made(template: str = "migrated") -> Iterator[str]:
        name = f"test_{uuid4().hex}"
        execute_alone(postgres.url, f"create database {name} template {template} strategy file_copy")
        yield url_of(name)
        execute_alone(postgres.url, f"drop database {name} with (force)")

    with psycopg.connect(postgres.url, autocommit=True) as server:
        server.execute("create database migrated")
    migrate(url_of("migrated"))
    return made


@pytest.fixture
def url(new_database) -> Iterator[str]:
    """The test's own migrated database."""
    with new_database() as database:
        yield database


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """The test's own ledger, open."""
    opened = Store(url, connections=8)
    # A test that is kept waiting in the middle of a transaction has not stopped.
    opened._pool.kwargs["options"] += " -c idle_in_transaction_session_timeout=0"  # noqa: SLF001  # nobody else may
    with opened:
        yield opened


@pytest.fixture
def user(store: Store) -> User:
    """A person."""
    with store.transaction() as tx:
        return make_user(tx)


@pytest.fixture
def being(store: Store, user: User) -> Being:
    """A Being of the user's, with its two roots and the tests' embedding model."""
    with store.transaction() as tx:
        return make_being(tx, user)


@pytest.fixture
def clock(store: Store) -> Clock:
    """The domain's clock, to be moved."""
    return Clock(store)


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Wait for a condition, and fail the test when it does not come true in time."""

    def wait(condition: Callable[[], bool], patience: float = PATIENCE) -> None:
        assert processes.wait_until(condition, patience), f"did not come true within {patience:g} s"

    return wait
