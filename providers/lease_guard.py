"""Lease guard, called before every model request: a worker that has lost its lease sends no more requests.

The check is a context variable set around the work, so no function in between passes it on. Threads of a pool are
guarded if they run in a copy of the context (`contextvars.copy_context().run`).
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar

from schemas.ledger.bound import bound

Check = Callable[[], None]
"""Returns if a request may be sent, and raises if the work must end."""

_check: ContextVar[Check | None] = ContextVar("lease_guard", default=None)


def checking_each_request(check: Check) -> AbstractContextManager[None]:
    """Run `check` before each model request in the block, and before each batch of the local model."""
    return bound(_check, check)


def before_request() -> None:
    """Run the current check, if there is one.

    Raises:
        Exception: The check's own exception.
    """
    if check := _check.get():
        check()
