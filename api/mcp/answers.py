"""The answers of the tools: the fields that a model needs."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from schemas.context.asking import AskAnswer, CiteKind
from schemas.context.context import Context
from schemas.nodes.nodes import Node, TopicPage
from schemas.nodes.recall import FoundNodes, RecalledFragments, RecalledNodes
from schemas.search import Kind, Neighbour, SearchResults
from schemas.wire.answers import Cursor


class Memory(BaseModel):
    """A node, with the fields that a model needs."""

    node_id: UUID
    topic: UUID | None = Field(description="The topic's id, for `recall_memory`.")
    action: str
    actors: list[str]
    when: list[Any]
    feeling: str | None
    status: str = Field(description="`active`, `dying` (soon forgotten) or `dead` (forgotten).")


class Impression(BaseModel):
    """Recalled memories: a diffuse impression, as the patrol seed wants it."""

    fragments: str = Field(description="Fragments of the memories, mixed. Empty if nothing came to mind.")
    memories: list[Memory] | None = Field(None, description="The memories one by one, nearest first, if requested.")
    degraded: bool = Field(description="Whether words were compared, because meaning could not be.")


class Result(BaseModel):
    """A search result: a message, memory, fact or another stored text."""

    kind: Kind
    id: str
    text: str
    at: datetime = Field(description="When it was said or happened.")
    speaker: str | None = Field(description="Who said it, where it is a message.")
    before: list[str] = Field(description="What was said just before it, each with its speaker.")
    after: list[str] = Field(description="What was said just after it.")


class Card(BaseModel):
    """The card of a person or thing that the query names."""

    label: str
    facts: list[str]
    first_mention: str | None = Field(description="The message that named it first: when, who, and what.")
    last_mention: str | None = Field(description="The message that named it last.")


class Answers(BaseModel):
    """The results of a search."""

    entities: list[Card] = Field(description="Up to three that the query names and facts know.")
    results: list[Result] = Field(description="Best first.")


class Cited(BaseModel):
    """Words that a sentence rests on."""

    kind: CiteKind
    id: str
    quote: str
    at: datetime | None = Field(description="When it was said, happened or was written.")
    speaker: str | None = Field(description="Who said it, where it is a message.")


class Grounded(BaseModel):
    """A sentence with the words that it rests on; without a model a passage."""

    sentence: str
    cites: list[Cited]


class Answered(BaseModel):
    """The answer to a question."""

    known: bool = Field(description="False if the memory does not know: do not guess then.")
    answer: list[Grounded]
    context_id: UUID | None = Field(description="Name it where a message repeats this answer; null off the record.")


class Topic(BaseModel):
    """A page of a topic."""

    name: str
    memories: list[Memory] = Field(description="Newest first.")
    cursor: Cursor


def mention(message: Neighbour | None) -> str | None:
    """Return a message with its date and speaker as one line."""
    return f"{message.at:%Y-%m-%d}, {message.speaker}: {message.text}" if message else None


def memories_of(nodes: Sequence[Node]) -> list[Memory]:
    """Return the fields of nodes that a model needs."""
    return [
        Memory(
            node_id=node.node_id,
            topic=node.cluster_id,
            action=node.scene["action"],
            actors=node.scene["actors"],
            when=node.scene["when"],
            feeling=node.feeling,
            status=node.status,
        )
        for node in nodes
    ]


def _answers(found: SearchResults) -> Answers:
    return Answers(
        entities=[
            Card(label=card.label, facts=card.facts, first_mention=mention(card.first), last_mention=mention(card.last))
            for card in found.entities
        ],
        results=[
            Result(
                **one.model_dump(include={"kind", "id", "text", "at", "speaker"}),
                before=[f"{near.speaker}: {near.text}" for near in one.before],
                after=[f"{near.speaker}: {near.text}" for near in one.after],
            )
            for one in found.results
        ],
    )


def _impression(recalled: RecalledFragments | RecalledNodes) -> Impression:
    memories = memories_of(recalled.nodes) if isinstance(recalled, RecalledNodes) else None
    return Impression(fragments=recalled.recalled, memories=memories, degraded=recalled.degraded)


def _topic(page: TopicPage) -> Topic:
    return Topic(name=page.cluster.name, memories=memories_of(page.nodes), cursor=page.cursor)


def _memories(found: FoundNodes) -> list[Memory]:
    return memories_of(found.nodes)


def _answered(answer: AskAnswer) -> Answered:
    grounded = [
        Grounded(
            sentence=one.sentence,
            cites=[Cited(**cite.model_dump(include={"kind", "id", "quote", "at", "speaker"})) for cite in one.cites],
        )
        for one in answer.answer
    ]
    return Answered(known=answer.known, answer=grounded, context_id=answer.context_id)


def _prompt(context: Context) -> str:
    return context.text or ""


VIEWS: Mapping[type, Callable[[Any], Any]] = {
    SearchResults: _answers,
    RecalledFragments: _impression,
    RecalledNodes: _impression,
    TopicPage: _topic,
    FoundNodes: _memories,
    Context: _prompt,
    AskAnswer: _answered,
}
"""The answer that a model gets in place of an operation's answer, by its type."""
