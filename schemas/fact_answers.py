"""What the doors answer about facts and todos."""

from uuid import UUID

from pydantic import Field

from schemas.answers import Answer, Cursor
from schemas.facts import EntityMerge, Fact, FactEvent, Statement, Todo


class RetrievedFact(Fact):
    """A fact that matters for the query."""

    similarity: float = Field(description="Cosine similarity; the share of words that it holds, where `degraded`.")
    score: float = Field(description="What it was ranked by.")


class EntityCard(Answer):
    """What else is known of an entity that the facts name."""

    entity_ref: str
    facts: list[str] = Field(description="Up to three: pinned first, then by importance, then the newest.")
    text: str = Field(description="`[person:john]: fact; fact; fact`")


class FactExplanation(Answer):
    """Why a fact was found."""

    fact_id: UUID
    similarity: float
    recency: float = Field(description="0.5^(days since it was last told / 14).")
    frequency: float = Field(
        description="How often its commonest entity occurs among the candidates, over the highest such count."
    )
    score: float = Field(description="0.4 · similarity + 0.3 · recency + 0.3 · frequency, unless the blend is off.")


class Retrieved(Answer):
    """The facts that matter for a query."""

    facts: list[RetrievedFact] = Field(description="Highest score first.")
    cards: list[EntityCard]
    foundation: list[Fact] = Field(description="Pinned facts, up to 20, whatever was asked.")
    text: str = Field(description="Cards and facts, a line each, for a prompt.")
    degraded: bool = Field(description="Whether nobody could embed the query, and words had to do.")
    explanation: list[FactExplanation] | None = Field(None, description="On request; in the order of `facts`.")


class FactPage(Answer):
    """One page of facts."""

    facts: list[Fact]
    cursor: Cursor


class FactStory(Answer):
    """What a fact says and said, on whose words, and what happened to it."""

    fact: Fact
    statements: list[Statement] = Field(description="Oldest first; those with `replaced_by` no longer stand.")
    history: list[FactEvent]


class TodoPage(Answer):
    """One page of todos."""

    todos: list[Todo]
    cursor: Cursor


class Seeded(Answer):
    """What became of an introduction."""

    facts: int = Field(description="Facts that are known now, and were not before.")
    told_again: int = Field(description="Facts that were known under the same key; what they say was taken in.")
    todos: int
    repeated: int = Field(description="Items that had been handed in before, word by word: they changed nothing.")


class Erased(Answer):
    """What went with erased messages."""

    messages: int
    facts_removed: list[UUID] = Field(description="They rested on nothing else.")
    facts_changed: list[UUID] = Field(description="They say less now, or again what they said before.")
    todos_removed: list[UUID]
    todos_reopened: list[UUID]


class Proposals(Answer):
    """Names that may stand for one and the same."""

    proposals: list[EntityMerge]
