"""The ledger's allowance for one request, which a door sets and the store keeps to."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID

from schemas.ledger.bound import bound


def _free_of_charge(_: float) -> None:
    pass


@dataclass(frozen=True)
class Allowance:
    """The allowance for the work of one request.

    Attributes:
        user_id: The user in whose share of the connections it runs; None: no share bounds it.
        statement_seconds: How long one statement may run; None: the process's limit.
        charge: Called after each transaction with the seconds for which it held a connection.
        connection_seconds: How long to wait for a connection; None: the store's limit.
    """

    user_id: UUID | None = None
    statement_seconds: float | None = None
    charge: Callable[[float], None] = _free_of_charge
    connection_seconds: float | None = None


_UNBOUND = Allowance()
_allowance: ContextVar[Allowance] = ContextVar("allowance", default=_UNBOUND)


def allowance() -> Allowance:
    """The allowance of the present context."""
    return _allowance.get()


def allow(allowance: Allowance) -> None:
    """Change the present context's allowance from now on, to its end."""
    _allowance.set(allowance)


def allowed(allowance: Allowance) -> AbstractContextManager[None]:
    """Apply an allowance while the block runs, in this context and in threads that copy it."""
    return bound(_allowance, allowance)
