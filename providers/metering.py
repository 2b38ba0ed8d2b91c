"""Attributes an embedder's paid requests to an owner, through a context variable set around the work.

Like `providers.lease_guard`, the attribution belongs to the context of the thread that set it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from schemas.ledger.bound import bound


@dataclass(frozen=True, slots=True)
class RequestOwner:
    """The owner and purpose of model requests, and the work that makes them, if any."""

    owner_id: UUID
    purpose: str
    kind: str | None = None
    key: str | None = None


class Meter(Protocol):
    """Accounts for paid requests; thread-safe."""

    def request(self, model: str, tokens: int) -> AbstractContextManager[Callable[[int], None]]:
        """Account for a request that is sent in the block.

        Args:
            model: The model's name as the provider knows it.
            tokens: The estimated tokens of the request.

        Returns:
            A context manager; its value takes the number of tokens that the provider reports, if it does.

        Raises:
            Exception: The request may not be sent.
        """


_current: ContextVar[RequestOwner | None] = ContextVar("request_owner", default=None)


def on_behalf_of(request_owner: RequestOwner) -> AbstractContextManager[None]:
    """Attribute the model requests in the block."""
    return bound(_current, request_owner)


def current_owner() -> RequestOwner | None:
    """Return the current attribution, if there is one."""
    return _current.get()
