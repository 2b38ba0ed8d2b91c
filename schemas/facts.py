"""Facts, entities and todos, in the words of the state-and-memory seed ("Memory B Schema"), and their rows."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from schemas.rows import Row

FactType = Literal["PROFILE", "PEOPLE", "PROJECT"]
EntityType = Literal["person", "place", "org", "project", "thing"]
FactKind = Literal["fact", "preference", "relationship", "friction", "habit"]
FactSource = Literal["shadow_extraction", "seeded_profile", "curated_fold"]
FactStatus = Literal["ACTIVE", "ARCHIVED"]
TodoKind = Literal["commitment", "habit", "thread", "friction"]
TodoStatus = Literal["OPEN", "DONE", "ARCHIVED"]
MergeState = Literal["proposed", "merged", "declined", "undone"]


class Subtype(Row):
    """What kind of entity a fact is about, and what kind of statement it makes."""

    entityType: EntityType  # noqa: N815  # the seed's own name for it
    factType: FactKind  # noqa: N815  # likewise


class Fact(Row):
    """Something known about the user."""

    fact_id: UUID
    being_id: UUID | None = Field(description="The only Being that knows it; null: every Being of the user's.")
    type: FactType
    content: str
    entity_refs: list[str] = Field(description="`<type>:<slug>`; the first is what the fact is about.")
    entity_label: str
    subtype: Subtype
    importance: int = Field(description="0 to 3; 3 while it is pinned, and 1 becomes 2 once told in 3 conversations.")
    pinned: bool
    memory_key: str
    source: FactSource
    status: FactStatus
    confidence: float
    mentions: int = Field(description="How often it was told.")
    sessions: int = Field(description="In how many conversations.")
    created_at: datetime
    last_told_at: datetime


class Evidence(Row):
    """The words that a statement rests on: of a message, or of a seed."""

    being_id: UUID | None
    message_id: UUID | None
    seed_id: UUID | None
    span: str
    told_at: datetime


class Statement(Row):
    """One thing that a fact says, or said until another took its place."""

    statement_id: UUID
    content: str
    source: str
    confidence: float
    replaced_by: UUID | None
    created_at: datetime
    evidence: list[Evidence]


class FactEvent(Row):
    """One line of what happened to a fact, beside being told."""

    event: str
    detail: dict[str, Any]
    happened_at: datetime


class Todo(Row):
    """What the user means to do, does again and again, has left open, or is at odds with."""

    todo_id: UUID
    kind: TodoKind
    content: str
    status: TodoStatus
    pinned: bool
    due: str | None = Field(description="When, in the user's own words.")
    source: str
    confidence: float
    created_at: datetime
    last_told_at: datetime
    closed_at: datetime | None


class Entity(Row):
    """Somebody or something that facts are about."""

    entity_ref: str
    label: str
    aliases: list[str] = Field(description="Other names that were found to stand for it.")
    facts: int


class EntityMerge(Row):
    """Two names that may stand for one and the same, and what was decided."""

    merge_id: UUID
    kept_ref: str
    merged_ref: str
    state: MergeState
    similarity: float
    created_at: datetime
    decided_at: datetime | None
