"""Answers about facts and todos."""

from uuid import UUID

from pydantic import Field

from schemas.facts.fact_rows import Entity, EntityMerge, Fact, FactEvent, SpokenRequest, Statement, Todo
from schemas.wire.answers import Answer, Cursor
from schemas.wire.numbers import Number


class RetrievedFact(Fact):
    """A retrieved fact."""

    similarity: Number = Field(
        description="Cosine similarity; if `degraded`, the share of the query's words that it contains."
    )
    score: Number = Field(description="The score by which facts are ranked.")


class EntityCard(Answer):
    """Further facts about an entity that the retrieved facts name."""

    entity_ref: str
    facts: list[str] = Field(description="Up to three: pinned first, then by importance, then the newest.")
    items: list[Fact] = Field(description="The same facts, with their times.")
    text: str = Field(description="`[person:john]: fact; fact; fact`")


class FactExplanation(Answer):
    """The parts of a fact's score."""

    fact_id: UUID
    similarity: Number
    recency: Number = Field(description="0.5^(days since it was last mentioned / 14).")
    frequency: Number = Field(
        description="How often its commonest entity occurs among the candidates, over the highest such count."
    )
    score: Number = Field(description="0.4 · similarity + 0.3 · recency + 0.3 · frequency, unless the blend is off.")


class RetrievedFacts(Answer):
    """The facts that are relevant to a query."""

    facts: list[RetrievedFact] = Field(description="Highest score first.")
    cards: list[EntityCard]
    foundation: list[Fact] = Field(description="Pinned facts, up to 20, for every query.")
    text: str = Field(description="Cards and facts as text for a prompt, one a line.")
    degraded: bool = Field(description="Whether the query could not be embedded, so that facts were found by words.")
    explanation: list[FactExplanation] | None = Field(None, description="On request; in the order of `facts`.")


class FactPage(Answer):
    """One page of facts."""

    facts: list[Fact]
    cursor: Cursor


class FactDetail(Answer):
    """A fact with all its statements, their evidence, and its history."""

    fact: Fact
    statements: list[Statement] = Field(
        description="Oldest first; those with `replaced_by` are no longer part of `content`."
    )
    history: list[FactEvent]


class TodoPage(Answer):
    """One page of todos."""

    todos: list[Todo]
    cursor: Cursor


class SpokenRequestPage(Answer):
    """One page of the changes that the user requested in talk."""

    requests: list[SpokenRequest]
    cursor: Cursor


class SeedCounts(Answer):
    """Counts of seeds by their result."""

    facts: int = Field(description="New facts.")
    told_again: int = Field(description="Seeds whose memory key was known; their statements were added to those facts.")
    todos: int
    repeated: int = Field(description="Seeds equal to earlier ones; they changed nothing.")
    fact_ids: list[UUID] = Field(description="The new facts, in the order of their seeds.")


class ErasureCounts(Answer):
    """Counts of the rows that were removed and changed along with erased messages."""

    messages: int
    scenes: int = Field(description="Scenes that were drawn from the messages; their memories went with them.")
    facts_removed: list[UUID] = Field(description="Facts without other evidence.")
    facts_changed: list[UUID] = Field(
        description="Facts that lost a statement; a replaced statement may be current again."
    )
    todos_removed: list[UUID]
    todos_reopened: list[UUID]


class EntityPage(Answer):
    """The entities that facts name."""

    entities: list[Entity]
    cursor: Cursor


class Proposals(Answer):
    """Merges of entities: proposed and decided."""

    proposals: list[EntityMerge]
    cursor: Cursor
