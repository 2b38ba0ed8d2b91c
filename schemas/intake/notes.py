"""Stored notes, the answer to a producer about a batch, and changes to a note."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from schemas.rows import RequestKeyId, Row
from schemas.wire.answers import Answer, Cursor
from schemas.wire.fields import Moment, Words
from schemas.wire.requests import Changes

NoteOrigin = Literal["producer", "mcp", "import", "talk"]
NoteState = Literal["kept", "pending", "stamped", "remembered", "parse_failed", "embed_failed"]


class Note(Row):
    """A producer's note and its state of processing."""

    note_id: UUID
    producer_id: str | None
    type: str
    origin: NoteOrigin = Field("producer", description="Where it comes from; `talk`: drawn from messages by a model.")
    content: Any
    ages_from: datetime | None = Field(None, description="When its memory begins to age; null: at its birth.")
    title: str | None
    due_at: datetime | None
    read_at: datetime | None
    in_snapshot: bool = Field(True, description="Whether a knowledge note stands in the snapshot of contexts.")
    updated_at: datetime | None = Field(None, description="When its content was changed last; null: never.")
    namespace: list[str] | None = Field(None, description="Of knowledge under a key: where the key counts.")
    key: str | None = Field(None, description="The key under which a program keeps this knowledge.")
    metadata: dict[str, Any]
    state: NoteState
    reason: str | None
    run_id: UUID | None
    received_at: datetime
    request_key_id: RequestKeyId = None


class RememberedScene(Answer):
    """The outcome of a scene that a model handed in."""

    note_id: UUID | None = Field(description="Null if the scene was permanently erased before.")
    known_already: bool
    erased: bool = Field(False, description="Whether this scene was permanently erased before; it is not stored again.")


class NotePage(Answer):
    """One page of notes."""

    notes: list[Note]
    cursor: Cursor


class ItemFault(BaseModel):
    """An item that changed nothing, and why."""

    model_config = ConfigDict(frozen=True)

    position: int = Field(description="The item's place in the batch, from 0.")
    reason: str = Field(description="The fault, and its place.")


class Receipt(BaseModel):
    """The outcome of a batch, item by item."""

    model_config = ConfigDict(frozen=True)

    accepted: int = Field(description="Items that are committed now, and were not before.")
    duplicates: int = Field(description="Items that were committed before, with the same content.")
    conflicts: list[ItemFault] = Field(description="Items whose id is known with other content, which stays.")
    rejected: list[ItemFault] = Field(description="Items that were refused.")
    erased: list[int] = Field(
        default=[],
        description="Positions of items that were erased before; they are not stored, and are no errors.",
    )
    off_the_record: list[int] = Field(
        default=[],
        description="Positions of messages off the record; they are not stored, and are no errors.",
    )
    shortened: list[int] = Field(
        default=[],
        description="Positions of items whose text is longer than its limit; its beginning is kept.",
    )
    ids: list[UUID | None] = Field(
        description="For each item the id of its note, null where it was rejected, erased before, or off the record."
    )
    hint: str | None = Field(
        None, description="An obstacle to the processing of accepted items, with the remedy; null if there is none."
    )


class NoteChanges(Changes):
    """Changes to a todo, reminder or knowledge note. Omitted fields stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"read": True}]})

    read: bool | None = Field(None, description="Whether it was read; notes that were read leave the snapshot.")
    content: Words | None = Field(None, description="Its text.")
    title: Words | None = Field(None, description="The title of a knowledge note.")
    in_snapshot: bool | None = Field(None, description="Whether a knowledge note stands in the snapshot of contexts.")
    due_at: Moment | None = Field(None, description="When a reminder is due, with its offset from UTC.")
