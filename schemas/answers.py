"""What the doors answer."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from schemas.rows import Cluster, DiaryEntry, HistoryEvent, Message, Node, Note, RunState, Session, WorkState
from schemas.summaries import KeptRolling, Spine
from schemas.work import Work

Cursor = Annotated[str | None, Field(description="Give it back for the next page; null at the end.")]


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
    cursor: Cursor


class Searched(Answer):
    """What answers the words."""

    nodes: list[Node] = Field(description="Most terms first, then what weighs most.")
    terms: list[str] = Field(description="How the query was read.")


class NodePage(Answer):
    """One page of nodes."""

    nodes: list[Node]
    cursor: Cursor


class NodeStory(Answer):
    """Where a node came from, and what happened to it."""

    node: Node
    text: str = Field(description="The scene in one line.")
    note: Note | None = Field(description="The note it was made of.")
    absorbed: list[Node] = Field(description="Nodes that it took in.")
    final_survivor: UUID | None = Field(description="Where it lives on, if it was absorbed.")
    history: list[HistoryEvent]


class Explanation(Answer):
    """Why a memory was found."""

    node_id: UUID
    similarity: float | None = Field(description="Cosine similarity to the query; null where it was found by words.")
    effective_importance: float = Field(description="What it weighs now: importance × exp(−session_count / 30).")
    session_count: int = Field(description="Patrols since it was last activated, this recall not counted.")
    why: str


class RecalledFragments(Answer):
    """What came to mind, blurred, ready for a prompt."""

    recalled: str = Field(
        description="Actions and feelings, shuffled, inside <recalled_memory>; empty where nothing came to mind."
    )
    degraded: bool = Field(description="Whether the embedder was out of reach and words had to do.")
    explanation: list[Explanation] | None = Field(None, description="On request; nearest first.")


class RecalledNode(Node):
    """A memory that came to mind."""

    similarity: float | None = Field(description="Cosine similarity to the query; null where it was found by words.")


class RecalledNodes(Answer):
    """What came to mind, memory by memory."""

    nodes: list[RecalledNode] = Field(description="Nearest first.")
    degraded: bool = Field(description="Whether the embedder was out of reach and words had to do.")
    explanation: list[Explanation] | None = Field(None, description="On request; in the order of `nodes`.")


class NotePage(Answer):
    """One page of notes."""

    notes: list[Note]
    cursor: Cursor


class StepReport(Answer):
    """What one step of a patrol did."""

    step: str
    outcome: str = Field(description="`done`, `skipped`, `not due`, or `waiting` until it is its turn.")
    reason: str | None = Field(None, description="Why it was skipped, or done in part or without a model.")
    counts: dict[str, int] = Field(default={}, description="What it did, in numbers.")
    finished_at: datetime | None = None


class StepUnderWay(Answer):
    """The step that a patrol is at."""

    step: str
    state: WorkState = Field(description="`ready` while it waits for a worker or backs off.")
    attempts: int
    next_at: datetime = Field(description="Not before this is it tried.")
    error: str | None = Field(description="What went wrong last, without content.")


class RunReport(Answer):
    """How far a patrol has come."""

    run_id: UUID
    state: RunState
    demanded: bool = Field(description="Whether somebody asked for it; it then counts as a day passed.")
    as_of: datetime | None = Field(description="The moment it takes for now.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    steps: list[StepReport] = Field(description="All nine, in order.")
    under_way: StepUnderWay | None = Field(description="Null when it is over, or has not begun.")
    counts: dict[str, int] = Field(description="What all steps did together, in numbers.")
    error: str | None


class RunPage(Answer):
    """One page of patrols."""

    patrols: list[RunReport]
    cursor: Cursor


class WorkPage(Answer):
    """One page of work."""

    work: list[Work]
    cursor: Cursor


class DiaryAnswer(Answer):
    """What a Being wrote of its days."""

    entries: list[DiaryEntry] = Field(description="Newest first, one a day of the user's calendar.")
    think_md: str = Field(description="What it wants to have in mind when it next talks; empty until it has noted any.")


class SessionPage(Answer):
    """One page of conversations."""

    sessions: list[Session]
    cursor: Cursor


class MessagePage(Answer):
    """One page of messages."""

    messages: list[Message]
    cursor: Cursor


class RollingPage(Answer):
    """The versions of a rolling summary."""

    versions: list[KeptRolling] = Field(description="Newest first; give the last one's number as `before` for more.")


class SpinePage(Answer):
    """The versions of a spine."""

    versions: list[Spine] = Field(description="Newest first; give the last one's number as `before` for more.")
