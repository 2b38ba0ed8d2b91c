"""The receipts of assembled contexts: the memories, facts and passages in each, and why."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from schemas.rows import Row
from schemas.wire.answers import Answer, Cursor
from schemas.wire.numbers import Number, Report


class ContextRow(Row):
    """An assembled context in its database row."""

    context_id: UUID
    process: str
    conversation: str | None
    created_at: datetime
    shown_ids: list[UUID]
    shown_reasons: Report


class AssembledContext(Answer):
    """An assembled context in short."""

    context_id: UUID
    process: str = Field(description="The mental process that it was assembled for.")
    conversation: str | None = Field(description="The conversation that it was assembled for; null: none was named.")
    created_at: datetime
    items: int = Field(description="How many memories and facts it showed.")


class AssembledPage(Answer):
    """One page of assembled contexts."""

    contexts: list[AssembledContext]
    cursor: Cursor


class ShownMemory(Answer):
    """A memory that a context showed."""

    node_id: UUID
    text: str = Field(description="Its present text, in one line.")
    regions: list[str] = Field(description="The regions in which it stood.")
    similarity: Number | None = Field(description="To the message; null if it was not chosen by the message.")


class ShownFact(Answer):
    """A fact that a context showed."""

    fact_id: UUID
    content: str = Field(description="Its present text.")
    scores: dict[str, Number] | None = Field(
        description="The parts of its score; null if it was not chosen by the message."
    )


class ShownPassage(Answer):
    """A passage of earlier talk that a context showed."""

    message_ids: list[UUID]
    session_id: UUID
    text: str = Field(description="Its messages, a line each.")
    score: Number


class ShownContext(AssembledContext):
    """The receipt of a context. Items erased, retracted or forgotten for good since then are left out."""

    memories: list[ShownMemory]
    facts: list[ShownFact]
    passages: list[ShownPassage]
