"""The vault's records, what is said to it and what it answers. Fields and defaults are those of the vault seed."""

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from schemas.limits import VAULT_CHARACTERS, VAULT_ITEMS, VAULT_RATIO, VAULT_TAGS
from schemas.requests import Changes, Query, Question
from schemas.rows import Row
from schemas.wire import Moment, Words

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


class VaultRecord(Row):
    """One version of a durable statement. The newest is what it says now, unless it is a tombstone."""

    id: str = Field(description="Twelve hexadecimal digits, the same in every version.")
    text: str = Field(description=f"What is to be kept, at most {VAULT_CHARACTERS} characters.")
    scope: str = Field(description="`shared`, for all of the user's Beings, or the slug of the one whose it is.")
    category: str = Field(description="What kind of statement it is: bio, mission, project, goal and the like.")
    tier: Tier = Field(description="`canon` for what hardly ever changes, `register` for the state of a topic.")
    topic_id: str | None = Field(description="What a register is about; a scope has one living record a topic.")
    tags: list[str]
    created_at: datetime
    updated_at: datetime | None
    source: Source | None
    deleted_at: datetime | None = Field(description="When it was deleted; such a version is a tombstone.")
    version: int = Field(description="From 1, one more with each change.")

    @property
    def touched_at(self) -> datetime:
        """When it was last written to."""
        return self.deleted_at or self.updated_at or self.created_at


class NewRecord(Question):
    """Something to be kept. What the write-gate looks at is taken as it comes, so that a gate can say what is wrong."""

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

    text: str = Field(description=f"What is to be kept, at most {VAULT_CHARACTERS} characters.")
    scope: str | None = Field(None, description="`shared`, or the Being's slug, which it is without.")
    category: Label = Field(CATEGORY, description="What kind of statement it is: bio, mission, project, goal ...")
    tier: str = Field(
        "canon", description="`canon` for what hardly ever changes, `register` for state that is written again."
    )
    topic_id: Label | None = Field(None, description="What a register is about; the same topic again updates it.")
    tags: Tags = Field(default=[], description="Your own words, to find it by.")
    source: str | None = Field(None, description=f"Where it comes from: {', '.join(SOURCES)}.")


class TopicText(Question):
    """What a topic's register says from now on."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "Projects: the bakery's books."}]})

    text: str = Field(description=f"What is to be kept, at most {VAULT_CHARACTERS} characters.")
    scope: str | None = Field(None, description="`shared`, or the Being's slug, which it is without.")
    category: Label | None = Field(None, description="As it was, unless said.")
    tags: Tags | None = Field(None, description="As they were, unless said.")
    source: str | None = Field(None, description=f"Where it comes from: {', '.join(SOURCES)}.")


class RecordChanges(Changes):
    """What is to change about a record; its scope, its tier and its topic stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "The bakery opens at six."}]})

    text: str | None = Field(None, description=f"What it says from now on, at most {VAULT_CHARACTERS} characters.")
    category: Label | None = None
    tags: Tags | None = None
    source: str | None = Field(None, description=f"Where it comes from: {', '.join(SOURCES)}.")


class Promotion(Question):
    """How a register becomes canon."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"canonical_text": "The bakery opens at six."}]})

    canonical_text: str | None = Field(None, description="What it says as canon; as it did, unless said.")


class Deletion(Question):
    """Records to delete."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": ["0f3a9c51d27e"]}]})

    ids: list[RecordId] = Field(min_length=1, max_length=1000)


class VaultQuestion(Question):
    """What to look for in the vault."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "When does the bakery open?"}]})

    query: Query = Field(description="Words; a record that shares none with them is not found.")
    scopes: list[str] | None = Field(None, description="Only these of `shared` and the Being's own.")
    tier: Tier | None = Field(None, description="Only this tier.")
    limit: int = Field(VAULT_ITEMS, ge=1, le=100, description="The most that is found.")


class BlockQuestion(Question):
    """What an injected block is to be about."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "When does the bakery open?"}]})

    query: Query | None = Field(None, description="What it must be relevant to; everything, without.")
    scopes: list[str] | None = Field(None, description="Only these of `shared` and the Being's own.")
    max_items: int | None = Field(None, ge=1, le=100, description="The most records; what the profile says, without.")


class Profile(Question):
    """How a Being uses its vault: the part `memory` of the seed's profile."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"enabled": True, "scopes": ["shared", "mira"], "max_items": 20, "similarity_threshold": 0.7}]
        }
    )

    enabled: bool = Field(True, description="Whether anything of the vault goes into prompts.")
    scopes: list[str] | None = Field(
        None, description="Which of `shared` and its own go into prompts; both, unless said."
    )
    max_items: int = Field(VAULT_ITEMS, ge=1, le=100, description="The most records of a block that answers a query.")
    similarity_threshold: float = Field(
        VAULT_RATIO, ge=0, le=1, description="From which sequence similarity on two records are one too many."
    )


class Refusal(BaseModel):
    """An item that a gate stopped: by which rule, and what to do instead."""

    model_config = ConfigDict(frozen=True)

    position: int = Field(description="The item's place in the batch, from 0.")
    gate: str | None = Field(None, description="Which gate; null for an item that is no record at all.")
    rule: str = Field(description="What is wrong with it.")
    instead: str | None = Field(None, description="What to do instead.")
    existing: str | None = Field(None, description="The id of the record that stands in the way, if one does.")


class VaultReceipt(BaseModel):
    """What became of a batch, item by item."""

    model_config = ConfigDict(frozen=True)

    added: int = Field(description="Records that are new.")
    updated: int = Field(description="Registers that were there and have one more version.")
    repeated: int = Field(description="Items that had been taken before, under the same key.")
    rejected: list[Refusal] = Field(description="Items that a gate stopped.")
    records: list[VaultRecord | None] = Field(description="For each item its record, null where it was rejected.")


class Deleted(BaseModel):
    """What became of a deletion."""

    model_config = ConfigDict(frozen=True)

    deleted: list[str] = Field(description="Ids that have a tombstone now.")
    missing: list[str] = Field(description="Ids of which there is no living record in these scopes.")


class Found(BaseModel):
    """A record that answers a query."""

    model_config = ConfigDict(frozen=True)

    record: VaultRecord
    score: float = Field(description="The seed's search score, from 0 to 1.7.")


class Candidates(BaseModel):
    """Two records that may be one."""

    model_config = ConfigDict(frozen=True)

    first: VaultRecord
    second: VaultRecord
    similarity: float = Field(description="The greater of token overlap and sequence similarity, 0 to 1.")


class Proposal(BaseModel):
    """A record that might go. Nothing is ever deleted but by who decides it."""

    model_config = ConfigDict(frozen=True)

    record: VaultRecord
    reasons: list[str]


class VaultStats(BaseModel):
    """How a vault is doing."""

    model_config = ConfigDict(frozen=True)

    active: int = Field(description="Living records.")
    max: int = Field(description="So many may live, in all these scopes together.")
    utilization: float = Field(description="Living records in percent of that.")
    deleted: int = Field(description="Records that end in a tombstone.")
    raw_lines: int = Field(description="All versions that are kept.")
    bloat_ratio: float = Field(description="Versions for each living record; 1 is as compact as it gets.")
    by_scope: dict[str, int]
    by_tier: dict[str, int]
    by_category: dict[str, int]
    register_topics: int = Field(description="Living registers with a topic.")


class Compacted(BaseModel):
    """What a compaction removed."""

    model_config = ConfigDict(frozen=True)

    removed: int = Field(description="Superseded versions, and old tombstones with what they ended.")


class Block(BaseModel):
    """Text for a prompt, fenced; empty where there is nothing to say."""

    model_config = ConfigDict(frozen=True)

    text: str


class LineTrouble(BaseModel):
    """A line that was not taken, and why."""

    model_config = ConfigDict(frozen=True)

    line: int = Field(description="The line's number, from 1.")
    reason: str = Field(description="What is wrong with it.")


class Imported(BaseModel):
    """What became of an import."""

    model_config = ConfigDict(frozen=True)

    imported: int = Field(description="Lines that are records now, and were not before.")
    known: int = Field(description="Lines that had been here already, word for word.")
    rejected: list[LineTrouble]


class VaultLine(Question):
    """A line of the seed's `vault.jsonl`, with the seed's defaults for what it leaves out."""

    id: RecordId
    text: Annotated[str, Field(min_length=1)]
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

    @model_validator(mode="before")
    @classmethod
    def _moments_in_utc(cls, value: Any) -> Any:
        """Take a moment without an offset for UTC, as Python's `isoformat` writes it."""
        if not isinstance(value, dict):
            return value
        return {name: _in_utc(part) if name.endswith("_at") else part for name, part in value.items()}


def _in_utc(moment: Any) -> Any:
    try:
        without_offset = datetime.fromisoformat(moment).tzinfo is None
    except (TypeError, ValueError):
        return moment
    return f"{moment}Z" if without_offset else moment
