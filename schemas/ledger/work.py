"""The ledger's models: the Celery message for due work, a worker's claim, and a row as the doors show it."""

from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, computed_field

from schemas.ledger.kinds import WORK
from schemas.wire.answers import Answer, Cursor

WorkState = Literal["ready", "running", "done", "dead"]

SUMMARY_CHARACTERS = 12


class TaskMessage(BaseModel):
    """The Celery message for a unit of work: `kind` is the task's name, and its only argument is `name`."""

    model_config = ConfigDict(frozen=True)

    owner_id: UUID
    kind: str
    key: str

    @property
    def name(self) -> str:
        """The task's only argument, of ids alone."""
        return f"{self.owner_id}/{self.key}"

    @property
    def summary(self) -> str:
        """The argument for Flower and logs: the last 12 characters of each id, which distinguish them."""
        return "/".join(part[-SUMMARY_CHARACTERS:] for part in (str(self.owner_id), self.key) if part)


class Claim(BaseModel):
    """A lease on one unit of work.

    Attributes:
        fence: The fencing token: only the claim with the highest one can finish the work.
        withdrawals: How often something of the owner's user had been withdrawn before the claim.
        user_id: The owner's user; None if the owner is gone.
        trace: The `traceparent` of the span in which the work was requested, where processes keep traces.
    """

    model_config = ConfigDict(frozen=True)

    owner_id: UUID
    kind: str
    key: str
    queue: str
    fence: int
    attempts: int
    as_of: datetime
    created_at: datetime
    withdrawals: int
    user_id: UUID | None = None
    trace: str | None = None


class Work(BaseModel):
    """A unit of work as the doors show it."""

    model_config = ConfigDict(frozen=True)

    work_id: UUID
    owner_id: UUID
    kind: str
    key: str
    queue: str
    state: WorkState
    attempts: int
    next_at: datetime
    lease_until: datetime | None
    error: str | None
    created_at: datetime
    finished_at: datetime | None

    @computed_field  # type: ignore[prop-decorator]  # as pydantic documents it
    @property
    def known(self) -> bool:
        """False if this version has no task for the kind; the work then waits for a version that has one."""
        return self.kind in WORK


class UnknownWork(BaseModel):
    """Due work of a kind that this version does not know; it stays in the ledger for a version that does.

    Attributes:
        kind: Its name in the ledger.
        units: How many units are due.
        waited: How long the oldest of them has been due.
    """

    model_config = ConfigDict(frozen=True)

    kind: str
    units: int
    waited: timedelta


class WorkPage(Answer):
    """One page of work."""

    work: list[Work]
    cursor: Cursor
