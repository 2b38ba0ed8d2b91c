"""What the Shadow Judge is asked to answer.

Where a single item may be wrong without spoiling the others, the schema tells the model what is allowed, and the rules
in `memory/evidence.py` decide about each item: pydantic would refuse the whole answer.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from schemas.facts import EntityType, FactKind, FactType, TodoKind

Realm = Literal["real", "role-play", "hypothetical"]


def _of(choices: Any) -> dict[str, Any]:
    return {"enum": list(get_args(choices))}


# The form tells the model what there is to choose from; another word spoils its own item, and no more.
RealmName = Annotated[str, Field(json_schema_extra=_of(Realm))]
EntityTypeName = Annotated[str, Field(json_schema_extra=_of(EntityType))]
FactTypeName = Annotated[str, Field(json_schema_extra=_of(FactType))]
FactKindName = Annotated[str, Field(json_schema_extra=_of(FactKind))]
TodoKindName = Annotated[str, Field(json_schema_extra=_of(TodoKind))]


class Judged(BaseModel):
    """Something that a judge answers; fields beyond those asked for are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Named(Judged):
    """An entity as the speaker names it."""

    type: EntityTypeName
    name: str


class FoundItem(Judged):
    """What every item has: where it was said, by whom, and in what world."""

    message: str = Field(description="The ref of the message that says it.")
    span: str = Field(description="The words of that message that say it, copied letter by letter.")
    speaker: str = Field(description="Whose words the span is: `user`, or a name.")
    realm: RealmName
    confidence: float = Field(description="0 to 1.")


class FoundFact(FoundItem):
    """A statement about the user's life."""

    subject: str = Field(description="Whom it is about: `user`, or a name.")
    type: FactTypeName
    statement: str = Field(description="One short sentence in the third person that stands by itself.")
    entities: list[Named] = Field(description="What it names; first what it is about.")
    fact_type: FactKindName
    importance: int = Field(description="0 trivial, 1 usual, 2 significant, 3 who the user is.")
    in_confidence: bool = Field(description="Whether the user asked not to pass it on.")


class FoundTodo(FoundItem):
    """Something that the user means to do, does, has left open, or is at odds with; or has now done."""

    kind: TodoKindName
    content: str = Field(description="One short sentence.")
    due: str | None = Field(description="When, in the user's words; null if not said.")
    known: str | None = Field(description="The ref of the todo that is meant, if it is among those that are known.")
    done: bool = Field(description="Whether the words say that it is done or given up.")


class Judgement(Judged):
    """All that new messages tell about the user."""

    facts: list[FoundFact]
    todos: list[FoundTodo]


class Comparison(Judged):
    """How one new statement stands to an earlier one under the same key."""

    new: str = Field(description="The ref of the new statement.")
    relation: Literal["same", "contradicts", "adds"]
    earlier: str | None = Field(description="The ref of the statement that it repeats or contradicts; null if it adds.")


class Reconciliation(Judged):
    """How new statements stand to what is known."""

    comparisons: list[Comparison]
