"""What is asked about facts and todos. Unknown fields are refused."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from schemas.facts import FactKind, FactStatus, FactType, TodoStatus
from schemas.limits import (
    FACT_CANDIDATES,
    FACTS_RETRIEVED,
    LEAST_IMPORTANCE,
    MOST_IMPORTANCE,
    STATEMENT_CHARACTERS,
)
from schemas.requests import Changes, Query, Question
from schemas.wire import Words

Statement = Annotated[Words, Field(max_length=STATEMENT_CHARACTERS)]
Importance = Annotated[int, Field(ge=LEAST_IMPORTANCE, le=MOST_IMPORTANCE)]
Ref = Annotated[str, Field(pattern=r"^(person|place|org|project|thing):.*\w", max_length=200)]


class FactQuestion(Question):
    """What facts are wanted for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "How is John doing?"}]})

    query: Query = Field(description="A sentence or a few words; usually what the user has just said.")
    limit: int = Field(FACTS_RETRIEVED, ge=1, le=FACT_CANDIDATES, description="The most facts to answer.")
    explain: bool = Field(False, description="Whether to say why each fact was found.")


class Seed(Question):
    """A fact that the user is introduced with."""

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
        description="What it names, as `<type>:<name>`, first what it is about; left away, it is about itself.",
    )
    entity_label: Annotated[Words, Field(max_length=200)] | None = Field(
        None, description="What people call what it is about."
    )
    fact_type: FactKind = Field("fact", description="What kind of statement it is.")
    importance: Importance = Field(1, description="0 trivial, 1 usual, 2 significant, 3 who the user is.")
    pinned: bool = Field(False, description="Whether it is always shown, and never archived by itself.")
    in_confidence: bool = Field(False, description="Whether this Being alone is to know it.")


class FactChanges(Changes):
    """What is to change about a fact. Fields that are left away stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"pinned": True}, {"content": "Lives in Berlin."}]})

    content: Statement | None = Field(None, description="What it says instead; what it said stays in its history.")
    importance: Importance | None = Field(None, description="0 to 3; while it is pinned it stays 3.")
    pinned: bool | None = Field(None, description="Whether it is always shown, and never archived by itself.")
    status: FactStatus | None = Field(None, description="`ARCHIVED` hides it, `ACTIVE` restores it.")


class TodoChanges(Changes):
    """What is to change about a todo. Fields that are left away stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "DONE"}]})

    content: Statement | None = Field(None, description="What is to be done.")
    due: Statement | None = Field(None, description="When, in the user's own words.")
    pinned: bool | None = Field(None, description="Whether it is kept from being archived.")
    status: TodoStatus | None = Field(None, description="`DONE` closes it, `ARCHIVED` hides it, `OPEN` brings it back.")
