"""Messages and sessions: their rows, pages of them, and the change of a message."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import ConfigDict, Field

from schemas.limits import FIRST_WORDS
from schemas.rows import RequestKeyId, Row
from schemas.wire.answers import Answer, Cursor
from schemas.wire.fields import Role
from schemas.wire.numbers import Number
from schemas.wire.requests import RequestModel


class Message(Row):
    """One turn of a conversation."""

    message_id: UUID
    producer_id: str | None
    session_id: UUID
    conversation: str | None
    role: Role
    speaker: str | None
    content: str
    metadata: dict[str, Any]
    created_at: datetime
    received_at: datetime
    judged: bool
    in_confidence: bool = Field(
        False, description="Whether it stays, with all that rests on it, with the Being that it was said to."
    )
    drawn: bool = Field(False, description="Whether a model was asked for the scenes that it belongs to.")
    aged: bool = Field(False, description="Whether scenes that are drawn from it age from its time on.")
    request_key_id: RequestKeyId = None


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """A message as contexts and searches show it."""

    message_id: UUID
    session_id: UUID
    speaker: str | None
    role: str
    content: str
    created_at: datetime


class MessageChanges(RequestModel):
    """A decision about a message."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"in_confidence": True}]})

    in_confidence: bool = Field(
        description="Whether it stays, with all that rests on it, with the Being that it was said to."
    )


class RetractedMessage(Row):
    """A version of a message that was retracted; nothing is derived from it."""

    message_id: UUID
    producer_id: str | None
    conversation: str | None
    role: Role
    speaker: str | None
    content: str
    metadata: dict[str, Any]
    created_at: datetime
    received_at: datetime
    retracted_at: datetime


class KeptSession(Row):
    """A conversation, open while `ended_at` is null."""

    session_id: UUID
    conversation: str | None
    started_at: datetime
    last_activity_at: datetime
    ended_at: datetime | None
    turn_count: int
    pause: Number | None = Field(
        None, description="Seconds between the last message of the session before and the first of this one."
    )


class Session(KeptSession):
    """A session in a list, with the words by which a person knows it."""

    one_liner: str | None = Field(description="Its summary in one sentence; null until it was summarised.")
    first_words: str | None = Field(description=f"The first {FIRST_WORDS} characters of its first message.")


class SessionPage(Answer):
    """One page of sessions."""

    sessions: list[Session]
    cursor: Cursor


class MessagePage(Answer):
    """One page of messages."""

    messages: list[Message]
    cursor: Cursor


class RetractedPage(Answer):
    """One page of retracted messages."""

    messages: list[RetractedMessage]
    cursor: Cursor
