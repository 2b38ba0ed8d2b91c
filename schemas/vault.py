"""The vault's records, requests and answers. Fields and defaults are those of the vault seed."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from schemas.answers import Answer, Cursor
from schemas.limits import VAULT_CHARACTERS, VAULT_ITEMS, VAULT_RATIO, VAULT_TAGS
from schemas.numbers import Number
from schemas.requests import Changes, Query, RequestModel
from schemas.rows import Row
from schemas.wire import Moment, Words

SHARED = "shared"
CATEGORY = "general"
ID = r"^[0-9a-f]{12}$"
FORCE = "Whether to add the record though the scope holds a near-duplicate, which is recorded as `forced_over`."

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


class NewRecord(RequestModel):
    """A record to add. Fields that a write gate checks are not validated here, so that the gate can name the fault."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "text": "Projects: the oven's repair, and the bakery's books.",
                    "category": "project",
                    "tier": "register",
                    "topic_id": "current_projects",
                }
            ]
        }
    )

    text: str = Field(description=f"The statement, at most {VAULT_CHARACTERS} characters.")
    scope: str | None = Field(None, description="`shared`, or the Being's slug, which is the default.")
    category: Label = Field(CATEGORY, description="The kind of statement, such as bio, mission, project or goal.")
    tier: str = Field("canon", description="`canon` for durable statements, `register` for state that is overwritten.")
    topic_id: Label | None = Field(
        None, description="The topic of a register; a record with the same topic updates it."
    )
    tags: Tags = Field(default=[], description="Your own tags, to filter by.")
    source: str | None = Field(None, description=f"The origin, one of {', '.join(SOURCES)}.")
    force: bool = Field(False, description=FORCE)


class TopicText(RequestModel):
    """The new text of a topic's register."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "Projects: the bakery's books."}]})

    text: str = Field(description=f"The statement, at most {VAULT_CHARACTERS} characters.")
    scope: str | None = Field(None, description="`shared`, or the Being's slug, which is the default.")
    category: Label | None = Field(None, description="Unchanged if omitted.")
    tags: Tags | None = Field(None, description="Unchanged if omitted.")
    source: str | None = Field(None, description=f"The origin, one of {', '.join(SOURCES)}.")
    force: bool = Field(False, description=FORCE)


class RecordChanges(Changes):
    """The fields of a record to change; its scope, tier and topic cannot change."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "The bakery opens at six."}]})

    text: str | None = Field(None, description=f"The new text, at most {VAULT_CHARACTERS} characters.")
    category: Label | None = None
    tags: Tags | None = None
    source: str | None = Field(None, description=f"The origin, one of {', '.join(SOURCES)}.")


class Promotion(RequestModel):
    """The promotion of a register to canon."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"canonical_text": "The bakery opens at six."}]})

    canonical_text: str | None = Field(None, description="The text as canon; the register's text if omitted.")


class Deletion(RequestModel):
    """Records to delete."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": ["0f3a9c51d27e"]}]})

    ids: list[RecordId] = Field(min_length=1, max_length=1000)


class VaultSearch(RequestModel):
    """A search of the vault."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "When does the bakery open?"}]})

    query: Query = Field(description="Words, of which a record must contain at least one.")
    scopes: list[str] | None = Field(None, description="Only these scopes: `shared`, the Being's slug, or both.")
    tier: Tier | None = Field(None, description="Only this tier.")
    limit: int = Field(VAULT_ITEMS, ge=1, le=100, description="The most results.")


class BlockRequest(RequestModel):
    """A block of relevant records for a prompt."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "When does the bakery open?"}]})

    query: Query | None = Field(None, description="What the records must be relevant to; all records if omitted.")
    scopes: list[str] | None = Field(None, description="Only these scopes: `shared`, the Being's slug, or both.")
    max_items: int | None = Field(None, ge=1, le=100, description="The most records; the configured number if omitted.")


class VaultConfig(RequestModel):
    """How a Being uses its vault: the section `memory` of the seed's profile."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"enabled": True, "scopes": ["shared", "mira"], "max_items": 20, "similarity_threshold": 0.7}]
        }
    )

    enabled: bool = Field(True, description="Whether prompts show the vault.")
    scopes: list[str] | None = Field(
        None, description="The scopes that prompts show: `shared`, the Being's slug, or both, which is the default."
    )
    max_items: int = Field(VAULT_ITEMS, ge=1, le=100, description="The most records of a block for a query.")
    similarity_threshold: Number = Field(
        VAULT_RATIO, ge=0, le=1, description="The sequence similarity from which two records are near-duplicates."
    )


class Refusal(Answer):
    """A rejected item: the gate, its rule, and what to do instead."""

    position: int = Field(description="The item's position in the list, from 0.")
    gate: str | None = Field(None, description="The gate that refused it; null if the item is not a valid record.")
    rule: str = Field(description="What is wrong.")
    instead: str | None = Field(None, description="What to do instead.")
    existing: str | None = Field(None, description="The id of the existing record that it collides with, if any.")


class VaultReceipt(Answer):
    """The outcome of each item of a list."""

    added: int = Field(description="New records.")
    updated: int = Field(description="Existing registers that have one more version.")
    repeated: int = Field(description="Items whose idempotency key was known, with the same content.")
    rejected: list[Refusal] = Field(description="Rejected items.")
    erased: list[int] = Field(
        default=[],
        description="Positions of items that were permanently erased before; they are not stored, which is no error.",
    )
    records: list[VaultRecord | None] = Field(description="Each item's record; null for rejected and erased items.")


class Deleted(Answer):
    """The outcome of a deletion."""

    deleted: list[str] = Field(description="Ids that now end in a tombstone.")
    missing: list[str] = Field(description="Ids without a live record in the Being's scopes.")


class VaultErased(Answer):
    """The outcome of a permanent erasure."""

    records: int = Field(description="Erased versions, tombstones included.")


class VaultHit(Answer):
    """A record that matches a query."""

    record: VaultRecord
    score: Number = Field(description="The seed's search score, from 0 to 1.7.")


class HitPage(Answer):
    """Records that match a search, the highest score first."""

    hits: list[VaultHit]
    cursor: Cursor = None


class CandidatePair(Answer):
    """Two similar records that could be merged."""

    first: VaultRecord
    second: VaultRecord
    similarity: Number = Field(description="The greater of token overlap and sequence similarity, 0 to 1.")


class CandidatePage(Answer):
    """Pairs of similar records, the most similar first."""

    candidates: list[CandidatePair]
    cursor: Cursor = None


class Proposal(Answer):
    """A record proposed for deletion, which only a caller's request deletes."""

    record: VaultRecord
    reasons: list[str]


class ProposalPage(Answer):
    """Records proposed for deletion."""

    proposals: list[Proposal]
    cursor: Cursor = None


class VaultStats(Answer):
    """Counts of a vault."""

    active: int = Field(description="Live records.")
    max: int = Field(description="The capacity of all these scopes together.")
    utilization: Number = Field(description="Live records in percent of the capacity.")
    deleted: int = Field(description="Records that end in a tombstone.")
    raw_lines: int = Field(description="All stored versions.")
    bloat_ratio: Number = Field(description="Stored versions per live record; 1 is the least.")
    by_scope: dict[str, int]
    by_tier: dict[str, int]
    by_category: dict[str, int]
    register_topics: int = Field(description="Live registers with a topic.")


class Compacted(Answer):
    """The outcome of a compaction."""

    removed: int = Field(description="Removed versions: superseded ones, and old tombstones with their records.")


class Block(Answer):
    """Fenced text for a prompt; empty if there is no content."""

    text: str


class RejectedLine(Answer):
    """A rejected line and the reason."""

    line: int = Field(description="The line's number, from 1.")
    reason: str = Field(description="What is wrong.")


class Imported(Answer):
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
