"""Facts, entities and todos, in the words of the state-and-memory seed ("Memory B Schema"), and their rows."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from schemas.rows import Row
from schemas.wire.numbers import Number

FactType = Literal["PROFILE", "PEOPLE", "PROJECT"]
EntityType = Literal["person", "place", "org", "project", "thing"]
FactKind = Literal["fact", "preference", "relationship", "friction", "habit"]
FactSource = Literal["shadow_extraction", "seeded_profile", "curated_fold"]
FactStatus = Literal["ACTIVE", "ARCHIVED"]
TodoKind = Literal["commitment", "habit", "thread", "friction", "promise"]
TodoStatus = Literal["OPEN", "DONE", "ARCHIVED"]
SpokenEffect = Literal["forgotten", "corrected", "ignored", "muted"]
MergeState = Literal["proposed", "merged", "declined", "undone"]


class Subtype(Row):
    """The kind of entity that a fact is about, and the kind of statement that it makes."""

    entityType: EntityType  # noqa: N815  # the seed's own name for it
    factType: FactKind  # noqa: N815  # likewise


class Fact(Row):
    """A fact about the user: the current content of its statements."""

    fact_id: UUID
    being_id: UUID | None = Field(description="The only Being that knows it; null if all of the user's Beings do.")
    type: FactType
    content: str
    entity_refs: list[str] = Field(description="`<type>:<slug>`; the first is the fact's subject.")
    entity_label: str
    subtype: Subtype
    importance: int = Field(description="0 to 3; 3 while it is pinned, and 1 becomes 2 after mentions in 3 sessions.")
    pinned: bool
    memory_key: str
    source: FactSource
    status: FactStatus
    confidence: Number
    mentions: int = Field(description="How many times it was mentioned.")
    sessions: int = Field(description="In how many sessions it was mentioned.")
    created_at: datetime
    last_told_at: datetime
    about_from: datetime | None = Field(
        None, description="The beginning of the time that it names, by its words and their message's date."
    )
    about_until: datetime | None = Field(None, description="The end of that time; from then on it is past.")


class Evidence(Row):
    """A quotation that supports a statement: from a message, or from a seed."""

    being_id: UUID | None
    message_id: UUID | None
    seed_id: UUID | None
    span: str
    told_at: datetime


class Statement(Row):
    """A statement of a fact: current, or replaced by another."""

    statement_id: UUID
    content: str
    source: str
    confidence: Number
    replaced_by: UUID | None
    created_at: datetime
    evidence: list[Evidence]


class FactEvent(Row):
    """An event in a fact's history other than a mention."""

    event: str
    detail: dict[str, Any]
    happened_at: datetime


class Todo(Row):
    """A commitment, habit, open thread or friction of the user's, or a promise that the Being made."""

    todo_id: UUID
    kind: TodoKind
    content: str
    status: TodoStatus
    pinned: bool
    due: str | None = Field(description="When, in the user's own words.")
    due_at: datetime | None = Field(
        None, description="The beginning of that time, by the message's date and the user's time zone."
    )
    due_until: datetime | None = Field(None, description="The end of that time; from then on the todo is overdue.")
    in_confidence: bool = Field(False, description="Whether a message that it rests on was said in confidence.")
    source: str
    confidence: Number
    created_at: datetime
    last_told_at: datetime
    closed_at: datetime | None


class SpokenRequest(Row):
    """An effect of a request in the user's talk: on one fact, todo, message or entity."""

    request_id: UUID
    message_id: UUID = Field(description="The user's message that asks for it.")
    span: str = Field(description="Its words.")
    effect: SpokenEffect = Field(
        description="`forgotten`: the fact or todo is archived. `corrected`: the fact has a new statement."
        " `ignored`: the message supports no fact and no todo. `muted`: it is kept, and not brought up."
    )
    fact_id: UUID | None
    todo_id: UUID | None
    meant_message_id: UUID | None = Field(description="The message that is not to be remembered, or not brought up.")
    name: str | None = Field(description="The entity that is not to be brought up.")
    done_at: datetime
    undone_at: datetime | None
    told_at: datetime | None = Field(description="The time at which a context reported the change.")


class Entity(Row):
    """An entity that facts name."""

    entity_ref: str
    label: str
    aliases: list[str] = Field(description="Other names that stand for it.")
    facts: int


class EntityMerge(Row):
    """Two entities that may be one, and the decision about them."""

    merge_id: UUID
    kept_ref: str
    merged_ref: str
    state: MergeState
    similarity: Number
    created_at: datetime
    decided_at: datetime | None
