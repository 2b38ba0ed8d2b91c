"""The model's output schema of impressions: the user, the project, the mood and the topic of a session."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from schemas.limits import SUMMARY_LINE_CHARACTERS
from schemas.llm.answer_form import CutAtCharacters, Ref, WhenAbsent
from schemas.talk.summaries import SessionSummary, Summary

ImpressionKind = Literal["user-model", "project", "mood", "topic"]


class Impression(Summary):
    """A statement, with the user's messages that it rests on."""

    text: Annotated[str, CutAtCharacters(SUMMARY_LINE_CHARACTERS, at_once=True)] = Field(description="One sentence.")
    messages: list[Annotated[str, Ref("u")]] = Field(description="The `own` refs of the messages that it rests on.")


class ClosedSession(SessionSummary):
    """The summary of a session, with what it showed of the user and of what the companion is at."""

    user_model: Annotated[list[Impression], WhenAbsent([])] = Field(
        description="What it showed of the user as a person; empty if nothing."
    )
    project: Annotated[Impression | None, WhenAbsent(None)] = Field(description="What the two work on, if anything.")
    mood: Annotated[Impression | None, WhenAbsent(None)] = Field(description="The mood that it left the companion in.")
    topic: Annotated[Impression | None, WhenAbsent(None)] = Field(description="What the talk ended with.")

    def alone(self) -> SessionSummary:
        """The summary without the impressions, which is stored."""
        return SessionSummary.model_validate(self.model_dump(include=set(SessionSummary.model_fields)))


class ShortSession(ClosedSession):
    """The answer about one of several short sessions."""

    conversation: Annotated[str, Ref("c")] = Field(description="The ref of the conversation.")


class ShortSessions(Summary):
    """The answer about several short sessions."""

    summaries: list[ShortSession] = Field(description="One for each conversation.")


@dataclass(frozen=True, slots=True)
class RestingImpression:
    """An impression that passed the rules, the messages that it rests on, and the time of the newest of them."""

    kind: ImpressionKind
    content: str
    message_ids: list[UUID]
    told_at: datetime
