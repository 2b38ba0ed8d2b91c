"""A model's answers to a patrol's questions. Memories are named by short references, never by ids.

The models hold the form alone; whether an answer may be applied is for the rules of the step that asked.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from schemas.limits import DIARY_LINE_CHARACTERS, MOST_DIARY_LINES, MOST_NEXT_TIME, TOPIC_NAME_CHARACTERS
from schemas.llm.answer_form import CutAtCharacters, DroppedIfUnsure, ExactFieldName, FirstItems, Ref

MemoryRef = Annotated[str, Ref("m")]
ShortName = Annotated[str, CutAtCharacters(TOPIC_NAME_CHARACTERS)]
DiaryLine = Annotated[str, CutAtCharacters(DIARY_LINE_CHARACTERS)]


class PatrolAnswer(BaseModel):
    """Something that a model says to a patrol."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Merge(PatrolAnswer):
    """Memories that become one."""

    survivor: MemoryRef = Field(description="The reference of the memory that stays.")
    absorbed: Annotated[list[MemoryRef], DroppedIfUnsure()] = Field(
        description="The references of those that it takes in, at least one."
    )
    action: str = Field(description="What happened, as the survivor is to tell it.")
    feeling: str | None = Field(description="How it felt, in the first person; null if none of them tells.")
    actors: list[str] = Field(description="Who was there; only names that these memories have.")
    dialogue: list[str] = Field(description="Words worth keeping, as these memories have them.")
    themes: list[str] = Field(description="Tags, only such as these memories have.")


class Consolidation(PatrolAnswer):
    """The new topics of a topic's memories; those that are not named stay as they are."""

    merges: list[Merge] = Field(description="Empty if nothing belongs together.")
    make_dead: Annotated[list[MemoryRef], ExactFieldName()] = Field(
        description="References of dying memories that nothing takes in."
    )


class NewTopic(PatrolAnswer):
    """Memories that get a topic of their own."""

    name: ShortName = Field(description="Two to five words.")
    memories: list[MemoryRef] = Field(description="Their references, at least three.")


class Split(PatrolAnswer):
    """How a crowded topic comes apart; memories that are not named stay in it."""

    topics: list[NewTopic] = Field(description="Empty if it is one topic.")


class TopicName(PatrolAnswer):
    """A topic's name."""

    name: ShortName = Field(description="Two to five words.")


class Classification(PatrolAnswer):
    """Which of the two roots each memory belongs to."""

    business: list[MemoryRef] = Field(description="References of memories about work, money and duty.")
    private: list[MemoryRef] = Field(description="References of all others.")


class DatedLine(PatrolAnswer):
    """The events of a date."""

    date: str
    action: str


class RepairedEmotion(PatrolAnswer):
    """The emotion vector of a text, each number from -1 to 1."""

    valence: float
    arousal: float
    dominance: float
    safety: float
    novelty: float
    trust: float


class RepairedScene(PatrolAnswer):
    """The scene that a text was meant to be."""

    action: str = Field(description="What happened.")
    actors: list[str] = Field(description="Who was there.")
    when: list[str | DatedLine] = Field(
        description="Dates, YYYY-MM-DD where the text has them so; where it says what happened on one, both."
    )
    setting: str | None = Field(description="Where; null if the text does not say.")
    dialogue: list[str] = Field(description="Words that were said.")
    sensory: list[str] = Field(description="What could be seen, heard, smelled or felt.")
    feeling: str | None = Field(description="The teller's own impression; null if the text has none.")
    importance: float | None = Field(description="0 to 1; null if the text has no such number.")
    themes: list[str] = Field(description="Tags that the text has.")
    emotion: RepairedEmotion | None = Field(description="Null unless the text has all six numbers.")


class DiaryPages(PatrolAnswer):
    """A day's entry, and what the Being wants to have in mind next time."""

    diary: Annotated[list[DiaryLine], FirstItems(MOST_DIARY_LINES)] = Field(description="Three to five lines.")
    next_time: Annotated[list[DiaryLine], FirstItems(MOST_NEXT_TIME)] = Field(
        description="Three to seven notes, a line each."
    )
