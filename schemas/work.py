"""The words of the ledger: what a door rings for, and what a worker holds."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from schemas.rows import WorkState

PATROL_STEPS = (
    "embed",
    "assign",
    "session_counts",
    "dying",
    "consolidate",
    "revive",
    "split",
    "merge",
    "diary",
)
STEP_QUEUES = {step: "patrol-llm" if step in {"consolidate", "split", "diary"} else "patrol" for step in PATROL_STEPS}
SUMMARY_CHARACTERS = 12
QUEUES = ("ingest", "patrol", "patrol-llm", "shadow", "rolling", "session-close", "upkeep")


class Ring(BaseModel):
    """Work that is due: `kind` is the Celery task's name, and its only argument is `name`."""

    model_config = ConfigDict(frozen=True)

    owner_id: UUID
    kind: str
    key: str
    queue: str

    @property
    def name(self) -> str:
        """The one argument that the task gets: ids only."""
        return f"{self.owner_id}/{self.key}"

    @property
    def summary(self) -> str:
        """What people see of it in a list: the ends of the ids, which tell them apart."""
        return "/".join(part[-SUMMARY_CHARACTERS:] for part in (str(self.owner_id), self.key) if part)


class Claim(BaseModel):
    """A lease on one unit of work. Whoever holds the newest `fence` may finish it.

    `paid_by` is the key, if one came with the request that caused the work, with which models are asked.
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
    paid_by: UUID | None = None


class Work(BaseModel):
    """A unit of work as people look at it."""

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
