"""The transaction that every statement runs in, and that collects the Celery messages to send after its commit."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar
from uuid import UUID

from psycopg import Connection
from psycopg.errors import UniqueViolation
from psycopg.rows import DictRow, class_row, scalar_row, tuple_row
from psycopg.sql import Composed

from schemas.errors import Refused

if TYPE_CHECKING:
    from schemas.ledger.acting import Crossing, Owner
    from schemas.ledger.work import TaskMessage

T = TypeVar("T")


class Transaction(Connection[DictRow]):
    """A connection of the pool for the duration of one transaction.

    Attributes:
        outbox: The Celery messages for work that this transaction made ready. The store sends them after the commit.
        request_key_id: The provider key that came with the request which this transaction serves; None without one. It
            is stored with each input that the transaction inserts, and may pay for model calls about these alone.
        moment: The domain's time of this transaction; None until `store.clock.now` has read it.
        knows_vectors: Whether the connection reads and writes the vector type, which the first migration creates.
        across: The role that a transaction takes which crosses owners; None where policies do not bind this session's.
        acting: The owner or the crossing that it acts for.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.outbox: list[TaskMessage] = []
        self.request_key_id: UUID | None = None
        self.moment: datetime | None = None
        self.knows_vectors = False
        self.across: str | None = None
        self.acting: Owner | Crossing | None = None

    def rows(
        self,
        kind: type[T],
        query: LiteralString,
        parameters: Sequence[Any] | Mapping[str, Any] = (),
        *,
        prepare: bool | None = None,
    ) -> list[T]:
        """All rows that a statement returns, each as an object of a class made by the columns' names.

        With `prepare=False` the statement is planned anew each time.
        """
        return self.cursor(row_factory=class_row(kind)).execute(query, parameters, prepare=prepare).fetchall()

    def row(self, kind: type[T], query: LiteralString, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> T | None:
        """The first row that a statement returns, as an object of a class; None without a row."""
        return self.cursor(row_factory=class_row(kind)).execute(query, parameters).fetchone()

    def one(self, kind: type[T], query: LiteralString, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> T:
        """The single row that a statement returns, as an object of a class."""
        (row,) = self.rows(kind, query, parameters)
        return row

    def changes(self, query: LiteralString, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> bool:
        """Perform a statement; returns whether it inserted, updated or deleted a row."""
        return self.execute(query, parameters).rowcount > 0

    def column(self, query: LiteralString, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """The first column of all rows that a statement returns."""
        return self.cursor(row_factory=scalar_row).execute(query, parameters).fetchall()

    def distinct(self, query: LiteralString, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> set[Any]:
        """The values of the first column of all rows that a statement returns."""
        return set(self.column(query, parameters))

    def pairs(self, query: LiteralString, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> dict[Any, Any]:
        """The second column of all rows that a statement returns, by the first."""
        return {first: second for first, second, *_ in self.cursor(row_factory=tuple_row).execute(query, parameters)}

    def exists(self, query: LiteralString, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> bool:
        """Whether a query finds a row."""
        return self.value("select exists (" + query + ")", parameters)

    def value(self, query: LiteralString | Composed, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
        """The first column of the first row that a statement returns; None without a row."""
        return self.cursor(row_factory=scalar_row).execute(query, parameters).fetchone()


@contextmanager
def once(tx: Transaction, refusal: str) -> Iterator[None]:
    """Refuse, with this text, a block that would insert a row which may exist once; the block's changes are undone.

    Raises:
        Refused: It would break a unique key.
    """
    try:
        with tx.transaction():
            yield
    except UniqueViolation as taken:
        raise Refused(refusal) from taken


def wait_at_most(tx: Transaction, patience: timedelta) -> None:
    """Limit how long a statement of this transaction waits for a lock; past it, the statement raises `Unavailable`."""
    tx.execute("select memory.wait_at_most(%s)", [patience])


def commit_soon(tx: Transaction) -> None:
    """Commit without waiting for the disk: a crash of the server within a second may lose this transaction.

    For changes that the system repeats at little cost. A later durable commit makes this one durable too.
    """
    tx.execute("set local synchronous_commit = off")


def new_ids(tx: Transaction, count: int) -> list[UUID]:
    """Return `count` new ids (UUID version 7), which sort in the order of the list and after all earlier ids."""
    return list(tx.value("select array_agg(uuidv7()) from generate_series(1, %s)", [count]) or [])
