"""What is asked at a door, beside the notes that are handed in. Unknown fields are refused."""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from schemas.keepable import unkeepable
from schemas.limits import (
    MOST_RECALLED,
    QUERY_CHARACTERS,
    RECALL_NODES,
    RECALL_SIMILARITY,
    SEARCH_NODES,
)
from schemas.thinking import Provider
from schemas.wire import Emotion, WhenEntry, Wire, Words

Name = Annotated[Words, Field(max_length=200)]
Query = Annotated[str, Field(max_length=QUERY_CHARACTERS)]
KeyText = Annotated[str, Field(min_length=16, max_length=512, pattern=r"^[!-~]+$")]
Dollars = Annotated[Decimal, Field(strict=False, ge=0, le=1_000_000, decimal_places=6)]
Id = Annotated[UUID, Field(strict=False)]
SLUG = r"^[a-z0-9][a-z0-9_-]{0,62}$"


class Question(Wire):
    """Something asked; no part of it may hold what no row can."""

    @model_validator(mode="before")
    @classmethod
    def _keepable(cls, value: Any) -> Any:
        faults = list(unkeepable(value))
        if faults:
            raise PydanticCustomError("unkeepable", "{faults}", {"faults": "; ".join(faults)})
        return value


class Changes(Question):
    """What is to change about something. Fields that are left away or null stay as they are."""

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise PydanticCustomError("nothing", "Nothing is to change: name at least one field")
        return self


class NewBeing(Question):
    """A Being to make."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"slug": "mira", "name": "Mira"}]})

    slug: str = Field(
        json_schema_extra={"pattern": SLUG},
        description="Its short name in addresses: lower-case letters, digits, `_` and `-`.",
    )
    name: Name = Field(description="What people call it.")

    @field_validator("slug")
    @classmethod
    def _in_an_address(cls, value: str) -> str:
        if not re.fullmatch(SLUG, value):
            raise PydanticCustomError(
                "slug", "A slug has 1 to 63 signs of a-z, 0-9, `_` and `-`, the first of them a letter or a digit"
            )
        return value

    @field_validator("slug")
    @classmethod
    def _not_shared(cls, value: str) -> str:
        if value == "shared":
            raise PydanticCustomError("slug", "`shared` is the name of what all of a user's Beings know")
        return value

    @field_validator("slug")
    @classmethod
    def _no_id(cls, value: str) -> str:
        try:
            UUID(value)
        except ValueError:
            return value
        raise PydanticCustomError("slug", "A slug must not look like an id")


class BeingChanges(Question):
    """What is to change about a Being; fields that are left away stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Mira the Second"}, {"daily_cost": 0.5}]})

    name: Name | None = Field(None, description="What people call it from now on.")
    daily_cost: Dollars | None = Field(
        None, description="What its models may cost in one of your days, in dollars; null: what the platform says."
    )
    daily_tokens: int | None = Field(
        None, ge=0, le=10**15, description="How many tokens its models may use in a day; null: what the platform says."
    )

    @model_validator(mode="after")
    def _something(self) -> "BeingChanges":
        if not self.model_fields_set or ("name" in self.model_fields_set and self.name is None):
            raise PydanticCustomError("nothing", "Nothing is to change: name a `name`, `daily_cost` or `daily_tokens`")
        return self


class NewKey(Question):
    """A key for a model provider, to store."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"key": "sk-ant-…", "provider": "anthropic"}]})

    key: KeyText = Field(repr=False, json_schema_extra={"writeOnly": True}, description="The key itself.")
    provider: Provider | None = Field(None, description="Whose key it is, where that can't be told by how it begins.")


class RecallQuestion(Question):
    """What to recall, and how to tell it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "What went wrong in the bakery?"}]})

    query: Query = Field(description="A sentence or a few words; usually what the person has just said.")
    limit: int = Field(RECALL_NODES, ge=1, le=MOST_RECALLED, description="The most memories that come to mind.")
    threshold: float = Field(
        RECALL_SIMILARITY, ge=-1, le=1, description="The least cosine similarity between query and memory."
    )
    format: Literal["fragments", "nodes"] = Field(
        "fragments", description="A blurred stream of fragments for a prompt, or the memories as they are."
    )
    activate: bool = Field(True, description="Whether being recalled keeps these memories alive.")
    explain: bool = Field(False, description="Whether to say why each memory was found.")


class TopicQuestion(Question):
    """A topic to remember everything about."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"cluster_id": "0199d6a8-5c00-7000-8000-000000000001"}]})

    cluster_id: Id = Field(description="The cluster; one that was merged away leads to where its nodes are now.")
    cursor: str | None = Field(None, description="Where the page before ended; leave it away for the first.")
    activate: bool = Field(True, description="Whether being remembered keeps these memories alive.")


class SearchQuestion(Question):
    """Words to look for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": 'oven "morning bake"', "mode": "and"}]})

    query: Query = Field(description="Words; double quotes keep a phrase together.")
    mode: Literal["or", "and"] = Field("or", description="Whether any term suffices, or all must be met.")
    limit: int = Field(SEARCH_NODES, ge=1, le=MOST_RECALLED, description="The most memories to answer.")
    activate: bool = Field(True, description="Whether being found keeps these memories alive.")


class NodeChanges(Question):
    """What is to change about a memory. Fields that are left away stay; null takes an optional one away."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"pinned": True}, {"action": "The oven door jammed.", "importance": 0.8}]}
    )

    pinned: bool | None = Field(None, description="Whether the memory is kept from fading.")
    action: Words | None = Field(None, description="What happened.")
    actors: list[Words] | None = Field(None, description="Who was there.")
    when: list[Words | WhenEntry] | None = Field(None, description="Dates, or dated lines.")
    setting: Words | None = Field(None, description="Where, and in what surroundings.")
    dialogue: list[Words] | None = Field(None, description="Words worth keeping; the first is shown.")
    sensory: list[Words] | None = Field(None, description="What could be seen, heard, smelled or felt.")
    feeling: Words | None = Field(None, description="The Being's own impression, first person.")
    importance: float | None = Field(None, description="0 to 1; what lies outside is moved to the nearer end.")
    themes: list[Words] | None = Field(None, description="Tags, matched whole by search.")
    emotion: Emotion | None = None

    @model_validator(mode="after")
    def _something(self) -> "NodeChanges":
        if not self.model_fields_set or (self.pinned is None and not self.corrections()):
            raise PydanticCustomError("nothing", "Nothing is to change: name `pinned` or a field of the scene")
        return self

    def corrections(self) -> dict[str, Any]:
        """The fields of the scene that were named, as JSON-ready values."""
        return self.model_dump(mode="json", exclude_unset=True, exclude={"pinned"})
