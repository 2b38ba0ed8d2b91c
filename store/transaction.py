"""What every statement is given: one open transaction."""

from collections.abc import Sequence
from typing import Any, LiteralString

from psycopg import Connection
from psycopg.rows import DictRow, scalar_row

Transaction = Connection[DictRow]


def value(tx: Transaction, query: LiteralString, parameters: Sequence[Any] = ()) -> Any:
    """The single value that a statement answers; None where it answers no row."""
    with tx.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(query, parameters).fetchone()
