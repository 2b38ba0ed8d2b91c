"""The map of a Being's topics: all memories in few words, with the values for drawing them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from schemas.nodes.nodes import Cluster, NodeStatus
from schemas.rows import Row
from schemas.wire.answers import Answer, Cursor
from schemas.wire.numbers import Number


class MappedNode(Row):
    """A memory as the map shows it."""

    node_id: UUID
    cluster_id: UUID | None
    action: str = Field(description="The event, in at most 160 characters: a longer text ends in an ellipsis.")
    importance: Number
    effective_importance: Number
    session_count: int
    status: NodeStatus
    pinned: bool
    created_at: datetime
    patrols_left: int | None = Field(description="Patrols until it will be dying; null for pinned and dead ones.")
    when: str | None = Field(description="The first time that its scene names, at most 40 characters of it.")
    absorbed_into: UUID | None
    forgotten_at: datetime | None
    changed_at: datetime | None = Field(
        description="When it last began to fade, or was absorbed, forgotten or let go; null for active ones."
    )


class TopicMap(Answer):
    """One page of the map."""

    clusters: Annotated[list[Cluster], Field(description="All topics: each root, then its topics by size.")]
    nodes: list[MappedNode]
    cursor: Cursor
