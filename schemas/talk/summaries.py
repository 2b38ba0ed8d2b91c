"""Summaries: the models' output schemas, stored versions, and the session state (state-and-memory seed)."""

from datetime import datetime
from typing import Annotated, Any, get_origin

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from schemas.limits import ROLLING_CHARACTERS, SPINE_ITEMS, SUMMARY_ITEMS, SUMMARY_LINE_CHARACTERS
from schemas.llm.answer_form import CutAtCharacters, FirstItems, WhenAbsent
from schemas.rows import Row
from schemas.talk.messages import KeptSession
from schemas.wire.answers import Answer, Cursor

Line = Annotated[str, CutAtCharacters(SUMMARY_LINE_CHARACTERS)]
Lines = Annotated[list[Line], FirstItems(SUMMARY_ITEMS)]
SpineLines = Annotated[list[Line], FirstItems(SPINE_ITEMS)]


class Summary(BaseModel):
    """A summary as a model answers it; additional fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_empty(cls, given: Any) -> Any:
        """Read a null as a text or list without content: models write one for the other."""
        if not isinstance(given, dict):
            return given
        kinds = {name: field.annotation for name, field in cls.model_fields.items()}
        empty = {
            name: "" if kind is str else [] for name, kind in kinds.items() if kind is str or get_origin(kind) is list
        }
        return {name: empty.get(name) if value is None else value for name, value in given.items()}


class RollingSummary(Summary):
    """The rolling summary."""

    summary: Annotated[str, CutAtCharacters(ROLLING_CHARACTERS)] = Field(
        description="Running text of at most 500 characters."
    )


class SessionSummary(Summary):
    """The structured summary of a session."""

    one_liner: Line = Field(description="The conversation in one sentence.")
    what_mattered: Lines = Field(description="What it was about, most important first; up to six short phrases.")
    open_loops: Lines = Field(description="What was left open; empty if nothing was.")
    commitments: Lines = Field(description="Promises that were made, each with who made it; empty if there were none.")
    people: Lines = Field(description="The names of people who were spoken of.")
    tone: Annotated[Line, WhenAbsent("")] = Field(description="The mood of the conversation, in a few words.")


class SummarySpine(Summary):
    """The structured long-term summary of what a user has told."""

    PROFILE: SpineLines = Field(description="Who the user is: one short statement each.")
    PROJECTS: SpineLines = Field(description="What the user works on, and how it stands.")
    PEOPLE: SpineLines = Field(description="Who is in the user's life, and what about them.")
    OPEN_LOOPS: SpineLines = Field(description="What is open, promised or awaited.")


class KeptRolling(Row):
    """A version of a rolling summary."""

    version: int
    content: str
    message_count: int = Field(description="The Being's messageCount when it was written.")
    created_at: datetime


class KeptSummary(SessionSummary):
    """A version of a session's summary."""

    version: int
    turn_count: int = Field(description="The number of turns that it covers.")
    created_at: datetime


class SessionDetail(KeptSession):
    """A session, with the newest version of its summary."""

    summary: KeptSummary | None = Field(
        description="The newest version; null until the session was closed and summarised."
    )


class Spine(Row):
    """A version of a user's spine."""

    version: int
    content: SummarySpine
    message_count: int = Field(description="Messages since the version before.")
    created_at: datetime


class InCamelCase(Row):
    """A row with the camel-case field names of the state-and-memory seed."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)


class CuratorState(InCamelCase):
    """The curator's last run over the user's facts."""

    last_run_at: datetime | None
    last_memory_count_at_run: int


class RollingError(InCamelCase):
    """Why the last attempt at a rolling summary failed, wholly or in part."""

    reason: str
    detail: str | None = None


class ConversationState(InCamelCase):
    """The state that survives sessions."""

    message_count: int = Field(description="User and assistant messages, over all sessions.")
    last_interaction: datetime | None
    last_user_message: str | None = Field(description="Its first 200 characters.")
    curator: CuratorState
    last_rolling_attempt_at: datetime | None
    last_rolling_success_at: datetime | None
    last_rolling_error: RollingError | None


class SessionState(InCamelCase):
    """A Being's session state with its rolling summary."""

    state: ConversationState
    rolling_summary: str | None = Field(description="600 characters at most.")


class StateRow(Row):
    """A row of session states, with the last run of the user's curator."""

    message_count: int
    last_interaction: datetime | None
    last_user_message: str | None
    last_run_at: datetime | None
    last_memory_count_at_run: int
    last_rolling_attempt_at: datetime | None
    last_rolling_success_at: datetime | None
    last_rolling_error: dict[str, Any] | None
    rolling_summary: str | None


class RollingPage(Answer):
    """One page of the versions of a rolling summary."""

    versions: list[KeptRolling] = Field(description="Newest first.")
    cursor: Cursor


class SpinePage(Answer):
    """One page of the versions of a spine."""

    versions: list[Spine] = Field(description="Newest first.")
    cursor: Cursor
