"""Connections, transactions, and the one way in which work ends."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Self

from pgvector.psycopg import register_vector
from psycopg import Connection, ProgrammingError
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool, PoolTimeout

from schemas.work import Claim
from store import work
from store.errors import translated
from store.transaction import Transaction

PATIENCE_SECONDS = 30.0
ASK_AGAIN_SECONDS = 1.0
RECONNECT_SECONDS = 2.0
# A process that is stopped in the middle of a transaction must not keep what it has locked from everybody else.
# Rows are read from memory or flash, where a Being's own by index cost less than everybody's in order.
OPTIONS = "-c search_path=memory,public -c idle_in_transaction_session_timeout=15s -c random_page_cost=1.1"


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
            # Its waits between attempts double without end; given up soon, whoever needs a connection begins anew.
            reconnect_timeout=RECONNECT_SECONDS,
            check=_begin,
            kwargs={"row_factory": dict_row, "options": OPTIONS, "autocommit": True},
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
        with translated():
            connection = self._connection(patience or PATIENCE_SECONDS)
            try:
                with connection:
                    yield connection
            finally:
                self._pool.putconn(connection)

    def _connection(self, patience: float) -> Transaction:
        until = monotonic() + patience
        while True:
            try:
                return self._pool.getconn(min(ASK_AGAIN_SECONDS, patience))
            except PoolTimeout:
                if monotonic() >= until:
                    raise

    @contextmanager
    def finishing(
        self, claim: Claim, *, first: Callable[[Transaction], object] = lambda _: None
    ) -> Iterator[Transaction]:
        """One transaction in which work ends: its effects, its done state and the work it causes are kept together.

        Args:
            claim: The work.
            first: What is locked before the work's row, where whoever asks for the work has locked that already.

        Raises:
            LeaseLost: Another holds the work now; nothing of this transaction is kept.
        """
        with self.transaction() as tx:
            first(tx)
            work.hold(tx, claim)
            yield tx
            # In one message to the server, which commits only if the work ended well.
            with tx.pipeline():
                work.finish(tx, claim)
                tx.commit()

    def ping(self) -> None:
        """Raise unless the database answers."""
        with self.transaction() as tx:
            tx.execute("select 1")


def _begin(connection: Connection[Any]) -> None:
    """Begin the transaction that a connection is fetched for; one that was lost fails here, and another is fetched."""
    connection.execute("begin")


def _configure(connection: Connection[Any]) -> None:
    # Before the first migration there is no such type; who needs it is told what is missing.
    with suppress(ProgrammingError):
        register_vector(connection)
