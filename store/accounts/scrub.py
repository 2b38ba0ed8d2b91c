"""Removes erased values from the database's files: dead rows, statistics and the write-ahead log.

A deleted row stays in its table's file until the space is reused, statistics keep a column's most common values until
the next analysis, and the log keeps records until its files are reused. VACUUM FULL rewrites each table and its indexes
without dead rows.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psycopg
from psycopg import Connection, sql
from psycopg.rows import scalar_row

from schemas.accounts.portability import ScrubOutcome
from store.faults.errors import translated
from store.schema.estimates import fix_estimates

LOCK_TIMEOUT = "10s"
TRIES = 3
ASK_AGAIN_SECONDS = 0.5
# Of 16 MB each. A server that keeps more does so by its configuration, and replacing them would take minutes.
MOST_LOG_FILES = 64
STATISTICS = "pg_catalog.pg_statistic"

Plain = Connection[Any]


def scrub(url: str, *, patience: timedelta = timedelta(seconds=30)) -> ScrubOutcome:
    """Rewrite all tables and replace the log's files, as far as the database user's rights allow.

    Each table is locked exclusively while it is rewritten.

    Args:
        url: The database, as a libpq connection string.
        patience: How long to wait for older transactions that may still see deleted rows.

    Returns:
        The tables and files that were rewritten, and under `left` those that were not, with the reasons.

    Raises:
        Unavailable: The database is unavailable; a retry is harmless.
    """
    left: list[str] = []
    with translated(), psycopg.connect(url, autocommit=True, row_factory=scalar_row) as connection:
        connection.execute(sql.SQL("set lock_timeout = {}").format(LOCK_TIMEOUT))
        _await_older_transactions(connection, patience, left)
        statistics = _remove_statistics(connection, left)
        tables = _rewrite_tables(connection, left)
        statistics = _rewrite(connection, STATISTICS, left) and statistics
        log = _write_past_the_log(connection, left)
    return ScrubOutcome(tables=tables, statistics=statistics, log=log, left=left)


def _await_older_transactions(connection: Plain, patience: timedelta, left: list[str]) -> None:
    """Wait until no transaction can see deleted rows, because VACUUM keeps rows that one can see."""
    (began,) = connection.execute("select clock_timestamp()").fetchall()
    until = time.monotonic() + patience.total_seconds()
    while _older(connection, began):
        if time.monotonic() >= until:
            left.append(
                "Older transactions may still see deleted rows, which stay in the files: end them and scrub again."
            )
            break
        time.sleep(ASK_AGAIN_SECONDS)
    (held,) = connection.execute(
        """
        select (select count(*) from pg_prepared_xacts where database = current_database())
            + (select count(*) from pg_replication_slots where xmin is not null)
        """
    ).fetchall()
    if held:
        left.append(f"{held} prepared transactions or replication slots keep deleted rows in the tables' files.")


def _older(connection: Plain, began: Any) -> int:
    (count,) = connection.execute(
        """
        select count(*) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start < %s
            and (backend_xmin is not null or backend_xid is not null)
        """,
        [began],
    ).fetchall()
    return int(count)


def _remove_statistics(connection: Plain, left: list[str]) -> bool:
    """Clear column statistics, because an analysis does not clear those of a table that has become empty."""
    with _allowed("clear the columns' statistics", left) as done:
        connection.execute(
            """
            select pg_clear_attribute_stats(schemaname::text, tablename::text, attname::text, inherited)
            from pg_stats where schemaname = 'memory'
            """
        )
        fix_estimates(connection)
        done.append(True)
    return bool(done)


def _rewrite_tables(connection: Plain, left: list[str]) -> int:
    """Rewrite every table of the schema `memory`; returns their number."""
    tables = connection.execute(
        """
        select format('%I.%I', 'memory', relname) from pg_class
        where relkind = 'r' and relnamespace = 'memory'::regnamespace order by relname
        """
    ).fetchall()
    return sum(_rewrite(connection, table, left) for table in tables)


def _rewrite(connection: Plain, table: str, left: list[str]) -> bool:
    """Rewrite a table with its indexes, and analyze it."""
    name = sql.Identifier(*table.split("."))
    for attempt in range(TRIES):
        try:
            with _allowed(f"rewrite {table}", left) as done, _warnings(connection) as warned:
                connection.execute(sql.SQL("vacuum (full, analyze) {}").format(name))
                # Postgres skips a table that the user may not vacuum with a warning, and no error.
                if warned:
                    left.append(f"{table} was not rewritten, because the database's user may not vacuum it.")
                else:
                    done.append(True)
        except psycopg.errors.LockNotAvailable:
            if attempt == TRIES - 1:
                left.append(f"{table} was locked by others for too long to be rewritten: scrub again.")
        else:
            return bool(done)
    return False


def _write_past_the_log(connection: Plain, left: list[str]) -> bool:
    """Have the current files of the write-ahead log removed or overwritten."""
    with _allowed("replace the files of the write-ahead log", left) as done:
        # Without recycling, files that are no longer needed are removed instead of renamed for reuse.
        connection.execute("alter system set wal_recycle = off")
        try:
            connection.execute("select pg_reload_conf()")
            connection.execute("checkpoint")
            (files,) = connection.execute("select count(*) from pg_ls_waldir()").fetchall()
            for _ in range(min(files, MOST_LOG_FILES)):
                connection.execute("select pg_logical_emit_message(true, 'scrub', '')")
                connection.execute("select pg_switch_wal()")
            connection.execute("checkpoint")
        finally:
            connection.execute("alter system reset wal_recycle")
            connection.execute("select pg_reload_conf()")
        if files > MOST_LOG_FILES:
            left.append(f"The write-ahead log has {files} files, too many to replace: later writes replace them.")
        else:
            done.append(True)
    return bool(done)


@contextmanager
def _warnings(connection: Plain) -> Iterator[list[str]]:
    """Collect the server's warnings while the block runs."""
    warned: list[str] = []

    def collect(notice: psycopg.errors.Diagnostic) -> None:
        if notice.severity_nonlocalized == "WARNING":
            warned.append(notice.message_primary or "")

    connection.add_notice_handler(collect)
    try:
        yield warned
    finally:
        connection.remove_notice_handler(collect)


@contextmanager
def _allowed(what: str, left: list[str]) -> Iterator[list[bool]]:
    """Add a missing right to `left` and go on; the block appends to the yielded list when it succeeds."""
    done: list[bool] = []
    try:
        yield done
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported) as refused:
        left.append(f"The database's user may not {what} ({type(refused).__name__}).")
