"""What producers send: messages, notes of four types, and the scene inside a scene note.

Fields come from the patrol seed ("Scene Format") and DESIGN section 10. Unknown fields are refused, but for `metadata`.
"""

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator

from schemas.limits import (
    DEFAULT_IMPORTANCE,
    EARLIEST_YEAR,
    LATEST_YEAR,
    METADATA_BYTES,
    PRODUCER_ID_CHARACTERS,
    SPEAKER_CHARACTERS,
)
from schemas.rows import Role


def _in_utc(moment: datetime) -> datetime:
    try:
        in_utc = moment.astimezone(UTC)
    except OverflowError:
        in_utc = None
    if in_utc is None or not EARLIEST_YEAR <= in_utc.year <= LATEST_YEAR:
        raise ValueError(f"lies outside of the years {EARLIEST_YEAR} to {LATEST_YEAR}")
    return in_utc


Moment = Annotated[AwareDatetime, Field(strict=False), AfterValidator(_in_utc)]
"""A point in time, with its offset from UTC; kept in UTC."""


class Wire(BaseModel):
    """Something that comes from outside: no guessing of types, no unknown fields, nothing infinite."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


Words = Annotated[str, Field(min_length=1, pattern=r"\S")]
Degree = Annotated[float, Field(ge=-1, le=1)]


class WhenEntry(Wire):
    """A dated line of a scene's history, as consolidation writes it."""

    date: Words
    action: Words


class Emotion(Wire):
    """The VADSNT emotion vector, each number from -1 to 1."""

    valence: Degree
    arousal: Degree
    dominance: Degree
    safety: Degree
    novelty: Degree
    trust: Degree


class Scene(Wire):
    """What a memory node keeps of an event."""

    action: Words = Field(description="What happened.", examples=["The oven failed during the morning bake."])
    actors: list[Words] = Field(description="Who was there.", examples=[["Mira", "Jon"]])
    when: list[Words | WhenEntry] = Field(description="Dates, or dated lines.", examples=[["2026-03-02"]])
    setting: Words | None = Field(None, description="Where, and in what surroundings.")
    dialogue: list[Words] = Field(default=[], description="Words worth keeping; the first is shown.")
    sensory: list[Words] = Field(default=[], description="What could be seen, heard, smelled or felt.")


class SceneInput(Scene):
    """A scene as a producer hands it in: the scene itself, and how it felt and weighs."""

    feeling: Words | None = Field(None, description="The Being's own impression, first person.")
    importance: float = Field(DEFAULT_IMPORTANCE, description="0 to 1; what lies outside is moved to the nearer end.")
    themes: list[Words] = Field(default=[], description="Tags, matched whole by search.")
    emotion: Emotion | None = None

    @field_validator("importance")
    @classmethod
    def _clamp(cls, value: float) -> float:
        return min(1.0, max(0.0, value))

    def scene(self) -> dict[str, Any]:
        """The part that is stored as the node's scene, as JSON-ready values without what is absent."""
        return self.model_dump(mode="json", include=set(Scene.model_fields), exclude_defaults=True)


class Produced(Wire):
    """What everything that producers send has in common."""

    id: Annotated[str, Field(min_length=1, max_length=PRODUCER_ID_CHARACTERS)] | None = Field(
        None, description="Your own id. The same id again with the same content changes nothing."
    )
    metadata: dict[str, Any] = Field(default={}, description="Yours, kept as it is, at most 4 KB of JSON.")

    @field_validator("metadata")
    @classmethod
    def _small(cls, value: dict[str, Any]) -> dict[str, Any]:
        size = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if size > METADATA_BYTES:
            raise ValueError(f"metadata is {size} bytes of JSON, and {METADATA_BYTES} is the most")
        return value


def _form(content: Any) -> str:
    return "text" if isinstance(content, str) else "scene"


class SceneNote(Produced):
    """One event, as an object, or as the string that a model wrote for the patrol to parse."""

    type: Literal["scene"]
    content: Annotated[
        Annotated[SceneInput, Tag("scene")] | Annotated[Words, Tag("text")],
        Discriminator(_form, custom_error_type="scene", custom_error_message="content is a scene object or a string"),
    ]


class TodoNote(Produced):
    """Something to do."""

    type: Literal["todo"]
    content: Words


class ReminderNote(Produced):
    """Something to be reminded of at a time."""

    type: Literal["reminder"]
    content: Words
    due_at: Moment


class KnowledgeNote(Produced):
    """Something to know, under a title."""

    type: Literal["knowledge"]
    content: Words
    title: Words


AnyNote = SceneNote | TodoNote | ReminderNote | KnowledgeNote
NoteInput = Annotated[AnyNote, Discriminator("type")]


class MessageInput(Produced):
    """One turn of a conversation. `other` is somebody else in the room."""

    role: Role
    speaker: Annotated[Words, Field(max_length=SPEAKER_CHARACTERS)] | None = None
    content: Words
    created_at: Moment | None = Field(
        None, description="When it was said, with its offset from UTC; now, where it is absent."
    )
