"""What the doors answer."""

from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from schemas.rows import Cluster, HistoryEvent, Node, Note


class Answer(BaseModel):
    """Something that a door says."""

    model_config = ConfigDict(frozen=True)


class Recalled(Answer):
    """What came to mind."""

    fragments: str = Field(
        description="Actions and feelings, shuffled and blurred, inside <recalled_memory>; or empty."
    )
    nodes: list[Node] = Field(description="The nodes themselves, nearest first.")
    similarities: list[float | None] = Field(description="Their cosine similarities; null where found by words.")
    degraded: bool = Field(description="Whether the embedder was out of reach and words had to do.")


class TopicPage(Answer):
    """One page of a topic's nodes."""

    cluster: Cluster
    nodes: list[Node]
    cursor: str | None = Field(description="Give it back for the next page; null at the end.")


class Searched(Answer):
    """What answers the words."""

    nodes: list[Node] = Field(description="Most terms first, then what weighs most.")
    terms: list[str] = Field(description="How the query was read.")


class NodePage(Answer):
    """One page of nodes."""

    nodes: list[Node]
    cursor: str | None = Field(description="Give it back for the next page; null at the end.")


class NodeStory(Answer):
    """Where a node came from, and what happened to it."""

    node: Node
    text: str = Field(description="The scene in one line.")
    note: Note | None = Field(description="The note it was made of.")
    absorbed: list[Node] = Field(description="Nodes that it took in.")
    final_survivor: UUID | None = Field(description="Where it lives on, if it was absorbed.")
    history: list[HistoryEvent]
