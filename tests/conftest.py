"""Fixtures of all tests: a real Postgres server for each test process, and a database for each test.

No test cleans up after itself: `tests.databases` does. The server is the embedded one that users run, but it promises
nothing across a crash of the machine.
"""

import os

# Two processes of two BLAS threads each spin for the same two cores: embedding took five times the processor time.
# It is read when numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import gc
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from datetime import datetime, timedelta
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any
from uuid import uuid4

import certifi
import psycopg
import pytest
from hypothesis import HealthCheck, settings

from schemas.accounts.accounts import Being, User
from schemas.ledger.work import TaskMessage
from store import clock as domain_clock
from store.database import Sender, Store
from tests.databases import OWNER, Database, Databases, as_owner, url_of
from tests.processes import clusters, forked_pytest
from tests.processes.browser import Chromium, Pages, running_chromium
from tests.processes.preloaded import SHARED, Preloaded, preloaded_client, preloaded_process
from tests.scenes import make_being, make_user
from workers.embedded import processes
from workers.embedded.postgres import EmbeddedPostgres
from workers.embedded.processes import Child
from workers.embedded.supervisor import Launch
from workers.runtime import collector

# Until the tests are collected: looking for garbage, where there is none, would take a quarter of that time.
gc.disable()

# An upper bound on waiting for a condition, generous so that a busy machine fails no test.
PATIENCE = 120.0
MEMORY = Path("/dev/shm")  # noqa: S108  # directories in it get unpredictable names
# What all test processes together have in it at a time, and as much again.
ROOM = 6 << 30
# `tests/acceptance/http` and each of its neighbours has a running system of its own.
DEPTH_OF_SYSTEMS = 3
# Which of the parallel test processes begin with the tests of these folders, one test each in turn. In `embedded`,
# `ledger` and `chaos` workers and servers are killed, and a test waits until a lease expires or a connection is there
# again.
BEGINNINGS = {
    ("tests", "acceptance", "http"): (0,),
    ("tests", "acceptance", "cli"): (1,),
    ("tests", "acceptance", "deployment"): (2,),
    ("tests", "acceptance", "proxy"): (2,),
    ("tests", "acceptance", "embedded"): (3, 4),
    ("tests", "acceptance", "ledger"): (3, 4, 5),
    ("tests", "chaos"): (5,),
}

# Removes the machine's own settings, and proxies for loopback connections.
for variable in [*os.environ]:
    if variable.startswith(("PATROL_", "OPENAI_", "ANTHROPIC_", "PG")) or variable in {"DATABASE_URL", "REDIS_URL"}:
        del os.environ[variable]
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

# No deadline, for busy machines. Examples may share a test's database, because each makes its own Being. They
# are the same in every run, so that a failure is due to the change at hand; the profile `deep` draws new ones.
settings.register_profile(
    "deep",
    deadline=None,
    max_examples=5000,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("normal", settings.get_profile("deep"), max_examples=100, derandomize=True, database=None)
settings.load_profile("normal")


def pytest_configure(config: pytest.Config) -> None:
    """Trust one certificate instead of all: a model's client loads them when it is made, which takes 40 ms.

    No test speaks TLS. Above parallel test processes, also start the preloaded process that they share, and make the
    directory of temporary files: what a killed worker leaves there goes with the run.
    """
    if not hasattr(config, "workerinput"):
        # pytest keeps those of its last runs where they are: they show why a test failed.
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
        # A short path, since a socket's is at most 107 bytes.
        temporary = tempfile.TemporaryDirectory(prefix="t-", dir=MEMORY if has_room(MEMORY) else None)
        config.add_cleanup(temporary.cleanup)
        os.environ["TMPDIR"] = tempfile.tempdir = temporary.name
    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----\n")
    kept = tempfile.NamedTemporaryFile("w", prefix="patrol-", suffix=".pem")  # noqa: SIM115  # until the run ends
    config.add_cleanup(kept.close)
    kept.write(first + end)
    kept.flush()
    os.environ["SSL_CERT_FILE"] = kept.name
    if config.getoption("numprocesses", default=None) and forks(config) and not hasattr(config, "workerinput"):
        running = ExitStack()
        os.environ[SHARED] = running.enter_context(preloaded_process())
        config.add_cleanup(running.close)


def has_room(folder: Path) -> bool:
    """Whether all temporary files of the tests may be in a folder in memory, and programs be started from there.

    A new cluster of Postgres has 2,000 files, and to make one on a disk took a millisecond of processor time.
    """
    return (
        os.access(folder, os.W_OK)
        and shutil.disk_usage(folder).free >= ROOM
        and not os.statvfs(folder).f_flag & os.ST_NOEXEC
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Fork the test processes if they are to run all tests: each would spend 10 s of processor time on imports."""
    if forks(config) and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        running = ExitStack()
        config.add_cleanup(running.close)
        client = running.enter_context(closing(Preloaded(running.enter_context(preloaded_process("tests")))))
        directory = running.enter_context(tempfile.TemporaryDirectory())
        program = client.program(Path(directory, "python"), forked_pytest.__name__)
        for spec in specs:
            spec.python = str(program)


def forks(config: pytest.Config) -> bool:
    """Whether processes are forked from a preloaded one."""
    return sys.platform == "linux" and not config.getoption("--cold")


class Clock:
    """The domain clock of one database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def now(self) -> datetime:
        """Return the domain's time."""
        with self._store.transaction() as tx:
            return domain_clock.now(tx)

    def advance(self, **by: float) -> None:
        """Advance the clock by the keywords of `timedelta`: `clock.advance(hours=25)`."""
        with self._store.transaction() as tx:
            domain_clock.shift(tx, timedelta(**by))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register `--cold`."""
    parser.addoption("--cold", action="store_true", help="start every process from scratch, as users do")


class Folder(pytest.Package):
    """A folder with which its fixtures of the scope `package` end, without a file `__init__.py`."""

    def setup(self) -> None:
        """Import nothing."""


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """End the systems of a folder with its last test: an idle one takes a thirtieth of a core."""
    deep = len(path.relative_to(parent.config.rootpath).parts) > DEPTH_OF_SYSTEMS
    return None if deep else Folder.from_parent(parent, path=path)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import the test modules, each of parallel test processes from another one on.

    The process that imports a module first rewrites its assertions, and keeps the result for the others. If all began
    with the same module, each would rewrite every module of a new clone.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    root = session.config.rootpath
    folders = [folder for folder in map(Path, session.config.args) if folder.is_dir()]
    modules = sorted(path.resolve().relative_to(root) for folder in folders for path in folder.rglob("test_*.py"))
    first = len(modules) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for module in modules[first:] + modules[:first]:
            # What fails, or is to be skipped, is imported again by the collection, which reports it.
            with suppress(Exception, pytest.skip.Exception):
                import_module(".".join(module.with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort the tests for parallel test processes: folder by folder, in each the tests marked `long` first.

    Each process gets a contiguous part of the list, and an idle one takes the second half of what another has left. So
    each part begins with tests of `BEGINNINGS`, which need a running system that has to be started, or wait more than
    they compute: one process computes while others wait, and few systems are started. It ends with tests that share
    nothing and are short, which are shared out best in the end.
    """

    def folder(item: pytest.Item) -> tuple[str, ...]:
        # Comparing paths, for each of all tests, would take a second.
        *folders, _ = item.nodeid.partition("::")[0].split("/")
        return tuple(folders[:DEPTH_OF_SYSTEMS])

    def place(item: pytest.Item) -> tuple[tuple[str, ...], bool]:
        return folder(item), item.get_closest_marker("long") is None

    processes = getattr(config, "workerinput", {}).get("workercount", 1)
    turns = {of: cycle(beginnings) for of, beginnings in BEGINNINGS.items()}
    parts: list[list[pytest.Item]] = [[] for _ in range(processes)]
    others = []
    for item in sorted(items, key=place):
        if turn := turns.get(folder(item)):
            parts[next(turn) % processes].append(item)
        else:
            others.append(item)
    size = -(-len(items) // processes)
    items.clear()
    for part in parts:
        room = max(0, size - len(part))
        items += part + others[:room]
        del others[:room]
    items += others


def pytest_collection_finish() -> None:
    """Keep the garbage collector from visiting all modules and tests over and over: they stay until the end."""
    collector.keep_out_of_it()
    gc.enable()


@pytest.fixture(scope="session")
def preloaded(request: pytest.FixtureRequest) -> Iterator[Preloaded | None]:
    """A client of the process that commands and workers are forked from; None with `--cold`."""
    with preloaded_client() if forks(request.config) else nullcontext() as client:
        yield client


@pytest.fixture(scope="session")
def launch(preloaded: Preloaded | None) -> Launch:
    """How tests start the system's processes: forked from the preloaded process, or executed with `--cold`."""
    return preloaded.child if preloaded else Child


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """The browser of this test process."""
    with running_chromium() as running:
        yield running


@pytest.fixture
def open_page(chromium: Chromium) -> Iterator[Pages]:
    """A function that opens pages in the browser; they are closed after the test."""
    with chromium.used() as browser:
        pages = Pages(browser)
        yield pages
        pages.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """A Postgres server for this test process, removed when it ends."""
    with tempfile.TemporaryDirectory(prefix="patrol-") as home:
        sockets = Path(home) / "run"
        sockets.mkdir()
        clusters.lay(Path(home) / "postgres", clusters.operated)
        with EmbeddedPostgres(Path(home) / "postgres", sockets, durable=False) as server:
            with psycopg.connect(server.url, autocommit=True) as superuser:
                # It would change the statistics of databases between tests, and these would be made anew every minute.
                superuser.execute("alter system set autovacuum = off")
                superuser.execute("select pg_reload_conf()")
            yield server


def execute_alone(url: str, statement: str) -> None:
    """Execute a statement that needs a database without connections, and retry while the last ones close."""

    def executed() -> bool:
        try:
            server.execute(statement)
        except psycopg.errors.ObjectInUse:
            return False
        return True

    with psycopg.connect(url, autocommit=True) as server:
        assert processes.wait_until(executed, PATIENCE), f"a connection stays open: {statement}"


@pytest.fixture(scope="session")
def new_database(postgres: EmbeddedPostgres) -> Callable[..., object]:
    """A maker of databases: migrated ones, and with `template="empty"` ones that only have the extension `vector`.

    They belong to an ordinary role, as on a managed server.
    """

    @contextmanager
    def made(template: str = "migrated") -> Iterator[str]:
        name = f"test_{uuid4().hex}"
        execute_alone(postgres.url, f"create database {name} owner {OWNER} template {template} strategy file_copy")
        yield as_owner(url_of(postgres.url, name))
        execute_alone(postgres.url, f"drop database {name} with (force)")

    return made


@pytest.fixture(scope="session")
def databases(new_database) -> Iterator[Databases]:
    """The migrated databases of this test process."""
    made = Databases(new_database)
    yield made
    made.close()


@pytest.fixture
def database(request: pytest.FixtureRequest, databases: Databases) -> Iterator[Database]:
    """The test's own migrated database; with the mark `new_database` no test has used it before."""
    with databases.one(new=request.node.get_closest_marker("new_database") is not None) as database:
        yield database


@pytest.fixture
def url(database: Database) -> str:
    """The address of the test's own database."""
    return database.url


class Sent(list[TaskMessage]):
    """Records the messages that a store sends, in order."""

    def take(self) -> list[TaskMessage]:
        """Return the messages that were sent since the last call."""
        taken = list(self)
        self.clear()
        return taken

    def by(self, do: Callable[[], object]) -> list[TaskMessage]:
        """Call a function; returns the messages that were sent meanwhile."""
        self.clear()
        do()
        return self.take()


@pytest.fixture
def sent() -> Sent:
    """The messages that the test's ledger sends; no worker receives them."""
    return Sent()


@pytest.fixture
def sender(sent: Sent) -> Sender:
    """How the test's ledger sends messages."""
    return sent.extend


@pytest.fixture
def store(database: Database, sender: Sender) -> Iterator[Store]:
    """The test's own ledger, open."""
    with database.ledger(sender) as opened:
        yield opened


@pytest.fixture
def user(store: Store) -> User:
    """A user."""
    with store.transaction() as tx:
        return make_user(tx)


@pytest.fixture
def being(store: Store, user: User) -> Being:
    """A Being of the user's, with its two roots and the tests' embedding model."""
    with store.transaction() as tx:
        return make_being(tx, user)


@pytest.fixture
def clock(store: Store) -> Clock:
    """The domain clock, to be moved."""
    return Clock(store)


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Poll a condition, and fail the test if it does not hold in time."""

    def wait(condition: Callable[[], bool], patience: float = PATIENCE) -> None:
        assert processes.wait_until(condition, patience), f"did not come true within {patience:g} s"

    return wait
