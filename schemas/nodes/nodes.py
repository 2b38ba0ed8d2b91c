"""Memory nodes and clusters: their rows, pages of them, and corrections."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from schemas.intake.inputs import SceneInput
from schemas.intake.notes import Note
from schemas.intake.scene_fields import corrections
from schemas.limits import TOPIC_NAME_CHARACTERS
from schemas.rows import RequestKeyId, Row
from schemas.talk.messages import Message
from schemas.wire.answers import Answer, AnsweredOff, Cursor
from schemas.wire.fields import Words
from schemas.wire.numbers import Number, Report
from schemas.wire.requests import Changes, RequestModel

NodeStatus = Literal["active", "dying", "dead"]
Root = Literal["Business", "Private"]
ROOTS: tuple[Root, Root] = ("Business", "Private")
# `embedding_model` of a Being that was imported without vectors and has not been embedded yet.
UNEMBEDDED = "none yet"


class Node(Row):
    """A scene stored as memory. `session_count` and `effective_importance` are the seed's, derived when read."""

    node_id: UUID
    note_id: UUID
    cluster_id: UUID | None
    scene: dict[str, Any]
    feeling: str | None
    themes: list[str]
    emotion: dict[str, Number] | None
    importance: Number
    effective_importance: Number
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


class Cluster(Row):
    """A topic of nodes, with their numbers by status."""

    cluster_id: UUID
    name: str
    is_parent: bool
    parent_id: UUID
    nodes: int
    active_nodes: int
    fresh_nodes: int
    dying_nodes: int
    named_by: Literal["words", "model", "person"] = Field(
        "model",
        description="Where the name comes from; `words`: the topic's distinctive words, until a model names it.",
    )
    created_at: datetime
    removed_at: datetime | None
    merged_into: UUID | None


class HistoryEvent(Row):
    """One event in a node's history."""

    event: str
    detail: Report
    run_id: UUID | None
    happened_at: datetime


class ShownNode(Row):
    """An active or dying node as a model is shown it; every change except activation raises `revision`.

    `may_die` is set for a dying node that consolidation may let go in this run. A muted one is shown with muted ones
    alone.
    """

    node_id: UUID
    cluster_id: UUID
    scene: dict[str, Any]
    feeling: str | None
    themes: list[str]
    emotion: dict[str, Number] | None
    importance: Number
    status: NodeStatus
    fresh: bool
    pinned: bool
    created_at: datetime
    revision: int
    request_key_id: RequestKeyId = None
    may_die: bool = False
    muted: bool = False


class TopicPage(Answer):
    """One page of a topic's nodes."""

    cluster: Cluster
    nodes: list[Node]
    cursor: Cursor
    off_the_record: AnsweredOff = False


class ClusterPage(Answer):
    """The topics of a Being."""

    clusters: list[Cluster]
    cursor: Cursor = None


class NodePage(Answer):
    """One page of nodes."""

    nodes: list[Node]
    cursor: Cursor


class NodeStory(Answer):
    """A node's origin and history."""

    node: Node
    text: str = Field(description="The scene in one line.")
    note: Note | None = Field(description="The note that it was made from.")
    messages: list[Message] = Field(
        description="If it, or a node that it absorbed, was drawn from talk: the messages that it rests on, in order."
    )
    absorbed: list[Node] = Field(description="Nodes that it absorbed.")
    final_survivor: UUID | None = Field(description="If it was absorbed, the node at the end of the chain.")
    history: list[HistoryEvent]


class TopicChanges(Changes):
    """Changes to a topic. Omitted fields stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Rosa's recipes"}, {"root": "Private"}]})

    name: Annotated[Words, Field(max_length=TOPIC_NAME_CHARACTERS)] | None = Field(
        None, description="The topic's name. Patrols keep a name that a person gave."
    )
    root: Root | None = Field(None, description="The root to move the topic to.")


SceneChanges: Any = create_model("SceneChanges", __base__=RequestModel, **corrections(SceneInput))


class NodeChanges(SceneChanges):
    """Changes to a node: of a field of its scene, or of its pin. Omitted fields stay; null removes an optional one."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"pinned": True}, {"action": "The oven door jammed.", "importance": 0.8}]}
    )

    pinned: bool | None = Field(None, description="Whether the node is kept from fading.")

    @model_validator(mode="after")
    def _something(self) -> "NodeChanges":
        if not self.model_fields_set or (self.pinned is None and not self.corrections()):
            raise PydanticCustomError("nothing", "No change is given: name `pinned` or a field of the scene")
        return self

    def corrections(self) -> dict[str, Any]:
        """Return the scene's fields that were given, as JSON-ready values."""
        given: dict[str, Any] = self.model_dump(mode="json", exclude_unset=True, exclude={"pinned"})
        return given
