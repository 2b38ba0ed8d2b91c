"""Requests to recall and search memories, and their answers."""

from typing import Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from schemas.limits import MOST_RECALLED, RECALL_NODES, RECALL_SIMILARITY, SEARCH_NODES
from schemas.nodes.nodes import Node
from schemas.wire.answers import Answer, AnsweredOff
from schemas.wire.numbers import Number
from schemas.wire.requests import Id, OffTheRecord, Query, RequestModel


class Recalled(Answer):
    """The result of a recall."""

    fragments: str = Field(
        description="Actions and feelings, shuffled, inside <recalled_memory>; empty if nothing was found."
    )
    nodes: list[Node] = Field(description="The nodes themselves, nearest first.")
    similarities: list[Number | None] = Field(description="Their cosine similarities; null for matches by words.")
    degraded: bool = Field(description="Whether the embedder was unavailable and nodes were found by words alone.")


class FoundNodes(Answer):
    """The result of a search by words."""

    nodes: list[Node] = Field(description="By number of matching terms, then by effective importance, descending.")
    terms: list[str] = Field(description="The terms that the query was split into.")
    off_the_record: AnsweredOff = False


class Explanation(Answer):
    """Why a node was found."""

    node_id: UUID
    similarity: Number | None = Field(description="Cosine similarity to the query; null for a match by words.")
    effective_importance: Number = Field(description="importance × exp(−session_count / 30).")
    session_count: int = Field(description="Patrols since its last activation, before this recall.")
    why: str


class RecalledFragments(Answer):
    """The result of a recall as text for a prompt."""

    recalled: str = Field(
        description="Actions and feelings, shuffled, inside <recalled_memory>; empty if nothing was found."
    )
    degraded: bool = Field(description="Whether the embedder was unavailable and nodes were found by words alone.")
    explanation: list[Explanation] | None = Field(None, description="On request; nearest first.")
    off_the_record: AnsweredOff = False


class RecalledNode(Node):
    """A recalled node."""

    similarity: Number | None = Field(description="Cosine similarity to the query; null for a match by words.")


class RecalledNodes(Answer):
    """The result of a recall as nodes."""

    recalled: str = Field(description="The same memories as text for a prompt, as `fragments` gives it.")
    nodes: list[RecalledNode] = Field(description="Nearest first.")
    degraded: bool = Field(description="Whether the embedder was unavailable and nodes were found by words alone.")
    explanation: list[Explanation] | None = Field(None, description="On request; in the order of `nodes`.")
    off_the_record: AnsweredOff = False


class RecallRequest(RequestModel):
    """A query for recall, and the form of the answer."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "What went wrong in the bakery?"}]})

    query: Query = Field(description="A sentence or a few words; usually the user's last message.")
    limit: int = Field(RECALL_NODES, ge=1, le=MOST_RECALLED, description="The most nodes to return.")
    threshold: float = Field(
        RECALL_SIMILARITY, ge=-1, le=1, description="The least cosine similarity between query and node."
    )
    format: Literal["fragments", "nodes"] = Field(
        "fragments", description="A shuffled stream of fragments for a prompt, or the nodes themselves."
    )
    activate: bool = Field(True, description="Whether this recall activates the nodes, which delays their fading.")
    off_the_record: OffTheRecord = False
    explain: bool = Field(False, description="Whether to explain why each node was found.")


class TopicRequest(RequestModel):
    """A cluster whose nodes are to be listed."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"cluster_id": "0199d6a8-5c00-7000-8000-000000000001"}]})

    cluster_id: Id = Field(description="The cluster; for one that was merged, the cluster that has its nodes now.")
    cursor: str | None = Field(None, description="The previous page's cursor; omit it for the first page.")
    activate: bool = Field(True, description="Whether the returned nodes are activated, which delays their fading.")
    off_the_record: OffTheRecord = False


class SearchRequest(RequestModel):
    """Words to search for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": 'oven "morning bake"', "mode": "and"}]})

    query: Query = Field(description="Words; double quotes keep a phrase together.")
    mode: Literal["or", "and"] = Field("or", description="Whether any term suffices, or all must match.")
    limit: int = Field(SEARCH_NODES, ge=1, le=MOST_RECALLED, description="The most nodes to return.")
    activate: bool = Field(True, description="Whether the found nodes are activated, which delays their fading.")
    off_the_record: OffTheRecord = False
