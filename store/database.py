"""Connections, transactions, and the one way in which work ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from pgvector.psycopg import register_vector
from psycopg import Connection
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from schemas.work import Claim
from store import work
from store.errors import translated
from store.transaction import Transaction


class Store:
    """A process's way to the ledger: a pool of connections, opened after the fork and closed at the end.

    Args:
        url: The database, as a libpq connection string.
        connections: The most that are open at once.
    """

    def __init__(self, url: str, connections: int = 4) -> None:
        self._pool: ConnectionPool[Transaction] = ConnectionPool(
            url,
            min_size=1,
            max_size=connections,
            open=False,
            configure=_configure,
            check=ConnectionPool.check_connection,
            kwargs={"row_factory": dict_row, "options": "-c search_path=memory,public"},
        )

    def __enter__(self) -> Self:
        """Open the pool. A database that is not there yet is waited for by whoever first needs it."""
        self._pool.open()
        return self

    def __exit__(self, *_: object) -> None:
        """Give every connection back to the server."""
        self._pool.close()

    @contextmanager
    def transaction(self, *, patience: float | None = None) -> Iterator[Transaction]:
        """One transaction: committed at the end of the block, rolled back if it raises.

        Args:
            patience: Seconds to wait for a connection, if not the pool's own 30.

        Raises:
            Unavailable: There was none in time, or it was lost.
        """
        with translated(), self._pool.connection(patience) as connection:
            yield connection

    @contextmanager
    def finishing(self, claim: Claim) -> Iterator[Transaction]:
        """One transaction in which work ends: its effects, its done state and the work it causes are kept together.

        Raises:
            LeaseLost: Another holds the work now; nothing of this transaction is kept.
        """
        with self.transaction() as tx:
            work.hold(tx, claim)
            yield tx
            work.finish(tx, claim)

    def ping(self) -> None:
        """Raise unless the database answers."""
        with self.transaction() as tx:
            tx.execute("select 1")


def _configure(connection: Connection[Any]) -> None:
    register_vector(connection)
    connection.commit()
