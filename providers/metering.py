"""What an embedder uses lands in somebody's accounts: who that is, is said around the work and looked up by the meter.

Like `providers.permission`, it belongs to the context of the thread that set it; nothing between need hand it along.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom a model is asked and why; by which work, if by any."""

    owner_id: UUID
    purpose: str
    kind: str | None = None
    key: str | None = None


class Meter(Protocol):
    """Accounts for paid requests, around each of them; threads share it."""

    def request(self, model: str, tokens: int) -> AbstractContextManager[Callable[[int], None]]:
        """Account for a request that is sent in the block.

        Args:
            model: The model's name as the provider knows it.
            tokens: How many tokens it has, by estimate.

        Returns:
            A block that is told how many tokens the request had, where the provider says so.

        Raises:
            Exception: It may not be sent.
        """


_asker: ContextVar[Asker | None] = ContextVar("asker", default=None)


@contextmanager
def on_behalf_of(asker: Asker) -> Iterator[None]:
    """Let what is asked in the block be asked for somebody."""
    token = _asker.set(asker)
    try:
        yield
    finally:
        _asker.reset(token)


def asking() -> Asker | None:
    """For whom a model is asked here."""
    return _asker.get()
