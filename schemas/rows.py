"""Rows of the ledger and of memory, as the rest of the program sees them."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

Scope = Literal["ingest", "read", "manage"]
NodeStatus = Literal["active", "dying", "dead"]
NoteState = Literal["kept", "pending", "stamped", "remembered", "parse_failed", "embed_failed"]
RunState = Literal["queued", "running", "done", "failed"]
WorkState = Literal["ready", "running", "done", "dead"]
Role = Literal["user", "assistant", "other"]
Root = Literal["Business", "Private"]

ROOTS: tuple[Root, Root] = ("Business", "Private")
# In the place of a model's name: the Being was brought along without vectors, and nobody has made them yet.
UNEMBEDDED = "none yet"


class Row(BaseModel):
    """One row, read and never changed in place."""

    model_config = ConfigDict(frozen=True)


class User(Row):
    """The person; owns Beings."""

    user_id: UUID
    name: str
    time_zone: str
    created_at: datetime


class Being(Row):
    """One AI companion of one user; the unit of isolation."""

    being_id: UUID
    user_id: UUID
    slug: str
    name: str
    embedding_model: str | None
    patrol_counter: int
    ticked_at: datetime | None
    daily_cost: Decimal | None
    daily_tokens: int | None
    created_at: datetime


class Token(Row):
    """A bearer token without its secret."""

    user_id: UUID
    token_id: UUID
    being_id: UUID | None
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class OperatorToken(Row):
    """A token that is no user's, without its secret."""

    token_id: UUID
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class Node(Row):
    """A scene stored as memory. `session_count` and `effective_importance` are the seed's, derived when read."""

    node_id: UUID
    note_id: UUID
    cluster_id: UUID | None
    scene: dict[str, Any]
    feeling: str | None
    themes: list[str]
    emotion: dict[str, float] | None
    importance: float
    effective_importance: float
    session_count: int
    status: NodeStatus
    fresh: bool
    pinned: bool
    reactivation_count: int
    last_activated: datetime | None
    absorbed_into: UUID | None
    forgotten_at: datetime | None
    created_at: datetime
    patrols_left: int | None


class Soul(Row):
    """Who a Being is. Its person writes all of it but `think_md`, which patrols write."""

    partner_type: str = "user"
    personality: str = ""
    voice: str = ""
    values: str = ""
    backstory: str = ""
    inner_world: str = ""
    examples: str = ""
    think_md: str = ""
    thought_at: datetime | None = None
    updated_at: datetime | None = None


class DiaryEntry(Row):
    """What a Being wrote about one day of its user's calendar."""

    day: date
    text: str
    run_id: UUID
    told_to: UUID
    written_at: datetime


class Cluster(Row):
    """A topic of nodes, with what it holds."""

    cluster_id: UUID
    name: str
    is_parent: bool
    parent_id: UUID
    nodes: int
    active_nodes: int
    fresh_nodes: int
    dying_nodes: int
    created_at: datetime
    removed_at: datetime | None
    merged_into: UUID | None


class HistoryEvent(Row):
    """One line of what happened to a node."""

    event: str
    detail: dict[str, Any]
    run_id: UUID | None
    happened_at: datetime


class Note(Row):
    """What a producer handed in, with what became of it."""

    note_id: UUID
    producer_id: str | None
    type: str
    content: Any
    title: str | None
    due_at: datetime | None
    read_at: datetime | None
    metadata: dict[str, Any]
    state: NoteState
    reason: str | None
    run_id: UUID | None
    received_at: datetime


class Message(Row):
    """One turn of a conversation."""

    message_id: UUID
    producer_id: str | None
    session_id: UUID
    role: Role
    speaker: str | None
    content: str
    metadata: dict[str, Any]
    created_at: datetime
    received_at: datetime
    judged: bool


class Session(Row):
    """A conversation, open while `ended_at` is null."""

    session_id: UUID
    started_at: datetime
    last_activity_at: datetime
    ended_at: datetime | None
    turn_count: int


class Run(Row):
    """One patrol over one Being. `steps` tells what each finished step did."""

    run_id: UUID
    being_id: UUID
    demanded: bool
    state: RunState
    as_of: datetime | None
    steps: dict[str, dict[str, Any]]
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class ShownNode(Row):
    """A living node as it is shown to a model; `version` changes with every change of its row."""

    node_id: UUID
    cluster_id: UUID
    scene: dict[str, Any]
    feeling: str | None
    themes: list[str]
    emotion: dict[str, float] | None
    importance: float
    status: NodeStatus
    fresh: bool
    pinned: bool
    created_at: datetime
    version: str
