"""Questions to the memory, their answers, and the model's output schemas on the way to an answer."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from schemas.limits import (
    ASK_CITES,
    ASK_COUNTS,
    ASK_NAMES,
    ASK_QUERIES,
    ASK_SENTENCE_CHARACTERS,
    ASK_SENTENCES,
    ASK_TOKENS,
    LEAST_ASK_TOKENS,
    MOST_ASK_TOKENS,
    QUERY_CHARACTERS,
)
from schemas.llm.answer_form import CutAtCharacters, FirstItems, FromModel, Ref, WhenAbsent
from schemas.llm.calls import PaidWith
from schemas.search import Kind
from schemas.wire.answers import Answer, AnsweredOff
from schemas.wire.fields import Moment, Words
from schemas.wire.requests import Name, OffTheRecord, RequestModel

CiteKind = Literal[Kind, "computed"]


class AskRequest(RequestModel):
    """A question to a Being's memory."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"question": "Where does Nora live?"}]})

    question: Annotated[Words, Field(max_length=QUERY_CHARACTERS)] = Field(
        description="A question in plain words, in any language."
    )
    about: Name | None = Field(None, description="The subject of the question, if its words do not name it.")
    as_of: Moment | None = Field(
        None,
        description="Answer from the memory of this moment: messages that had arrived, and facts in their state then."
        " Items erased later are not shown.",
    )
    off_the_record: OffTheRecord = False
    budget_tokens: int = Field(
        ASK_TOKENS,
        ge=LEAST_ASK_TOKENS,
        le=MOST_ASK_TOKENS,
        description="The most estimated tokens of the sources, shown to the model or returned as passages.",
    )


class Cite(Answer):
    """Words that a sentence rests on."""

    kind: CiteKind
    id: str = Field(
        description="The id of a message, node, fact or knowledge note, of a summary's session, or of a vault record;"
        " a day of the diary; of a computed row its name in `looked_at`."
    )
    quote: str = Field(description="The words, in the spelling of their source.")
    at: datetime | None = Field(description="The time of the source; null for computed rows.")
    until: datetime | None = Field(None, description="When a later statement of the same fact replaced this one.")
    speaker: str | None = Field(None, description="The speaker of a message; null for other kinds.")


class Sentence(Answer):
    """A sentence of an answer, or with the method `extract` a passage."""

    sentence: str
    cites: list[Cite]


class ComputedRow(Answer):
    """A row that code counted."""

    id: str
    text: str


class LookedAt(Answer):
    """The searches, and the counts of their results."""

    queries: list[str] = Field(description="The searches: the question, and further ones by a model.")
    names: list[str] = Field(description="The people and things that were looked up.")
    since: datetime | None = Field(description="The beginning of the time searched in particular.")
    until: datetime | None = Field(description="The end of that time.")
    found: dict[CiteKind, int] = Field(description="The number of sources, by kind.")
    computed: list[ComputedRow] = Field(description="Rows that code counted.")


class AskCost(Answer):
    """The cost of an answer."""

    calls: int = Field(description="The model calls that were answered: two at most.")
    input_tokens: int
    output_tokens: int
    dollars: Decimal | None = Field(description="Null if the price or the usage of a call is unknown.")
    paid_with: PaidWith | None = Field(description="The owner of the key that paid; null if no model was asked.")


class AskAnswer(Answer):
    """The answer to a question, limited to statements that its quotations show."""

    answer: list[Sentence] = Field(description="Empty if the memory has no answer.")
    known: bool
    method: Literal["model", "extract"] = Field(
        description="`model`: a model wrote the sentences. `extract`: passages, because no model answered."
    )
    without_model: str | None = Field(description="Why no model answered; null if one did.")
    dropped: dict[str, int] = Field(description="Sentences that a model wrote and that did not stand, by reason.")
    looked_at: LookedAt
    context_id: UUID | None = Field(
        description="Names this answer in the metadata of a message that repeats it, and in `/contexts`; null off the"
        " record."
    )
    off_the_record: AnsweredOff = False
    cost: AskCost
    degraded: bool = Field(description="Whether the embedder was out of reach and words had to do.")
    unindexed: int = Field(description="How much was accepted and is not searchable yet by every signal.")


class CountedThing(FromModel):
    """Something whose mentions are to be counted."""

    any_of: Annotated[list[str], FirstItems(ASK_QUERIES)] = Field(
        description="Words or short phrases for it, as they would be said; a message with any of them counts."
    )


class AskPlan(FromModel):
    """The model's plan: the queries, names and times to look for."""

    queries: Annotated[list[str], FirstItems(ASK_QUERIES), WhenAbsent([])] = Field(
        description="Further searches, as short sentences or words."
    )
    names: Annotated[list[str], FirstItems(ASK_NAMES), WhenAbsent([])] = Field(
        description="People, places and things to look up, by the names that the question uses."
    )
    since: Annotated[str | None, WhenAbsent(None)] = Field(
        description="The first day of the time that is asked about, as YYYY-MM-DD; null if any time."
    )
    until: Annotated[str | None, WhenAbsent(None)] = Field(description="The last day of that time, likewise.")
    counts: Annotated[list[CountedThing], FirstItems(ASK_COUNTS), WhenAbsent([])] = Field(
        description="What to count, if the question asks how often, how many, or when first or last."
    )


class DraftCite(FromModel):
    """Words that a sentence rests on."""

    ref: Annotated[str, Ref("e", each=True)] = Field(description="The ref of the source.")
    quote: str = Field(description="Its words, copied letter by letter.")


class DraftSentence(FromModel):
    """A sentence with what it rests on."""

    sentence: Annotated[str, CutAtCharacters(ASK_SENTENCE_CHARACTERS, at_once=True)]
    cites: Annotated[list[DraftCite], FirstItems(ASK_CITES)]


class DraftAnswer(FromModel):
    """An answer before its sentences are checked."""

    sentences: Annotated[list[DraftSentence], FirstItems(ASK_SENTENCES)] = Field(
        description="Empty if the sources do not answer the question."
    )
