"""The versions of records."""

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StringConstraints

from schemas.limits import VAULT_CHARACTERS, VAULT_TAGS
from schemas.rows import Row
from schemas.wire.answers import Answer, Cursor
from schemas.wire.fields import Words

SHARED = "shared"
CATEGORY = "general"
ID = r"^[0-9a-f]{12}$"

Tier = Literal["canon", "register"]
Source = Literal["chat", "manual", "tool", "operator", "promotion"]
TIERS: tuple[Tier, ...] = get_args(Tier)
SOURCES: tuple[Source, ...] = get_args(Source)
Outcome = Literal["added", "updated", "repeated"]
Label = Annotated[Words, StringConstraints(max_length=64)]
Tags = Annotated[list[Label], Field(max_length=VAULT_TAGS)]
RecordId = Annotated[str, Field(pattern=ID)]


# The fields of a tombstone that replace the record's own.
BLANK: dict[str, Any] = {"text": "", "category": CATEGORY, "topic_id": None, "tags": []}


class VaultRecord(Row):
    """One version of a durable statement. The newest version is the current one, unless it is a tombstone."""

    id: str = Field(description="Twelve hexadecimal digits, the same in every version.")
    text: str = Field(description=f"The statement, at most {VAULT_CHARACTERS} characters; empty in a tombstone.")
    scope: str = Field(description="`shared`, for all Beings of the user, or the slug of one Being.")
    category: str = Field(description="The kind of statement, such as bio, mission, project or goal.")
    tier: Tier = Field(description="`canon` for durable statements, `register` for the current state of a topic.")
    topic_id: str | None = Field(description="The topic of a register; a scope has one live record a topic.")
    tags: list[str]
    created_at: datetime
    updated_at: datetime | None
    source: Source | None
    deleted_at: datetime | None = Field(description="When the record was deleted; a version with it is a tombstone.")
    version: int = Field(description="1 for the first version, one more with each change.")
    forced_over: str | None = Field(
        None, description="The near-duplicate over which the record was added with `force`; null without."
    )

    @property
    def touched_at(self) -> datetime:
        """The time of the write that made this version."""
        return self.deleted_at or self.updated_at or self.created_at


class RecordPage(Answer):
    """Records of the vault, or the versions of one record."""

    records: list[VaultRecord]
    cursor: Cursor = None
