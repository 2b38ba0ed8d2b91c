"""Reads of a decision that is made without a lock, and holds if the same is read under the lock."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from store.transaction import Transaction

P = ParamSpec("P")
T = TypeVar("T")


class RepeatableReads:
    """Reads rows, and knows later whether they are still the same.

    Args:
        tx: The transaction that they are read in.
    """

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._answers: list[tuple[Callable[[Transaction], Any], Any]] = []

    def ask(self, query: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a query, and remember its result."""

        def read(tx: Transaction) -> T:
            return query(tx, *args, **kwargs)

        answer = read(self._tx)
        self._answers.append((read, answer))
        return answer

    def hold(self, tx: Transaction) -> bool:
        """Whether every query has the same result in another transaction."""
        return all(read(tx) == answer for read, answer in self._answers)
