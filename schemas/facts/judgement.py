"""The output schemas of the Shadow Judge and of reconciliation.

Enumerations are part of the JSON schema that the model sees, but pydantic does not enforce them, since it would refuse
the whole answer for one wrong item: `memory/facts/extraction_rules.py` checks each item by itself.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from schemas.facts.fact_rows import EntityType, FactKind, FactType, TodoKind
from schemas.intake.inputs import Realm
from schemas.limits import LEAST_CONFIDENCE, STATEMENT_CHARACTERS
from schemas.llm.answer_form import CutAtCharacters, DroppedIfUnsure, ExactFieldName, FromModel, Ref, WhenAbsent


def _of(choices: Any) -> dict[str, Any]:
    return {"enum": list(get_args(choices))}


# Plain strings for pydantic, enumerations for the model.
RealmName = Annotated[str, Field(json_schema_extra=_of(Realm))]
EntityTypeName = Annotated[str, Field(json_schema_extra=_of(EntityType))]
FactTypeName = Annotated[str, Field(json_schema_extra=_of(FactType))]
FactKindName = Annotated[str, Field(json_schema_extra=_of(FactKind))]
TodoKindName = Annotated[str, Field(json_schema_extra=_of(TodoKind))]
MessageRef = Annotated[str, Ref("m", each=True)]


class FoundEntity(FromModel):
    """An entity, by the name that the message uses."""

    type: Annotated[EntityTypeName, WhenAbsent("thing")]
    name: str


class FoundItem(FromModel):
    """The fields of every item: its quotation, speaker and realm."""

    message: MessageRef = Field(description="The ref of the message that says it.")
    span: str = Field(description="The words of that message that say it, copied letter by letter.")
    speaker: str = Field(description="Whose words the span is: `user`, `companion`, or a name.")
    realm: RealmName
    confidence: Annotated[float, WhenAbsent(LEAST_CONFIDENCE)] = Field(
        description="How sure it is that the words mean this, 0 to 1."
    )


class FoundFact(FoundItem):
    """A statement about the user's life."""

    subject: str = Field(description="Whose fact it is: `user`, or a name.")
    type: Annotated[FactTypeName, WhenAbsent("")]
    statement: Annotated[str, CutAtCharacters(STATEMENT_CHARACTERS, at_once=True)] = Field(
        description="One short sentence in the third person that stands by itself."
    )
    entities: list[FoundEntity] = Field(description="What it names; first what it is about.")
    fact_type: Annotated[FactKindName, WhenAbsent("fact")]
    importance: Annotated[int, WhenAbsent(1)] = Field(
        description="0 trivial, 1 usual, 2 significant, 3 who the user is."
    )


class FoundTodo(FoundItem):
    """A commitment, habit, open thread or friction of the user's, a promise of the companion's, or the end of one."""

    kind: TodoKindName
    content: Annotated[str, CutAtCharacters(STATEMENT_CHARACTERS, at_once=True)] = Field(
        description="One short sentence."
    )
    due: str | None = Field(description="When, in the user's words; null if not said.")
    known: Annotated[str | None, Ref("t", each=True)] = Field(
        description="The ref of the todo that is meant, if it is among those that are known."
    )
    done: Annotated[bool, WhenAbsent(False)] = Field(description="Whether the words say that it is done or given up.")


class FoundConfidence(FromModel):
    """A message that was said in confidence."""

    message: Annotated[MessageRef, WhenAbsent("")] = Field(
        description="The ref of the message that is to stay between the two of them."
    )
    asked_in: Annotated[MessageRef, WhenAbsent("")] = Field(
        description="The ref of the new message that asks for it, or that shows it; often the same."
    )


Wish = Literal["forget", "correct", "do not remember", "do not mention"]


class FoundRequest(FoundItem):
    """A request of the user to the companion's memory."""

    wish: Annotated[str, Field(json_schema_extra=_of(Wish))] = Field(
        description="`forget` what was said before, `correct` it, `do not remember` what a message says, or"
        " `do not mention` it again."
    )
    means: list[Annotated[str, Ref("f")]] = Field(
        description="The refs of the facts, todos and messages that are meant."
    )
    statement: Annotated[str | None, CutAtCharacters(STATEMENT_CHARACTERS, at_once=True)] = Field(
        description="For `correct`, what is right, as a statement that stands by itself; else null."
    )
    about: Annotated[str | None, WhenAbsent(None)] = Field(
        description="For `do not mention`, the name of the person or thing that is meant as a whole; else null."
    )


UNTOLD = {"message": "", "asked_in": ""}


class Judgement(FromModel):
    """The facts and todos in the new messages, the messages in confidence, and what the user asks of the memory."""

    facts: list[FoundFact]
    todos: list[FoundTodo]
    # A list that is left out, cut off or unreadable does not tell which messages may be passed on: then all of them
    # are in confidence, which a confidence without a message means.
    confidences: Annotated[list[FoundConfidence], WhenAbsent([UNTOLD])]
    requests: list[FoundRequest]


class Comparison(FromModel):
    """The relation of a new statement to another one under the same memory key."""

    new: Annotated[str, Ref("n", each=True)] = Field(description="The ref of the new statement.")
    relation: Annotated[Literal["same", "contradicts", "adds"], DroppedIfUnsure()]
    earlier: Annotated[str | None, Ref("e", each=True)] = Field(
        description="The ref of the statement that it repeats or contradicts; null if it adds."
    )


class FoldConfirmation(FromModel):
    """Which pairs of facts say the same."""

    same: Annotated[list[Annotated[str, Ref("p")]], ExactFieldName()] = Field(
        description="The refs of the pairs that say the same."
    )


class Reconciliation(FromModel):
    """The relations of new statements to known ones."""

    comparisons: list[Comparison]
