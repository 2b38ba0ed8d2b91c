"""The owner that transactions act for, whose rows alone they then see: the second wall (sql/wall.sql)."""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from schemas.ledger.bound import bound


@dataclass(frozen=True)
class Owner:
    """The owner of a transaction's rows.

    Attributes:
        user_id: The user, whose rows and whose Beings' rows it may see.
        owner_id: The Being that it is about; without one the user again.
    """

    user_id: UUID
    owner_id: UUID


Crossing = Literal[
    # The owner of a token or a login, for a request of the API or of the proxy.
    "authentication",
    # The claim of a unit of work, whose owner's user is then known.
    "claim",
    # A command of an operator, who reaches the database itself, until it has found its user.
    "command",
    # The user of the Being that a producer's stream item or Celery task names.
    "delivery",
    # Whether the system's work gets done, and whether models' providers answer.
    "health",
    # A request with an operator's token: users and their tokens, metrics, and dead work.
    "operator",
    # Beat's tasks: the sweep, retention, sessions that end, patrols and patches of indexing that are due.
    "periodic",
]
"""Why a transaction may see the rows of all owners. There is no other reason."""

_acting: ContextVar[Owner | Crossing | None] = ContextVar("acting", default=None)


def acting() -> Owner | Crossing | None:
    """Return the owner or the crossing of the present context's transactions; None: they see no owner's rows."""
    return _acting.get()


def act_for(user_id: UUID) -> None:
    """Act for a user from now on, to the end of the present context."""
    _acting.set(Owner(user_id, user_id))


def acting_for(user_id: UUID, being_id: UUID | None = None) -> AbstractContextManager[None]:
    """Act for a user while the block runs, in this context and in threads that copy it."""
    return bound(_acting, Owner(user_id, being_id or user_id))


def crossing(reason: Crossing) -> AbstractContextManager[None]:
    """Act for all owners while the block runs."""
    return bound(_acting, reason)
