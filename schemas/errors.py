"""The ledger's refusals, as exceptions.

    StoreError
    ├── MigrationRefused   the database can't be brought to the expected shape
    ├── LeaseLost          another worker holds this work now: nothing of the transaction is kept   MP001
    ├── NotFound           no such thing, for this owner                                             MP002
    ├── Refused            the thing exists, and its state forbids the request                       MP003
    ├── Withdrawn          a row of the user's was withdrawn meanwhile: read again, and ask anew     MP004
    ├── BudgetSpent        the rest of the day's budget is too small: wait for the next day
    └── Unavailable        the database is out of reach, or broke a deadlock: try again              `PASSING`
        └── StatementTimeout   a statement ran longer than it may: ask for less, or try again later  57014

Custom SQLSTATEs are turned into these in one place, `store.faults.errors.translated`.
"""

from typing import TypeVar
from uuid import UUID

from schemas.llm.calls import BudgetName, Lacking

T = TypeVar("T")


class StoreError(Exception):
    """A refusal of the ledger."""


class MigrationRefused(StoreError):
    """The database can't be brought to the expected shape."""


class LeaseLost(StoreError):
    """Another worker took the lease on a unit of work; the effects of this attempt were rolled back."""


class NotFound(StoreError):
    """This owner has no such row; another owner may have one."""


def existing(found: T | None, missing: str) -> T:
    """Return the found row.

    Raises:
        NotFound: It is None; the text is `missing`.
    """
    if found is None:
        raise NotFound(missing)
    return found


class Refused(StoreError):
    """The state of the thing forbids the request; the text says why, and names the remedy."""


class Withdrawn(StoreError):
    """A row of the user's was withdrawn since the work was claimed, and the model's answer may be about it.

    The answer is not stored. The same work, claimed again, reads the remaining rows and asks about those.
    """


class BudgetSpent(StoreError):
    """The budget of models for this day is used up.

    Args:
        message: The spent budget, in a sentence.
        owner_id: The owner of the call that was refused.
        budget: The budget that is spent.
        lacking: Why the call does not fit: too few `tokens`, too little `cost`, or an unknown `price`.
        retry_after: Seconds until the budget's day ends.
    """

    def __init__(
        self, message: str, *, owner_id: UUID, budget: BudgetName, lacking: Lacking, retry_after: float
    ) -> None:
        super().__init__(message)
        self.owner_id = owner_id
        self.budget: BudgetName = budget
        self.lacking: Lacking = lacking
        self.retry_after = retry_after


class Unavailable(StoreError):
    """The database is out of reach or gave up on this transaction; the same again may pass."""


class StatementTimeout(Unavailable):
    """A statement was stopped because it ran too long; its transaction was rolled back."""
