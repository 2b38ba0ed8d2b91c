"""Mutes of things that a person does not want to be brought up."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from schemas.wire.answers import Answer, Cursor
from schemas.wire.fields import ProducerId
from schemas.wire.requests import RequestModel

MutedKind = Literal["fact", "node", "topic", "entity", "conversation", "message"]


class MuteRequest(RequestModel):
    """A thing to mute."""

    kind: MutedKind = Field(
        description="A fact, a memory (`node`), a topic, a person or thing that facts name (`entity`), a conversation,"
        " or a message."
    )
    target: ProducerId = Field(
        description="Its id, or the end of it; of a topic also the name; of an entity the ref or a name, as"
        " `person:anna` or `Anna`; of a conversation the id that its messages name; of a message also the producer's"
        " id.",
        examples=["person:anna"],
    )


class Mute(Answer):
    """A mute of a stored thing: a search with the scope `manage` finds the thing, and no prompt shows it."""

    mute_id: UUID
    kind: MutedKind
    target: str = Field(description="The id of the thing, or the name of an entity or conversation.")
    label: str = Field(description="Its text or name; empty if it does not exist at present.")
    muted_at: datetime
    items: int = Field(description="The number of messages, facts, memories, topics, todos and pages that it hides.")


class MutePage(Answer):
    """A page of mutes."""

    mutes: list[Mute] = Field(description="Newest first.")
    cursor: Cursor
