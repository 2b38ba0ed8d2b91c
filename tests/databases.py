"""Migrated databases, which tests use one after the other, each as if it were new.

To make a database, connect to it and drop it costs some 30 ms of processor time, and a server process that has not yet
read the catalog nor compiled the functions runs the first statements slowly. So a database is emptied after a test and
keeps the connections of the test's ledger. One that a test has changed otherwise, or leaves in use, is dropped.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import scalar_row
from psycopg_pool import ConnectionPool

from operations.declaration import Operation
from store.database import Sender, Store
from store.transaction import Transaction
from workers.embedded.processes import wait_until

# An ordinary role, without privileges but those of an owner.
OWNER = "operator"
# That of the processes, which policies of row-level security bind; a test's own ledger is the owner's, and sees all.
BOUND = "bound"
CONNECTIONS = 8
APPLICATION = "a test's ledger"
# How long a test's processes and threads may take to let go of their connections.
PATIENCE = 20.0
# Deleted rows stay in the files, where the planner sees them.
MOST_DELETED = 5_000
# Tables that the migrations fill.
FILLED = {"migrations", "clock"}
# A change of the schema writes to one of these, and plans depend on `pg_statistic`.
CATALOGS = (
    "pg_attrdef",
    "pg_attribute",
    "pg_class",
    "pg_constraint",
    "pg_extension",
    "pg_index",
    "pg_namespace",
    "pg_proc",
    "pg_trigger",
    "pg_type",
    "pg_statistic",
    "memory.migrations",
)
# The rows, and those that were written after a transaction. Both are read after each test: the greatest `xmin`, which
# has no order and would have to be written out for each row, took twice the time.
_READ = sql.SQL("select (count(*), count(*) filter (where age(xmin) < age({}::xid)))::text from {}")


def url_of(server: str, database: str) -> str:
    """The address of another database of an embedded server, given that of the server's own."""
    return server.replace("/postgres?", f"/{database}?")


def as_owner(url: str) -> str:
    """The same database for its owner, given where its superuser finds it."""
    return url.replace("//postgres@", f"//{OWNER}@")


def as_superuser(url: str) -> str:
    """The other way round."""
    return url.replace(f"//{OWNER}@", "//postgres@")


def as_bound(url: str) -> str:
    """The same database for the application's role, given where its owner finds it."""
    return url.replace(f"//{OWNER}@", f"//{BOUND}@")


def of_processes(url: str) -> dict[str, str]:
    """The settings by which processes reach a database, given where its owner finds it."""
    return {"DATABASE_URL": as_bound(url), "PATROL_DIRECT_URL": url}


class Ledger(Store):
    """A test's ledger. Its connections stay open when it is closed, for the next test.

    Args:
        url: The database.
        send: How it sends messages.
        pool: The connections of an earlier one; None: it opens its own.
    """

    def __init__(self, url: str, send: Sender, pool: ConnectionPool[Transaction] | None) -> None:
        super().__init__(url, CONNECTIONS, send)
        # A test may be suspended for long within a transaction.
        self._pool.kwargs["options"] += " -c idle_in_transaction_session_timeout=0"
        self._pool.kwargs["application_name"] = APPLICATION
        self.pool = self._pool = pool or self._pool

    def __exit__(self, *_: object) -> None:
        """End the threads, and keep the connections."""
        self._beside.shutdown(wait=False, cancel_futures=True)


class Database:
    """A migrated database.

    Args:
        url: Its address. It is new: what it holds now is what `restore` leaves.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._pool: ConnectionPool[Transaction] | None = None
        self._deleted = 0
        self._session = psycopg.connect(as_superuser(url), autocommit=True, row_factory=scalar_row, prepare_threshold=0)
        # Neither foreign keys nor triggers, such as those of what can only be appended to, refuse its deletions.
        self._session.execute("set session_replication_role = replica")
        named = "select relname from pg_class where relnamespace = 'memory'::regnamespace and relkind = %s"
        tables = set(self._session.execute(named, ["r"])) - FILLED
        self._empty = _deletion_from(sorted(tables)).as_string()
        self._sequences = self._session.execute(named, ["S"]).fetchall()
        began = self._session.execute("select pg_current_xact_id()::text").fetchone()
        reads = (_READ.format(began, sql.Identifier(*each.split("."))) for each in CATALOGS)
        self._read_all = sql.SQL(" union all ").join(reads).as_string()
        self._catalogs = self._read_catalogs()

    @contextmanager
    def ledger(self, send: Sender) -> Iterator[Store]:
        """Open a ledger of this database for one test; `send` is how it sends messages."""
        with Ledger(self.url, send, self._pool) as opened:
            self._pool = opened.pool
            yield opened

    def restore(self) -> bool:
        """Make it again what it was when it was new; returns whether it is, and no test uses it any more."""
        try:
            if not wait_until(self._is_free, PATIENCE) or self._read_catalogs() != self._catalogs:
                return False
            self._deleted += self._session.execute(self._empty).fetchone() or 0
            self._session.execute("update memory.clock set shift = default where shift <> interval '0'")
            for sequence in self._sequences:
                self._session.execute("select setval(%s::text::regclass, 1, false)", [f"memory.{sequence}"])
        except psycopg.OperationalError:
            # The test has stopped the server, or closed the database to all.
            return False
        return self._deleted <= MOST_DELETED

    def close(self) -> None:
        """Close its connections."""
        if self._pool is not None:
            self._pool.close()
        self._session.close()

    def _is_free(self) -> bool:
        """Whether all connections of its ledger are back; others are told to close, as processes leave theirs open."""
        others = self._session.execute(
            """
            select count(pg_terminate_backend(pid))
            from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and application_name <> %s
            """,
            [APPLICATION],
        ).fetchone()
        own = self._pool.get_stats() if self._pool else {}
        return not others and own.get("pool_size") == own.get("pool_available")

    def _read_catalogs(self) -> list[str]:
        """How many rows each catalog has, and how many of them were written since the database was new."""
        return self._session.execute(self._read_all).fetchall()


def _deletion_from(tables: Sequence[str]) -> sql.Composed:
    """Return a statement that empties all of these tables, and returns how many rows they had."""
    deletions, counts = [], []
    for position, table in enumerate(tables):
        name = sql.Identifier(f"deletion {position}")
        deletions.append(sql.SQL("{} as (delete from {} returning 1)").format(name, sql.Identifier("memory", table)))
        counts.append(sql.SQL("(select count(*) from {})").format(name))
    return sql.SQL("with {} select {}").format(sql.SQL(", ").join(deletions), sql.SQL(" + ").join(counts))


class Databases:
    """The databases of a test process: a test gets one that no other test is using.

    Args:
        new: Makes a migrated database, and drops it at the end of the block.
    """

    def __init__(self, new: Callable[[], AbstractContextManager[str]]) -> None:
        self._new = new
        self._free: list[tuple[Database, ExitStack]] = []

    @contextmanager
    def one(self, *, new: bool = False) -> Iterator[Database]:
        """A database that is as if it were new; with `new` it is."""
        database, ending = self._free.pop() if self._free and not new else self._made()
        kept = False
        try:
            yield database
            kept = database.restore()
        finally:
            if kept:
                self._free.append((database, ending))
            else:
                ending.close()

    def close(self) -> None:
        """Drop all."""
        while self._free:
            self._free.pop()[1].close()

    def _made(self) -> tuple[Database, ExitStack]:
        with ExitStack() as ending:
            database = Database(ending.enter_context(self._new()))
            ending.callback(database.close)
            return database, ending.pop_all()


def answer_of(store: Store, operation: Operation[Any], *arguments: Any, **options: Any) -> Any:
    """Return what an operation answers that takes a transaction."""
    with store.transaction() as tx:
        return operation.call(tx, *arguments, **options)
