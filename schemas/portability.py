"""What a Being's export says of itself, and what becomes of it elsewhere."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from schemas.vault import LineTrouble


class BeingLine(BaseModel):
    """The first line: of which form the others are, and whose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["being"] = "being"
    version: Literal[1] = 1
    vectors: bool
    exported_at: datetime
    user_id: UUID
    being_id: UUID
    slug: str = Field(min_length=1, max_length=63)
    name: str = Field(min_length=1, max_length=200)
    patrol_counter: int = Field(ge=0, lt=2**62)
    ticked_at: datetime | None
    created_at: datetime


class EndLine(BaseModel):
    """The last line: without it, the file was cut off."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["end"] = "end"
    lines: int = Field(ge=0, description="Lines between the first and this one.")


class Arrived(BaseModel):
    """What became of an export that was brought in."""

    model_config = ConfigDict(frozen=True)

    taken: dict[str, int] = Field(description="Lines that were taken, by kind.")
    rejected: list[LineTrouble]
    known: bool = Field(False, description="Whether this Being was brought along with this very file before.")


class BeingErased(BaseModel):
    """What went with a Being, or with a user."""

    model_config = ConfigDict(frozen=True)

    beings: int = 1
    notes: int
    nodes: int
    messages: int
    facts: int = Field(description="Its own, and the user's that rested on nothing but what it was told.")
    todos: int
    diary_entries: int
    vault_records: int = Field(description="Versions in its own scope of the vault.")


class NodeErased(BaseModel):
    """What went with a memory, and what became of those that had taken it in."""

    model_config = ConfigDict(frozen=True)

    nodes: int = Field(description="The memory, and those that it had taken in.")
    notes: int = Field(description="What they were made of.")
    reworded: int = Field(description="Memories that had taken it in, and say again what their own note says.")
    parted: int = Field(description="Memories that those had taken in as well, and that stand by themselves again.")
    diary_entries: int = Field(description="Pages that told of it; of what else they told, other pages do not.")
    renamed: int = Field(description="Topics that bore its words as their name.")
