"""Reads of a decision that is made without a transaction, and holds if the same is read under the lock."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from store.transaction import Transaction

P = ParamSpec("P")
T = TypeVar("T")


class Reads:
    """Reads rows, and knows later whether they are still the same.

    Args:
        run: Runs one statement: `Store.statement`, or one within a transaction.
    """

    def __init__(self, run: Callable[[Callable[[Transaction], Any]], Any]) -> None:
        self._run = run
        self._answers: list[tuple[Callable[[Transaction], Any], Any]] = []

    def ask(self, query: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a query of one statement returns."""

        def read(tx: Transaction) -> T:
            return query(tx, *args, **kwargs)

        answer: T = self._run(read)
        self._answers.append((read, answer))
        return answer

    def hold(self, tx: Transaction) -> bool:
        """Whether every query returns in a transaction what it returned before."""
        return all(read(tx) == answer for read, answer in self._answers)
