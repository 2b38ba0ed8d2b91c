"""The statements that a release's processes send, which the schema of the next version must accept.

Processes of both run side by side while one replaces the other, so a column or function that a statement of the release
names goes one release later than the code that uses it, and keeps its type. New columns are passed over.
"""

import gzip
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psycopg

ENTRY = re.compile(r"^\d{4}-\d\d-\d\d [^\n]*? \[\d+\] ", re.MULTILINE)
EXECUTED = re.compile(r"LOG:  execute \S+: (.*)", re.DOTALL)


def logged(log: str) -> list[str]:
    """The statements about the schema that a server's log shows under `log_statement=all`, each once."""
    found = filter(None, map(EXECUTED.match, ENTRY.split(log)))
    return sorted({entry[1].replace("\n\t", "\n").strip() for entry in found if "memory." in entry[1]})


def refused(database: psycopg.Connection, statements: Iterable[str]) -> dict[str, str]:
    """The statements that a database can't plan, with its reasons; nothing is executed."""
    reasons = {}
    for statement in statements:
        try:
            with database.transaction():
                database.execute(f"prepare probe as {statement}".encode(), prepare=False)
                database.execute("deallocate probe")
        except psycopg.Error as error:
            reasons[statement] = error.diag.message_primary or type(error).__name__
    return reasons


def described(database: psycopg.Connection, statements: Iterable[str]) -> dict[str, set[str]]:
    """The parameters and columns, with types, of each of the statements that a database can plan."""
    described, types = {}, dict(database.execute("select oid, oid::regtype::text from pg_type").fetchall())
    for statement in statements:
        with suppress(psycopg.Error), database.transaction():
            database.execute(f"prepare probe as {statement}".encode(), prepare=False)
            found = database.pgconn.describe_prepared(b"probe")
            described[statement] = {
                *(f"${place + 1} {types[found.param_type(place)]}" for place in range(found.nparams)),
                *(
                    f"{(found.fname(place) or b'').decode()} {types[found.ftype(place)]}"
                    for place in range(found.nfields)
                ),
            }
            database.execute("deallocate probe")
    return described


def write(path: Path, statements: Iterable[str]) -> None:
    """Keep statements in a file."""
    path.write_bytes(gzip.compress("\0".join(statements).encode(), mtime=0))


def read(path: Path) -> list[str]:
    """The statements of such a file."""
    return gzip.decompress(path.read_bytes()).decode().split("\0")
