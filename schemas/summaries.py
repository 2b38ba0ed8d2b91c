"""Summaries: what a model is to write, and how they are read with the state of a conversation (state seed)."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from schemas.rows import Row, Session


class Summary(BaseModel):
    """Something that a model writes in place of many messages."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class RollingSummary(Summary):
    """How the talk has gone so far."""

    summary: str = Field(description="Running text of at most 500 characters.")


class SessionSummary(Summary):
    """What a conversation came to."""

    one_liner: str = Field(description="The conversation in one sentence.")
    what_mattered: list[str] = Field(description="What it was about, most important first; up to six short phrases.")
    open_loops: list[str] = Field(description="What was left open; empty if nothing was.")
    commitments: list[str] = Field(description="What somebody promised to do, and who did; empty if nobody did.")
    people: list[str] = Field(description="The names of people who were spoken of.")
    tone: str = Field(description="The mood of the conversation, in a few words.")


class SummarySpine(Summary):
    """The long line of all that a user has told."""

    PROFILE: list[str] = Field(description="Who the user is: one short statement each.")
    PROJECTS: list[str] = Field(description="What the user works on, and how it stands.")
    PEOPLE: list[str] = Field(description="Who is in the user's life, and what about them.")
    OPEN_LOOPS: list[str] = Field(description="What is open, promised or awaited.")


class KeptRolling(Row):
    """A version of a rolling summary."""

    version: int
    content: str
    message_count: int = Field(description="The Being's messageCount when it was written.")
    created_at: datetime


class KeptSummary(SessionSummary):
    """A version of a conversation's summary."""

    version: int
    turn_count: int = Field(description="How many turns of the conversation it tells of.")
    created_at: datetime


class SessionDetail(Session):
    """A conversation, with the newest version of its summary."""

    summary: KeptSummary | None = Field(description="The newest version; null until it was closed and summed up.")


class Spine(Row):
    """A version of the long line of a user's conversations."""

    version: int
    content: SummarySpine
    message_count: int = Field(description="Messages since the version before.")
    created_at: datetime


class InCamelCase(Row):
    """Something in the field names of the state seed."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)


class CuratorState(InCamelCase):
    """When the user's facts were last looked through for those that say the same."""

    last_run_at: datetime | None
    last_memory_count_at_run: int


class RollingError(InCamelCase):
    """Why the last attempt at a rolling summary came to nothing, or not to all."""

    reason: str
    detail: str | None = None


class ConversationState(InCamelCase):
    """What goes on from session to session."""

    message_count: int = Field(description="User and assistant messages, over all sessions.")
    last_interaction: datetime | None
    last_user_message: str | None = Field(description="Its first 200 characters.")
    curator: CuratorState
    last_rolling_attempt_at: datetime | None
    last_rolling_success_at: datetime | None
    last_rolling_error: RollingError | None


class SessionState(InCamelCase):
    """How a user and a Being stand, with the summary of what they said lately."""

    state: ConversationState
    rolling_summary: str | None = Field(description="600 characters at most.")


class StateRow(Row):
    """A row of session states, with when the user's curator ran."""

    message_count: int
    last_interaction: datetime | None
    last_user_message: str | None
    last_run_at: datetime | None
    last_memory_count_at_run: int
    last_rolling_attempt_at: datetime | None
    last_rolling_success_at: datetime | None
    last_rolling_error: dict[str, Any] | None
    rolling_summary: str | None
