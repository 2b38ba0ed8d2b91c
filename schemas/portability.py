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
