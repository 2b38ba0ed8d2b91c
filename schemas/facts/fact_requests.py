"""Requests about facts and todos. Unknown fields are refused."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from schemas.facts.fact_rows import FactKind, FactStatus, FactType, TodoStatus
from schemas.limits import (
    FACT_CANDIDATES,
    FACTS_RETRIEVED,
    LEAST_IMPORTANCE,
    MOST_IMPORTANCE,
    STATEMENT_CHARACTERS,
)
from schemas.wire.fields import Words
from schemas.wire.requests import Changes, Query, RequestModel

Statement = Annotated[Words, Field(max_length=STATEMENT_CHARACTERS)]
Importance = Annotated[int, Field(ge=LEAST_IMPORTANCE, le=MOST_IMPORTANCE)]
Ref = Annotated[str, Field(pattern=r"^(person|place|org|project|thing):.*\w", max_length=200)]


class FactQuestion(RequestModel):
    """A query for facts."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "How is John doing?"}]})

    query: Query = Field(description="A sentence or a few words; usually the user's latest message.")
    limit: int = Field(FACTS_RETRIEVED, ge=1, le=FACT_CANDIDATES, description="The most facts to return.")
    explain: bool = Field(False, description="Whether to return the parts of each fact's score.")


class Seed(RequestModel):
    """A fact about the user that a producer hands in directly."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"type": "PROFILE", "content": "Lives in Austin, Texas.", "entity_refs": ["thing:home"], "pinned": True}
            ]
        }
    )

    type: FactType | Literal["OPEN_LOOP"] = Field(
        description="`PROFILE`, `PEOPLE` or `PROJECT`; `OPEN_LOOP`, of older data, becomes a todo."
    )
    content: Statement = Field(description="One statement in the third person.")
    entity_refs: list[Ref] = Field(
        default=[],
        max_length=20,
        description="The entities that it names, as `<type>:<name>`, first the one that it is about.",
    )
    entity_label: Annotated[Words, Field(max_length=200)] | None = Field(
        None, description="A display name for the entity that it is about."
    )
    fact_type: FactKind = Field("fact", description="The kind of statement.")
    importance: Importance = Field(
        1, description="0 trivial, 1 usual, 2 significant, 3 central to the user's identity."
    )
    pinned: bool = Field(False, description="Whether it is in every context, and never archived by the curator.")
    in_confidence: bool = Field(False, description="Whether only this Being may know it.")


class ProposedMerge(RequestModel):
    """Two entities that are one."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"kept_ref": "person:john_doe", "merged_ref": "person:john"}]}
    )

    kept_ref: Ref = Field(description="The entity that stays, as `<type>:<slug>`.")
    merged_ref: Ref = Field(description="The entity that is merged into it, with its names.")
    accept: bool = Field(False, description="Whether to merge them at once, rather than only propose it.")


class FactChanges(Changes):
    """Changes to a fact. Omitted fields keep their values."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"pinned": True}, {"content": "Lives in Berlin."}]})

    content: Statement | None = Field(
        None, description="The corrected content; earlier statements stay in the history."
    )
    importance: Importance | None = Field(None, description="0 to 3; while the fact is pinned, it counts as 3.")
    pinned: bool | None = Field(None, description="Whether it is in every context, and never archived by the curator.")
    status: FactStatus | None = Field(None, description="`ARCHIVED` hides the fact, `ACTIVE` restores it.")
    in_confidence: bool | None = Field(
        None, description="Whether the fact and its source messages stay with the Being that got them."
    )


class TodoChanges(Changes):
    """Changes to a todo. Omitted fields keep their values."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "DONE"}]})

    content: Statement | None = Field(None, description="The user's intention.")
    due: Statement | None = Field(None, description="When, in the user's own words.")
    pinned: bool | None = Field(None, description="Whether it is protected from archiving.")
    status: TodoStatus | None = Field(None, description="`DONE` closes it, `ARCHIVED` hides it, `OPEN` brings it back.")
    in_confidence: bool | None = Field(
        None, description="Whether its source messages stay with the Being that got them."
    )
