"""A summary of one Being's memory on a single screen."""

from datetime import date, datetime
from decimal import Decimal

from pydantic import Field

from schemas.patrol.runs import RunState
from schemas.rows import Row


class Overview(Row):
    """The numbers of a Being's memory, each at the same moment."""

    notes_pending: int = Field(description="Scene notes that wait for a patrol or are part of a running one.")
    notes_failed: int = Field(description="Scene notes that could not be parsed or embedded.")
    nodes_active: int
    nodes_dying: int
    nodes_dead: int
    topics: int = Field(description="Clusters below the roots.")
    patrols: int = Field(description="The patrol counter, by which memories age.")
    last_patrol: RunState | None
    last_patrol_at: datetime | None = Field(description="When the newest patrol was demanded or became due.")
    messages: int
    messages_unjudged: int = Field(description="The user's messages from which no facts have been extracted yet.")
    waits_for_key: bool = Field(description="Whether extraction waits for a model key.")
    sessions: int
    last_message_at: datetime | None
    facts: int = Field(description="Active facts that the Being knows.")
    todos: int = Field(description="Open todos.")
    diary_day: date | None = Field(description="The day of the newest diary entry.")
    vault_records: int = Field(description="Active records in its own scope and the shared one.")
    cost_today: Decimal = Field(description="Known cost of today's model calls in dollars.")
    work_dead: int = Field(description="Dead work of the Being and of its user.")
    unread_language: str | None = Field(
        None, description="The language of most of the talk, if it is embedded by MiniLM, which reads English alone."
    )
