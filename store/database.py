"""Connections, transactions, the one way in which work ends, and the one place where its messages are sent from."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from time import monotonic
from typing import Concatenate, ParamSpec, Self, TypeVar

import structlog
from pgvector.psycopg.halfvec import register_halfvec_info
from psycopg import OperationalError
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping
from psycopg.rows import dict_row
from psycopg.types import TypeInfo
from psycopg_pool import ConnectionPool, PoolTimeout

from schemas.errors import Refused, StatementTimeout, Unavailable
from schemas.ledger.acting import Crossing, Owner, acting
from schemas.ledger.allowance import allowance
from schemas.ledger.bound import bound
from schemas.ledger.work import Claim, TaskMessage
from store.faults.errors import translated
from store.faults.reachability import why_unreachable
from store.ledger import work
from store.ledger.tracing import UNTRACED, Tracing
from store.schema.wall import across
from store.shares import BulkShare, BulkTurns, Limits, UserShares
from store.transaction import Transaction

log = structlog.get_logger()

T = TypeVar("T")
P = ParamSpec("P")

Sender = Callable[[Sequence[TaskMessage]], None]
"""Sends the Celery messages for work that is committed. It may fail: the sweep sends again for due work."""

ASK_AGAIN_SECONDS = 1.0
RECONNECT_SECONDS = 2.0
# A machine under load takes a while to accept a connection.
REACHABLE_SECONDS = 5
# A second connection of one request is taken if it is free at once: requests that hold one and wait for another would
# wait for each other.
SECOND_SECONDS = 0.005
NO_LIMITS = Limits()
# A process that is stopped in the middle of a transaction must not hold its locks for ever.
# Rows are read from memory or flash, where a Being's own by index cost less than those of all users in order.
PARAMETERS = {"search_path": "memory,public", "idle_in_transaction_session_timeout": "15000", "random_page_cost": "1.1"}


# The transaction that all transactions of this thread's present request are parts of.
_JOINED: ContextVar[Transaction | None] = ContextVar("joined", default=None)


@dataclass(frozen=True)
class DatabaseAccess:
    """How a process reaches the database.

    Attributes:
        pooled: Whether its URL is that of a pooler in transaction mode. Each transaction then sets its own parameters,
            which take no round trip more.
        direct_url: The database without a pooler, as the tables' owner; None: the process's URL, unless that is a
            pooler's.
    """

    pooled: bool = False
    direct_url: str | None = None


DIRECT = DatabaseAccess()


def send_nothing(messages: Sequence[TaskMessage]) -> None:
    """Leave all work to the sweep: for processes that only look at the ledger."""


class Store:
    """A process's access to the ledger: a pool of connections, opened after the fork and closed at the end.

    Args:
        url: The database, as a libpq connection string.
        connections: The most that are open at once.
        send: Sends the Celery messages that a transaction collected, after its commit and without its connection.
        limits: How much of them one statement, one user and bulk may take.
        access: How the database is reached: directly, or through a pooler.

    Attributes:
        bulk: The share of bulk, which takes turns.
        has_direct_url: Whether settings give a URL of the database itself for the tables' owner.
        has_sessions: Whether `maintenance` can be used.
    """

    def __init__(
        self,
        url: str,
        connections: int = 4,
        send: Sender = send_nothing,
        limits: Limits = NO_LIMITS,
        access: DatabaseAccess = DIRECT,
        tracing: Tracing = UNTRACED,
    ) -> None:
        self._parameters = PARAMETERS | {"statement_timeout": str(round(1000 * (limits.statement_seconds or 0)))}
        self._access = access
        self.tracing = tracing
        self.has_direct_url = access.direct_url is not None
        self.has_sessions = not access.pooled or self.has_direct_url
        self._url = url
        self._send = send
        self._patience = limits.connection_seconds
        self.bulk = BulkShare(
            limits.bulk_share,
            limits.bulk_statement_seconds,
            BulkTurns(limits.bulk_turns),
            rests_always=limits.rests_always,
        )
        self._users = UserShares(limits.user_connections)
        self._beside = ThreadPoolExecutor(connections, thread_name_prefix="beside")
        self._pool: ConnectionPool[Transaction] = ConnectionPool(
            url,
            connection_class=Transaction,
            min_size=1,
            max_size=connections,
            open=False,
            configure=_configure,
            # Its waits between attempts double without end; after this time the next request starts anew.
            reconnect_timeout=RECONNECT_SECONDS,
            kwargs={
                "row_factory": dict_row,
                "autocommit": True,
                # Through a pooler the next transaction may be another server session's.
                **({"prepare_threshold": None} if access.pooled else {"options": _options(self._parameters)}),
            },
        )

    def __enter__(self) -> Self:
        """Open the pool. The first transaction waits for a database that is not there yet."""
        self._pool.open()
        return self

    def __exit__(self, *_: object) -> None:
        """Give every connection back to the server."""
        self._beside.shutdown(wait=False, cancel_futures=True)
        self._pool.close()

    def why_unreachable(self) -> str | None:
        """Why the database can't be reached now, for its operator; None: it can."""
        return why_unreachable(self._url)

    @contextmanager
    def transaction(self, *, patience: float | None = None) -> Iterator[Transaction]:
        """One transaction: committed at the end of the block, rolled back if it raises.

        The messages for work that it made ready are sent after the commit, when the connection is free again.

        Args:
            patience: Seconds to wait for a connection; None: those of the present allowance, or of the limits.

        Raises:
            Unavailable: There was none in time, or it was lost.
            StatementTimeout: A statement ran longer than the process or the present allowance lets it.
        """
        if (outer := _JOINED.get()) is not None:
            with translated(), outer.transaction():
                _allow(outer)
                before = outer.acting
                _act(outer, acting())
                yield outer
                _act(outer, before)
            return
        with self._begun(patience) as tx:
            messages = tx.outbox
            with tx:
                yield tx
        self._committed(messages)

    def run(self, do: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function that takes a transaction in one of its own."""
        with self.transaction() as tx:
            return do(tx, *args, **kwargs)

    def begin_read(self, read: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
        """Begin to read in a transaction of its own, in another thread, while the caller's transaction goes on.

        Args:
            read: Reads data that was committed before. It must not write.

        Returns:
            A function that waits for the result. It gets the caller's transaction, where `read` runs if no other
            connection is free at once.
        """
        if _JOINED.get() is not None:
            return read

        def apart() -> T:
            with self.transaction(patience=SECOND_SECONDS) as tx:
                return read(tx)

        reading = self._beside.submit(copy_context().run, apart)

        def result(tx: Transaction) -> T:
            try:
                return reading.result()
            except StatementTimeout:
                raise
            except Unavailable:
                return read(tx)

        return result

    @contextmanager
    def joined(self) -> Iterator[Transaction]:
        """One transaction that every transaction begun in the block becomes a part of: all of them commit, or none.

        The block must call no model: it holds a connection.

        Raises:
            Unavailable: There was no connection in time, or it was lost.
            StatementTimeout: A statement ran longer than the process or the present allowance lets it.
        """
        with self.transaction() as tx, bound(_JOINED, tx):
            yield tx

    def _committed(self, messages: Sequence[TaskMessage]) -> None:
        """Send the messages of a transaction that was committed; the work is accepted, whether that succeeds or not."""
        if not messages:
            return
        try:
            self._send(messages)
        except Exception as fault:  # noqa: BLE001  # after any fault the input is committed and the sweep sends again
            log.warning("dispatch.failed", messages=len(messages), error=type(fault).__name__)

    @contextmanager
    def _begun(self, patience: float | None) -> Iterator[Transaction]:
        """A connection of the pool for the block, on which a transaction has begun; one that was lost is replaced."""
        allowed = allowance()
        patience = patience or allowed.connection_seconds or self._patience
        with translated(), self._users.held(allowed.user_id, patience):
            until = monotonic() + patience
            while True:
                tx = self._wait_for_connection(patience, until)
                tx.outbox, tx.request_key_id, tx.moment = [], None, None
                begun = monotonic()
                try:
                    try:
                        if not tx.knows_vectors:
                            _configure(tx)
                        self._begin(tx)
                    except OperationalError:
                        if not tx.broken or monotonic() >= until:
                            raise
                        continue
                    yield tx
                    return
                finally:
                    self._pool.putconn(tx)
                    allowed.charge(monotonic() - begun)

    def _begin(self, tx: Transaction) -> None:
        """Begin a transaction within the present allowance, with the parameters that its session does not have."""
        tx.acting = acting()
        parameters = {**(self._parameters if self._access.pooled else {}), **_named(tx, tx.acting)}
        if (seconds := allowance().statement_seconds) is not None:
            parameters = {**parameters, "statement_timeout": str(round(1000 * seconds))}
        if trace := self.tracing.present():
            parameters = {**parameters, "memory.trace": f"'{trace}'"}
        # All in one message to the server; a prepared text must be a single statement.
        begin = "".join(["begin", *(f"; set local {name} = {value}" for name, value in parameters.items())])
        tx.execute(begin.encode(), prepare=None if not parameters else False)

    def _wait_for_connection(self, patience: float, until: float) -> Transaction:
        while True:
            try:
                return self._pool.getconn(min(ASK_AGAIN_SECONDS, patience))
            except PoolTimeout:
                if monotonic() >= until:
                    raise

    @contextmanager
    def finishing(
        self,
        claim: Claim,
        *,
        intake: Callable[[Transaction], object] | None = None,
        first: Callable[[Transaction], object] | None = None,
    ) -> Iterator[Transaction]:
        """One transaction in which work ends: its effects, its done state and the work it causes are kept together.

        Args:
            intake: Takes the lock on the Being's intake, which precedes all others.
            first: Takes the locks that precede the lock on the work's row, as transactions that request the work do.

        Raises:
            LeaseLost: Another holds the work now; nothing of this transaction is kept.
        """
        with self.tracing.span("finish", {}), self.transaction() as tx:
            if intake is not None:
                intake(tx)
            if first is not None:
                tx.execute("select memory.hold_owner(%s)", [claim.owner_id])
                first(tx)
            work.hold(tx, claim)
            yield tx
            work.finish(tx, claim)

    @contextmanager
    def maintenance(self) -> Iterator[Transaction]:
        """A connection of its own without a transaction, for DDL that may run in none, however long it takes.

        Raises:
            Refused: The database is reached through a pooler alone.
            Unavailable: The database can't be reached.
        """
        if not self.has_sessions:
            raise Refused("Indexes are built without a pooler: set PATROL_DIRECT_URL to the database itself.")
        with (
            translated(),
            Transaction.connect(
                self._access.direct_url or self._url,
                row_factory=dict_row,
                options=_options(PARAMETERS | {"statement_timeout": "0"}),
                autocommit=True,
            ) as session,
        ):
            yield session

    def reachable(self) -> bool:
        """Whether the server accepts connections, or refuses one only because it has too many.

        It takes no connection of the pool, so that a busy server is not taken for one that is down, and blocks some
        seconds at most.
        """
        conninfo = make_conninfo(self._url, connect_timeout=REACHABLE_SECONDS)
        return PGconn.ping(conninfo.encode()) == Ping.OK

    def ping(self) -> None:
        """Raise unless the database answers."""
        with self.transaction() as tx:
            tx.execute("select 1")


def _options(parameters: Mapping[str, str]) -> str:
    return " ".join(f"-c {name}={value}" for name, value in parameters.items())


def _allow(tx: Transaction) -> None:
    """Set the present allowance's statement timeout for the rest of a transaction that has begun."""
    if (seconds := allowance().statement_seconds) is not None:
        tx.execute("select set_config('statement_timeout', %s, true)", [str(round(1000 * seconds))])


def _named(tx: Transaction, whom: Owner | Crossing | None) -> dict[str, str]:
    """Return the parameters that name a transaction's owner, or let it cross owners; none where none are needed."""
    if tx.across is None or whom is None:
        return {}
    if isinstance(whom, Owner):
        return {"memory.user_id": f"'{whom.user_id}'", "memory.owner_id": f"'{whom.owner_id}'"}
    return {"role": f"'{tx.across}'"}


def _act(tx: Transaction, whom: Owner | Crossing | None) -> None:
    """Let the rest of a transaction that has begun act for another owner."""
    if whom == tx.acting:
        return
    for name, given in ({"role": "none"} | _named(tx, whom)).items() if tx.across else ():
        tx.execute("select set_config(%s, %s, true)", [name, given.strip("'")])
    tx.acting = whom


def _configure(connection: Transaction) -> None:
    # The only vector type that is stored; the package's own function looks four types up, for each connection.
    # Before the first migration there is no such type; the next use of the connection looks again.
    if info := TypeInfo.fetch(connection, "halfvec"):
        register_halfvec_info(connection, info)
        connection.across = across(connection)
        connection.knows_vectors = True
