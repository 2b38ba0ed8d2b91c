"""Lines of the seed's `vault.jsonl`, and the outcome of importing them."""

from datetime import datetime
from typing import Any, Self

from pydantic import Field, model_validator

from schemas.vault.records import BLANK, CATEGORY, Label, RecordId, Tags
from schemas.wire.answers import Answer
from schemas.wire.fields import Moment
from schemas.wire.requests import RequestModel


class RejectedLine(Answer):
    """A rejected line and the reason."""

    line: int = Field(description="The line's number, from 1.")
    reason: str = Field(description="The fault.")


class VaultImport(Answer):
    """The outcome of an import."""

    imported: int = Field(description="New lines.")
    known: int = Field(description="Lines that were stored before, with the same content.")
    erased: list[int] = Field(
        default=[], description="Numbers of lines whose record or text was permanently erased before."
    )
    rejected: list[RejectedLine] = Field(description="Rejected lines.")
    stopped_at: int | None = Field(
        None, description="The first line that was not read, after 1,000 rejected ones; null if all were read."
    )


class VaultLine(RequestModel):
    """A line of the seed's `vault.jsonl`, with the seed's defaults for missing fields."""

    id: RecordId
    text: str
    scope: str
    category: Label = CATEGORY
    tier: str = "canon"
    topic_id: Label | None = None
    tags: Tags = Field(default=[])
    created_at: Moment | None = None
    updated_at: Moment | None = None
    source: str | None = None
    deleted_at: Moment | None = None
    version: int = Field(1, ge=1, le=2**31 - 1)
    forced_over: RecordId | None = None

    @model_validator(mode="before")
    @classmethod
    def _moments_in_utc(cls, value: Any) -> Any:
        """Read a time without an offset as UTC."""
        if not isinstance(value, dict):
            return value
        return {name: _in_utc(part) if name.endswith("_at") else part for name, part in value.items()}

    def without_words(self) -> Self:
        """The same version as a tombstone, without text and labels."""
        return self.model_copy(update=BLANK)


def _in_utc(moment: Any) -> Any:
    try:
        without_offset = datetime.fromisoformat(moment).tzinfo is None
    except (TypeError, ValueError):
        return moment
    return f"{moment}Z" if without_offset else moment
