"""Knowledge that programs keep under keys: requests and answers."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from schemas.limits import (
    BATCH_ITEMS,
    ITEM_BYTES,
    KEYED_BYTES,
    KEYED_OFFSET,
    MOST_KEYED_FOUND,
    NAMESPACE_LABELS,
    SEARCH_RESULTS,
)
from schemas.wire.answers import Answer
from schemas.wire.numbers import Number
from schemas.wire.requests import Query, RequestModel

OPERATORS = frozenset({"$eq", "$ne", "$gt", "$gte", "$lt", "$lte"})
EXAMPLE: dict[str, Any] = {"namespace": ["preferences"], "key": "tea"}

Label = Annotated[str, Field(min_length=1)]
Path = Annotated[list[Label], Field(max_length=NAMESPACE_LABELS)]


class KnowledgeKey(RequestModel):
    """The key under which a program keeps knowledge."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    namespace: Path = Field(min_length=1, description="Labels, from the outermost to the innermost.")
    key: str = Field(min_length=1, description="The key within the namespace.")

    @model_validator(mode="after")
    def _short(self) -> Self:
        size = sum(len(part.encode()) for part in (*self.namespace, self.key))
        if size > KEYED_BYTES:
            raise PydanticCustomError(
                "too_long",
                "namespace and key are {size} bytes; the limit is {most}",
                {"size": size, "most": KEYED_BYTES},
            )
        return self


class NewKnowledge(KnowledgeKey):
    """Knowledge that replaces the value of its key, or removes it."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE | {"value": {"likes": "green tea", "cups": 3}}]})

    value: dict[str, Any] | None = Field(description="The object to keep, at most 64 KB of JSON; null removes it.")
    search_text: str | None = Field(
        None, description="The text for searches; null: the whole value as JSON; empty: searches do not find it."
    )

    @field_validator("value", "search_text")
    @classmethod
    def _fits(cls, value: Any) -> Any:
        size = len(json.dumps(value, ensure_ascii=False).encode())
        if size > ITEM_BYTES:
            raise PydanticCustomError(
                "too_large", "it is {size} bytes of JSON; the limit is {most}", {"size": size, "most": ITEM_BYTES}
            )
        return value


class KnowledgeChanges(RequestModel):
    """The knowledge to put and to remove, together or not at all; of several under one key the last counts."""

    items: list[NewKnowledge] = Field(
        min_length=1, max_length=BATCH_ITEMS, description="The values to store or remove."
    )


class KnowledgeChanged(Answer):
    """The outcome."""

    kept: int = Field(description="How many keys have new values.")
    removed: int = Field(description="How many keys were there, and are gone.")


class KnowledgeKeys(RequestModel):
    """Which knowledge to show."""

    keys: list[KnowledgeKey] = Field(min_length=1, max_length=BATCH_ITEMS, description="Namespaces and keys.")


class KeyedKnowledge(Answer):
    """Knowledge under its key."""

    namespace: list[str]
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    score: Number | None = Field(
        None, description="How well it answers the query, from 0 to 1, where there is one that finds it."
    )


class KnowledgeShown(Answer):
    """The knowledge under each of the keys, in their order."""

    items: list[KeyedKnowledge | None]


class KnowledgeQuestion(RequestModel):
    """A search among the knowledge under keys."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"namespace_prefix": ["preferences"], "query": "What do they drink?", "filter": {"cups": {"$gte": 2}}}
            ]
        }
    )

    namespace_prefix: Path = Field(default=[], description="Only values in this namespace, or in one below it.")
    query: Query | None = Field(
        None, description="A query: the best results come first. Without a query the newest come first."
    )
    filter: dict[str, Any] | None = Field(
        None,
        description="Only values whose fields equal these, or compare with them by the operators `$eq`, `$ne`, `$gt`,"
        " `$gte`, `$lt`, `$lte`.",
    )
    limit: int = Field(SEARCH_RESULTS, ge=1, le=MOST_KEYED_FOUND, description="The most results.")
    offset: int = Field(0, ge=0, le=KEYED_OFFSET, description="How many results to leave out first.")

    @field_validator("filter")
    @classmethod
    def _known(cls, filters: dict[str, Any] | None) -> dict[str, Any] | None:
        waiting = list[Any]((filters or {}).values())
        while waiting:
            part = waiting.pop()
            if isinstance(part, dict):
                named = {name for name in part if name.startswith("$")}
                if named and part.keys() - OPERATORS:
                    raise PydanticCustomError("operator", "an operator is one of $eq, $ne, $gt, $gte, $lt, $lte")
                waiting.extend([] if named else part.values())
            elif isinstance(part, list):
                waiting.extend(part)
        return filters

    @model_validator(mode="after")
    def _near(self) -> Self:
        if self.query is not None and self.offset + self.limit > MOST_KEYED_FOUND:
            raise PydanticCustomError(
                "too_far", "with a query, offset and limit reach at most {most}", {"most": MOST_KEYED_FOUND}
            )
        return self


class KnowledgeFound(Answer):
    """The results."""

    items: list[KeyedKnowledge]
    degraded: bool = Field(description="Whether the embedder was out of reach and words had to do.")


class NamespaceCondition(RequestModel):
    """How a namespace has to begin or end."""

    at: Literal["prefix", "suffix"] = Field(description="Where the path stands in the namespace.")
    path: Path = Field(min_length=1, description="Labels; `*` stands for any.")


class NamespaceQuestion(RequestModel):
    """Which namespaces to list."""

    conditions: list[NamespaceCondition] = Field(
        default=[], max_length=NAMESPACE_LABELS, description="All of them have to be fulfilled."
    )
    max_depth: int | None = Field(
        None, ge=1, le=NAMESPACE_LABELS, description="Cut deeper namespaces to this number of labels."
    )
    limit: int = Field(100, ge=1, le=MOST_KEYED_FOUND, description="The most namespaces.")
    offset: int = Field(0, ge=0, le=KEYED_OFFSET, description="How many namespaces to leave out first.")


class Namespaces(Answer):
    """Namespaces in which something is kept, in order."""

    namespaces: list[list[str]]
