"""Context variables that are set for a block, in the block's context and in threads that copy it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def bound(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Set a context variable while the block runs."""
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)
