"""Patrol runs, their reports, and the diary that they write."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from schemas.ledger.work import WorkState
from schemas.rows import Row
from schemas.wire.answers import Answer, Cursor
from schemas.wire.numbers import Reports

RunState = Literal["queued", "running", "done", "failed"]


class DiaryEntry(Row):
    """A Being's diary entry for one day in its user's time zone."""

    day: date
    text: str
    run_id: UUID
    last_node_id: UUID
    written_at: datetime


class Run(Row):
    """One patrol over one Being. `steps` has the outcome, reason and counts of each finished step by its name."""

    run_id: UUID
    being_id: UUID
    demanded: bool
    state: RunState
    as_of: datetime | None
    steps: Reports
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class StepReport(Answer):
    """The outcome of one step of a patrol."""

    step: str
    outcome: str = Field(description="`done`, `skipped`, `not due`, or `waiting` for the steps before it.")
    reason: str | None = Field(None, description="Why it was skipped, or done in part or without a model.")
    counts: dict[str, int] = Field(default={}, description="The numbers of changes.")
    finished_at: datetime | None = None


class StepUnderWay(Answer):
    """A patrol's current step."""

    step: str
    state: WorkState = Field(description="`ready` while it waits for a worker or backs off.")
    attempts: int
    next_at: datetime = Field(description="The earliest time of the next attempt.")
    error: str | None = Field(description="The last error, without content.")


class RunReport(Answer):
    """The progress of a patrol."""

    run_id: UUID
    state: RunState
    demanded: bool = Field(description="Whether a request started it; it then always raises the patrol counter.")
    as_of: datetime | None = Field(description="The moment that all its steps use as the current time.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    steps: list[StepReport] = Field(description="All nine, in order.")
    under_way: StepUnderWay | None = Field(description="Null before the first step and after the last.")
    counts: dict[str, int] = Field(description="The numbers of changes of all steps together.")
    error: str | None


class RunPage(Answer):
    """One page of patrols."""

    patrols: list[RunReport]
    cursor: Cursor


class DiaryPage(Answer):
    """One page of a Being's diary."""

    entries: list[DiaryEntry] = Field(description="Newest first, one for each day in the user's time zone.")
    cursor: Cursor
    think_md: str = Field(description="Its notes for the next conversation; empty until a patrol has written some.")


class DemandedPatrol(Answer):
    """The patrol that will do it."""

    run_id: UUID
