"""Migrates a database to this version's schema: each migration once, forward only; functions whenever they changed.

A migration is a file, or a folder whose files run in the order of their names; its identity is its name and the
checksum of its text. In sql/migrations, `from_0120` holds those of the numbers from 120 to the next folder's. Functions
are dropped and created again from sql/functions, in the order of their paths, in the same transaction and under the
same lock (docs/decisions/0002 and 0058). A file that begins with the line `-- afterwards` is run in a second
transaction, which may use the values that the first has added to an enum, and alter the tables that it has filled.

Both transactions keep all others from the tables, whose triggers they replace, so none of their files may read a table
that grows. A migration that must read one begins with `-- beside`: after all others, its statements, of which
each ends a line, run in a transaction each, and from the first again where one was interrupted.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psycopg
import structlog
from psycopg.rows import dict_row

from schemas.errors import MigrationRefused, Unavailable
from store.faults.errors import translated
from store.faults.reachability import why_unreachable
from store.schema.estimates import fix_estimates
from store.schema.wall import build_wall
from store.transaction import Transaction

LOG = structlog.get_logger()

SQL = Path(__file__).resolve().parent.parent / "sql"
OLDEST_POSTGRES = 180000
OLDEST_VECTOR = (0, 8, 4)
# A migration that waits for a lock on a table blocks all later lockers of it. So it gives up after this time,
# and begins anew, until an old transaction is over.
LOCK_WAIT = timedelta(seconds=1)
LOCK_PATIENCE = timedelta(minutes=2)
LOCK = 0x6D656D6F7279  # "memory": the advisory lock that lets one migration at a time through
BESIDE_LOCK = LOCK + 1  # the lock of migrations that run beside all other processes
AFTERWARDS, BESIDE = "-- afterwards\n", "-- beside\n"
FUNCTIONS = "functions"  # the row of `migrations` whose checksum is that of all files in sql/functions


def migrate(url: str, application: str | None = None) -> list[str]:
    """Apply missing migrations and replace the functions if their files changed.

    Functions are dropped before the migrations run and created after them, in the same transaction: a migration runs
    without triggers and views. Statements to run afterwards have a transaction of their own.

    Args:
        url: The database, as a libpq connection string, with the role that owns the tables.
        application: The same with the role of all other processes, which the policies of row-level security bind. It is
            made if it is missing. None, or the same role: the one that was let in before, if there is any.

    Returns:
        The names of the migrations that were applied now, in order.

    Raises:
        MigrationRefused: The server is too old, the file of an applied migration was changed, or the database has a
            migration that the files lack; another transaction keeps a lock for two minutes that it needs; or the
            application's role has rights over the policies, or can't be made.
        Unavailable: The database can't be reached.
    """
    if reason := why_unreachable(url):
        raise Unavailable(reason)
    at_once = _applied(url, application, afterwards=False) + _applied(url, application, afterwards=True)
    return sorted(at_once + _applied_beside(url))


def _applied(url: str, application: str | None, *, afterwards: bool) -> list[str]:
    until = monotonic() + LOCK_PATIENCE.total_seconds()
    while True:
        try:
            return _apply(url, application, afterwards=afterwards)
        except psycopg.errors.LockNotAvailable as error:
            if monotonic() >= until:
                raise MigrationRefused(
                    "A transaction of another program keeps a lock that the migration needs. Nothing was changed: end"
                    " that program (`select * from pg_stat_activity`), then migrate again."
                ) from error
            sleep(LOCK_WAIT.total_seconds())


def _applied_beside(url: str) -> list[str]:
    with translated(), psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:
        rows = connection.execute("select name, checksum from memory.migrations").fetchall()
        if not any(_begins(path, BESIDE) and _is_new(path, dict(rows)) for path in _migrations()):
            return []
        # CONCURRENTLY waits for all older statements, and would wait for one that waits for this lock.
        while connection.execute("select pg_try_advisory_lock(%s)", [BESIDE_LOCK]).fetchone() == (False,):
            sleep(LOCK_WAIT.total_seconds())
        connection.execute("set statement_timeout = 0; set search_path to memory, public")
        applied: dict[str, bytes] = dict(connection.execute("select name, checksum from migrations").fetchall())
        fresh = [path for path in _migrations() if _begins(path, BESIDE) and _is_new(path, applied)]
        for path in fresh:
            for statement in path.read_text(encoding="utf-8").split(";\n"):
                connection.execute(statement.encode())
            connection.execute("insert into migrations (name, checksum) values (%s, %s)", [path.stem, _checksum(path)])
    return [path.stem for path in fresh]


def _apply(url: str, application: str | None, *, afterwards: bool) -> list[str]:
    # A prepared statement would stay in the session, which a pooler gives to others.
    with _translated_but_locks(), psycopg.connect(url, prepare_threshold=None) as connection:
        # Building an index over a large table takes longer than a default timeout of the database may allow.
        connection.execute("set local statement_timeout = 0")
        if connection.info.server_version < OLDEST_POSTGRES:
            raise MigrationRefused(
                f"Postgres 18 or newer is needed, and this server is {connection.info.server_version // 10000}."
            )
        connection.execute("select pg_advisory_xact_lock(%s)", [LOCK])
        milliseconds = round(LOCK_WAIT / timedelta(milliseconds=1))
        connection.execute("select set_config('lock_timeout', %s, true)", [str(milliseconds)])
        _make_extension(connection)
        _refuse_old_vector(connection)
        # Loads the extension's library, without which only a superuser may make functions that set its parameters.
        connection.execute("select '[0]'::vector")
        try:
            connection.execute("create schema if not exists memory")
        except psycopg.errors.InsufficientPrivilege as error:
            raise MigrationRefused(
                f"The role {connection.info.user} may not create a schema in the database {connection.info.dbname}:"
                " let it own the database, or grant it CREATE on it."
            ) from error
        connection.execute("set local search_path to memory, public")
        connection.execute(
            "create table if not exists migrations ("
            "name text primary key, checksum bytea not null, applied_at timestamptz not null default clock_timestamp())"
        )
        rows = connection.execute("select name, checksum from migrations").fetchall()
        applied: dict[str, bytes] = dict(rows)
        _refuse_unknown(applied)
        fresh = [
            path
            for path in _migrations()
            if _is_new(path, applied) and _begins(path, AFTERWARDS) == afterwards and not _begins(path, BESIDE)
        ]
        if fresh or applied.get(FUNCTIONS) != _checksum(*_functions()):
            _replay(connection, fresh)
        # No table with a check that is still to come can be altered.
        connection.execute("set constraints all immediate")
        # Also where nothing has changed: the role may be new, or a dump may have come without it.
        build_wall(connection, application)
        if afterwards:
            # Also where nothing has changed: a database that was restored from a dump has lost them.
            fix_estimates(connection)
    return [path.stem for path in fresh]


@contextmanager
def _translated_but_locks() -> Iterator[None]:
    """Translate errors, but leave it to the caller to begin anew where a lock was not had in time."""
    lacked: psycopg.errors.LockNotAvailable | None = None
    with translated():
        try:
            yield
        except psycopg.errors.LockNotAvailable as error:
            lacked = error
    if lacked:
        raise lacked


def _replay(connection: psycopg.Connection, fresh: list[Path]) -> None:
    connection.execute((SQL / "drop_functions.sql").read_bytes())
    for path in fresh:
        for file in _files(path):
            connection.execute(file.read_bytes())
        connection.execute(
            "insert into migrations (name, checksum) values (%s, %s)", [path.stem, _checksum(*_files(path))]
        )
    for path in _functions():
        connection.execute(path.read_bytes())
    connection.execute(
        """
        insert into migrations (name, checksum) values (%s, %s)
        on conflict (name) do update set checksum = excluded.checksum, applied_at = clock_timestamp()
        """,
        [FUNCTIONS, _checksum(*_functions())],
    )


def erase(url: str) -> bool:
    """Drop the schema `memory` with all data; returns False if there was none.

    Raises:
        Unavailable: The database can't be reached.
    """
    with translated(), psycopg.connect(url) as connection:
        connection.execute("set local statement_timeout = 0")
        there = connection.execute("select to_regnamespace('memory') is not null").fetchone() == (True,)
        connection.execute("drop schema if exists memory cascade")
    return there


def missing(tx: Transaction) -> list[str]:
    """List the names of the migrations that this database lacks, in order."""
    if tx.value("select to_regclass('memory.migrations')") is None:
        applied = set()
    else:
        applied = {row["name"] for row in tx.execute("select name from memory.migrations")}
    return [path.stem for path in _migrations() if path.stem not in applied]


def await_migrated(url: str, patience: float = 60.0) -> bool:
    """Wait until a database has all migrations of this version, so that a process may start beside the migration.

    A database that is out of reach, or lets this role read no migrations, is not waited for: the caller's own
    statements then report it, or are tried again.

    Args:
        url: The database, as a libpq connection string.
        patience: Seconds to wait at most; then the log names the missing migrations.

    Returns:
        Whether the database has them.
    """
    deadline = monotonic() + patience
    try:
        with Transaction.connect(
            url, row_factory=dict_row, autocommit=True, connect_timeout=5, prepare_threshold=None
        ) as session:
            while (lacking := missing(session)) and monotonic() < deadline:
                sleep(0.05)
    except psycopg.Error:
        return False
    if lacking:
        LOG.error("schema.not_migrated", missing=lacking, remedy="run `patrol migrate`")
    return not lacking


def _make_extension(connection: psycopg.Connection[Any]) -> None:
    try:
        connection.execute("create extension if not exists vector")
    except (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.FeatureNotSupported,
        psycopg.errors.UndefinedFile,
    ) as error:
        raise MigrationRefused(
            f"The extension vector is missing in the database {connection.info.dbname}, and the role"
            f" {connection.info.user} can't create it. Install pgvector on the server; then let an administrator run"
            " `create extension vector` in this database."
        ) from error


def _refuse_old_vector(connection: psycopg.Connection) -> None:
    row = connection.execute("select extversion from pg_extension where extname = 'vector'").fetchone()
    version = row[0] if row else "none"
    if row is None or tuple(int(part) for part in version.split(".")) < OLDEST_VECTOR:
        raise MigrationRefused(
            f"The vector extension 0.8.4 or newer is needed, and this database has {version}: install it on the "
            "server, then run `alter extension vector update`."
        )


def _refuse_unknown(applied: dict[str, bytes]) -> None:
    unknown = sorted(applied.keys() - {path.stem for path in _migrations()} - {FUNCTIONS})
    if unknown:
        raise MigrationRefused(
            f"This database has migrations that this checkout lacks: {', '.join(unknown)}. A newer version made it, or "
            "one from before the first release. Use the version that made it, or an empty database."
        )


def _migrations() -> list[Path]:
    return sorted((SQL / "migrations").glob("from_*/[0-9]*"), key=lambda path: path.name)


def _begins(migration: Path, line: str) -> bool:
    return migration.is_file() and migration.read_text(encoding="utf-8").startswith(line)


def _files(migration: Path) -> list[Path]:
    return sorted(migration.glob("*.sql")) if migration.is_dir() else [migration]


def _functions() -> list[Path]:
    return sorted((SQL / "functions").rglob("*.sql"))


def _checksum(*paths: Path) -> bytes:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).digest()


def _is_new(path: Path, applied: dict[str, bytes]) -> bool:
    if path.stem not in applied:
        return True
    if applied[path.stem] != _checksum(*_files(path)):
        raise MigrationRefused(
            f"Migration {path.name} was applied to this database in another wording. Migrations go forward only: put "
            "the file back as it was and write a new one."
        )
    return False
