"""Retraction and restoration of messages: the messages that are named, and the results."""

from typing import Annotated, Generic, Self, TypeVar
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from schemas.intake.notes import ItemFault
from schemas.limits import BATCH_ITEMS
from schemas.wire.answers import Answer
from schemas.wire.fields import Conversation, ProducerId
from schemas.wire.requests import RequestModel

Selection = TypeVar("Selection", bound=RequestModel)


class MessageSelection(RequestModel):
    """Messages by their ids, or those of a conversation, behind one message and apart from some."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"ids": ["turn-2"]}, {"conversation": "chat-7", "after": "turn-1"}]}
    )

    ids: Annotated[list[ProducerId], Field(min_length=1, max_length=BATCH_ITEMS)] | None = Field(
        None, description="The producer's ids of messages, or the ids that their receipts gave; 1 to 1,000."
    )
    conversation: Conversation | None = Field(
        None, description="All messages of a conversation; with `ids`: of these only those of the conversation."
    )
    after: ProducerId | None = Field(
        None,
        description="With `conversation`: only messages after this one, which itself is not changed. Omitted: all.",
    )
    keep: Annotated[list[ProducerId], Field(max_length=BATCH_ITEMS)] = Field(
        [], description="With `conversation`: the producer's ids of messages to keep unchanged; up to 1,000."
    )

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if self.ids is None and self.conversation is None:
            raise PydanticCustomError("selection", "Give `ids` or `conversation`")
        if (self.after is not None or self.keep) and (self.ids is not None or self.conversation is None):
            raise PydanticCustomError("selection", "`after` and `keep` need `conversation` without `ids`")
        return self


class Change(RequestModel, Generic[Selection]):
    """A retraction or a restoration as an item among messages, where producers wait for no answer."""

    id: ProducerId | None = Field(None, description="The same id again changes nothing; default: derived.")
    retract: Selection | None = None
    restore: Selection | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.retract is None) == (self.restore is None):
            raise PydanticCustomError("change", "Give either `retract` or `restore`")
        return self


class Rebuilds(Answer):
    """The derivations that workers repeat, and so the cost of the change: a model call for many at a time."""

    messages: int = Field(0, description="Messages that are judged again, or for the first time when restored.")
    summaries: int = Field(0, description="Closed sessions that are summarised again.")
    scenes: int = Field(0, description="Scenes that are removed; new ones are extracted from their other messages.")
    rolling_summary: bool = Field(False, description="Whether the rolling summary is written again, from 40 messages.")
    spine: bool = Field(False, description="Whether the user's spine is written again, from 40 messages.")


class RetractionOutcome(Answer):
    """The outcome of a retraction."""

    retracted: int = Field(description="Messages that are retracted now, and were not before.")
    unchanged: int = Field(0, description="Ids of messages that were retracted, awaited or erased before.")
    awaited: int = Field(0, description="Ids without a message: it is retracted when it arrives.")
    ids: list[UUID] = Field([], description="The messages that are retracted now.")
    rebuilds: Rebuilds = Rebuilds()


class RestorationOutcome(Answer):
    """The outcome of a restoration."""

    restored: int = Field(description="Messages that are restored now.")
    unchanged: int = Field(0, description="Ids of messages that were not retracted.")
    no_longer_awaited: int = Field(
        0, description="Ids of messages that have not arrived yet, and are no longer retracted on arrival."
    )
    unknown: list[int] = Field([], description="Positions of ids that this Being has no message of.")
    conflicts: list[ItemFault] = Field([], description="Ids of versions that can't be restored beside the current one.")
    ids: list[UUID] = Field([], description="The restored messages.")
    rebuilds: Rebuilds = Rebuilds()
