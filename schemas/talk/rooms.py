"""Rooms: conversations of several Beings of one user, and their utterances."""

import operator
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from schemas.accounts.slugs import Slug
from schemas.intake.inputs import Produced
from schemas.limits import BATCH_ITEMS, ROOM_MEMBERS, SPEAKER_CHARACTERS
from schemas.rows import Row
from schemas.wire.answers import Answer, Cursor
from schemas.wire.fields import Moment, ProducerId, Role, Words
from schemas.wire.requests import Changes, Name, RequestModel

BeingName = Annotated[str, Field(min_length=1, max_length=200)]
"""The id or slug of a Being."""
BeingNames = Annotated[list[BeingName], Field(max_length=ROOM_MEMBERS)]
People = Annotated[list[Annotated[Words, Field(max_length=SPEAKER_CHARACTERS)]], Field(max_length=ROOM_MEMBERS)]


class Room(Row):
    """A conversation of several Beings of one user, and of people beside the user."""

    room_id: UUID = Field(description="Also the `conversation` of its messages in the memory of each Being.")
    slug: str
    name: str
    beings: list[str] = Field(description="The slugs of the Beings that take part, and are present by default.")
    people: list[str] = Field(description="The names of people beside you who take part.")
    created_at: datetime


class RoomPage(Answer):
    """The rooms that a token opens."""

    rooms: list[Room]
    cursor: Cursor = None


class NewRoom(RequestModel):
    """A room to create."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "The tavern", "beings": ["mira", "leo"]}]})

    name: Name = Field(description="Its display name.")
    slug: Slug | None = Field(None, description="Its short name in URLs; default: made from its name.")
    beings: BeingNames = Field(description="The ids or slugs of the Beings that take part.")
    people: People = Field([], description="The names of people beside you who take part.")


class RoomChanges(Changes):
    """Changes to a room. Omitted fields stay; messages stay with the Beings that were present."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"beings": ["mira", "leo", "kay"]}]})

    name: Name | None = Field(None, description="Its new display name.")
    beings: BeingNames | None = Field(None, description="The ids or slugs of the Beings that take part from now on.")
    people: People | None = Field(None, description="The names of the people beside you who take part from now on.")


class RoomMessageInput(Produced):
    """An utterance in a room. It becomes a message of each Being that is present."""

    speaker_being: BeingName | None = Field(None, description="The id or slug of the Being that says it.")
    role: Literal["user", "other"] | None = Field(
        None, description="The speaker, if it is no Being: you, or another person."
    )
    speaker: Annotated[Words, Field(max_length=SPEAKER_CHARACTERS)] | None = Field(
        None, description="With `role`: the speaker's name."
    )
    present: BeingNames | None = Field(
        None,
        description="The ids or slugs of the Beings that hear it, beside the one that speaks. Default: all of the room;"
        " of a token for one Being: that one.",
    )
    content: Words
    created_at: Moment | None = Field(
        None, description="The time of the utterance, with its offset from UTC; default: now."
    )
    off_the_record: bool = Field(
        False,
        exclude_if=operator.not_,
        description="Whether it is off the record: no Being stores it.",
    )

    @model_validator(mode="after")
    def _one_speaker(self) -> Self:
        if (self.speaker_being is None) == (self.role is None):
            raise PydanticCustomError("speaker", "Give either `speaker_being` or `role`")
        if self.speaker_being is not None and self.speaker is not None:
            raise PydanticCustomError("speaker", "`speaker` needs `role`: a Being speaks under its own name")
        return self

    def content_fields(self) -> dict[str, Any]:
        """As for any item; each Being's own message shows that the Being heard it."""
        return {name: value for name, value in super().content_fields().items() if name != "present"}


class RoomMessage(Row):
    """An utterance in a room, with the Beings that have it."""

    message_id: UUID = Field(description="Its id, which is that of its message in the memory of each Being.")
    producer_id: str | None
    role: Role = Field(description="The role of the speaker; `assistant`: a Being.")
    speaker: str | None
    speaker_being: str | None = Field(description="The slug of the speaking Being.")
    content: str
    created_at: datetime
    present: list[str] = Field(description="The slugs of the Beings that have it.")


class RoomMessagePage(Answer):
    """One page of a room's utterances, newest first."""

    messages: list[RoomMessage]
    cursor: Cursor


class RoomSelection(RequestModel):
    """Utterances of a room by their ids, or those behind one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": ["turn-2"]}, {"after": "turn-1"}]})

    ids: Annotated[list[ProducerId], Field(min_length=1, max_length=BATCH_ITEMS)] | None = Field(
        None, description="The producer's ids of utterances, or the ids that their receipts gave; 1 to 1,000."
    )
    after: ProducerId | None = Field(None, description="All utterances after this one, which itself is not changed.")

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.ids is None) == (self.after is None):
            raise PydanticCustomError("selection", "Give either `ids` or `after`")
        return self
