"""Lease guard, called before every model request: a worker that has lost its lease sends no more requests.

The check is a context variable set around the work, so no function in between passes it on. Threads of a pool are
guarded if they run in a copy of the context (`contextvars.copy_context().run`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Check = Callable[[], None]
"""Returns if a request may be sent, and raises if the work must end."""

_check: ContextVar[Check | None] = ContextVar("lease_guard", default=None)


@contextmanager
def checking_each_request(check: Check) -> Iterator[None]:
    """Run `check` before each model request in the block, and before each batch of the local model."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def before_request() -> None:
    """Run the current check, if there is one.

    Raises:
        Exception: The check's own exception.
    """
    if check := _check.get():
        check()
