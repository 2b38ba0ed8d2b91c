"""May one more request be sent? Who works under a lease may not when it is lost, however deep in the work that shows.

The check is set around the work and made by whatever sends requests; nothing between them need hand it along. It
belongs to the context of the thread that set it: a pool's threads ask under it when they run in a copy of that context
(`contextvars.copy_context().run`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Check = Callable[[], None]
"""Returns where a request may be sent, and raises where the work must end."""

_check: ContextVar[Check | None] = ContextVar("permission", default=None)


@contextmanager
def each_request_needs(check: Check) -> Iterator[None]:
    """Have a check made before each request, and each batch that a model on this machine computes, in the block."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def before_request() -> None:
    """Ask whether a request may be sent now; without a check it may.

    Raises:
        Exception: Whatever the check raises.
    """
    if check := _check.get():
        check()
