"""What every statement is given: one open transaction."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, LiteralString
from uuid import UUID

from psycopg import Connection
from psycopg.rows import DictRow, scalar_row

Transaction = Connection[DictRow]


def value(tx: Transaction, query: LiteralString, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
    """The single value that a statement answers; None where it answers no row."""
    with tx.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(query, parameters).fetchone()


def wait_at_most(tx: Transaction, patience: timedelta) -> None:
    """Let no statement of this transaction wait longer than this for a lock; one that would raises `Unavailable`."""
    tx.execute("select memory.wait_at_most(%s)", [patience])


def commit_soon(tx: Transaction) -> None:
    """Let the commit of this transaction not wait for the disk: what it keeps may be lost if the server dies at once.

    Only for what costs no more than to be done again. Whatever commits later makes it durable with itself.
    """
    tx.execute("set local synchronous_commit = off")


def new_ids(tx: Transaction, count: int) -> list[UUID]:
    """So many ids for what comes in, in the order in which it came: what is older sorts first."""
    return list(value(tx, "select array_agg(uuidv7()) from generate_series(1, %s)", [count]) or [])
