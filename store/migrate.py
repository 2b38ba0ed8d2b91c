"""Bring a database to the shape that this code expects: migrations once and forward only, functions every time.

A migration library was weighed and left out: what remains once functions are replayed with CREATE OR REPLACE is this
page, and it can put tables and functions into one transaction under one lock (docs/decisions/0002).
"""

import hashlib
from pathlib import Path

import psycopg

from store.errors import MigrationRefused, translated
from store.transaction import Transaction, value

SQL = Path(__file__).resolve().parent.parent / "sql"
OLDEST_POSTGRES = 180000
OLDEST_VECTOR = (0, 8, 4)
LOCK = 0x6D656D6F7279  # "memory": the advisory lock that lets one migration at a time through


def migrate(url: str) -> list[str]:
    """Apply what is missing and replay all functions, in one transaction.

    Args:
        url: The database, as a libpq connection string.

    Returns:
        The names of the migrations that were applied now, in order.

    Raises:
        MigrationRefused: The server is too old, or an applied migration's file has been changed since.
        Unavailable: The database is out of reach.
    """
    with translated(), psycopg.connect(url) as connection:
        if connection.info.server_version < OLDEST_POSTGRES:
            raise MigrationRefused(
                f"Postgres 18 or newer is needed, and this server is {connection.info.server_version // 10000}."
            )
        connection.execute("select pg_advisory_xact_lock(%s)", [LOCK])
        connection.execute("create extension if not exists vector")
        _refuse_old_vector(connection)
        connection.execute("create schema if not exists memory")
        connection.execute("set local search_path to memory, public")
        connection.execute(
            "create table if not exists migrations ("
            "name text primary key, checksum bytea not null, applied_at timestamptz not null default clock_timestamp())"
        )
        rows = connection.execute("select name, checksum from migrations").fetchall()
        applied: dict[str, bytes] = dict(rows)
        fresh = [path for path in sorted((SQL / "migrations").glob("*.sql")) if _is_new(path, applied)]
        for path in fresh:
            connection.execute(path.read_bytes())
            connection.execute("insert into migrations (name, checksum) values (%s, %s)", [path.stem, _checksum(path)])
        for path in sorted((SQL / "functions").glob("*.sql")):
            connection.execute(path.read_bytes())
    return [path.stem for path in fresh]


def erase(url: str) -> bool:
    """Remove everything that `migrate` made, and all that is remembered in it; False where there was nothing.

    Raises:
        Unavailable: The database is out of reach.
    """
    with translated(), psycopg.connect(url) as connection:
        there = connection.execute("select to_regnamespace('memory') is not null").fetchone() == (True,)
        connection.execute("drop schema if exists memory cascade")
    return there


def missing(tx: Transaction) -> list[str]:
    """The names of the migrations that this database still lacks, in order."""
    if value(tx, "select to_regclass('memory.migrations')") is None:
        applied = set()
    else:
        applied = {row["name"] for row in tx.execute("select name from memory.migrations")}
    return [path.stem for path in sorted((SQL / "migrations").glob("*.sql")) if path.stem not in applied]


def _refuse_old_vector(connection: psycopg.Connection) -> None:
    row = connection.execute("select extversion from pg_extension where extname = 'vector'").fetchone()
    version = row[0] if row else "none"
    if row is None or tuple(int(part) for part in version.split(".")) < OLDEST_VECTOR:
        raise MigrationRefused(
            f"The vector extension 0.8.4 or newer is needed, and this database has {version}: install it on the "
            "server, then run `alter extension vector update`."
        )


def _checksum(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _is_new(path: Path, applied: dict[str, bytes]) -> bool:
    if path.stem not in applied:
        return True
    if applied[path.stem] != _checksum(path):
        raise MigrationRefused(
            f"Migration {path.name} was applied to this database in another wording. Migrations go forward only: put "
            "the file back as it was and write a new one."
        )
    return False
