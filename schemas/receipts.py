"""What a producer is told of what it handed in."""

from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class Trouble(BaseModel):
    """An item that changed nothing, and why."""

    model_config = ConfigDict(frozen=True)

    position: int = Field(description="The item's place in the batch, from 0.")
    reason: str = Field(description="What is wrong with it, and where.")


class Receipt(BaseModel):
    """What became of a batch, item by item."""

    model_config = ConfigDict(frozen=True)

    accepted: int = Field(description="Items that are committed now, and were not before.")
    duplicates: int = Field(description="Items that were committed before, with the same content.")
    conflicts: list[Trouble] = Field(description="Items whose id is known with other content, which stays.")
    rejected: list[Trouble] = Field(description="Items that can't be taken.")
    ids: list[UUID | None] = Field(description="For each item the id of its note, null where it was rejected.")
