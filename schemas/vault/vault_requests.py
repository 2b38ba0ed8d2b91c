"""Bodies of requests."""

from pydantic import ConfigDict, Field

from schemas.limits import VAULT_CHARACTERS, VAULT_ITEMS, VAULT_RATIO
from schemas.vault.records import CATEGORY, SOURCES, Label, RecordId, Tags, Tier
from schemas.wire.numbers import Number
from schemas.wire.requests import Changes, Query, RequestModel

FORCE = "Whether to add the record though the scope holds a near-duplicate, which is recorded as `forced_over`."


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
    category: Label | None = Field(None, description="The new kind of statement.")
    tags: Tags | None = Field(None, description="The new tags, in place of all there are.")
    source: str | None = Field(None, description=f"The origin, one of {', '.join(SOURCES)}.")


class Promotion(RequestModel):
    """The promotion of a register to canon."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"canonical_text": "The bakery opens at six."}]})

    canonical_text: str | None = Field(None, description="The text as canon; the register's text if omitted.")


class Deletion(RequestModel):
    """Records to delete."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": ["0f3a9c51d27e"]}]})

    ids: list[RecordId] = Field(min_length=1, max_length=1000, description="The records' ids.")


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

    query: Query | None = Field(None, description="A query for relevant records; all records if omitted.")
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
