"""Inputs of producers: messages, notes of four types, and the scene inside a scene note.

Fields come from the patrol seed ("Scene Format") and DESIGN section 10. Unknown fields are refused, except inside
`metadata`.
"""

import json
import operator
import re
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from schemas.intake.scene_fields import FIRST_VERSION, Line, SceneField, declared
from schemas.limits import DEFAULT_IMPORTANCE, METADATA_BYTES, SPEAKER_CHARACTERS
from schemas.wire.fields import (
    MARK,
    Conversation,
    Degree,
    Importance,
    Moment,
    OptionalWordList,
    OptionalWords,
    ProducerId,
    Role,
    Wire,
    WordList,
    Words,
    is_marked,
    says_no,
    without_blanks,
)

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# Of a routine that is merged every day: the sensory details that are kept, and the dates that a model is shown.
SENSORY_DETAILS = 12
NEWEST_DATES = 5

Realm = Literal["real", "role-play", "hypothetical"]


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
    """The part of an event that a memory node stores. Null and blank count as absent where a field is optional."""

    action: Annotated[Words, SceneField(since=1, merge="proposed", embedded=20, line=Line(30), searched=True)] = Field(
        description="What happened.", examples=["The oven failed during the morning bake."]
    )
    actors: Annotated[WordList, SceneField(since=1, merge="chosen")] = Field(
        description="The people who were present.", examples=[["Mira", "Jon"]]
    )
    when: Annotated[
        list[str | WhenEntry],
        AfterValidator(without_blanks),
        SceneField(since=1, merge="history", embedded=10, line=Line(10), searched=True, most_in_prompts=NEWEST_DATES),
    ] = Field(description="Dates, or dated lines.", examples=[["2026-03-02"]])
    setting: Annotated[OptionalWords, SceneField(since=1, merge="most important", line=Line(20))] = Field(
        None, description="The place and its surroundings."
    )
    dialogue: Annotated[OptionalWordList, SceneField(since=1, merge="chosen", line=Line(40, '"{}"', first=True))] = (
        Field(default=[], description="Lines of dialogue; recall shows the first.")
    )
    sensory: Annotated[OptionalWordList, SceneField(since=1, merge="united", most_merged=SENSORY_DETAILS)] = Field(
        default=[], description="Sensory details: sights, sounds, smells, touch."
    )
    realm: Annotated[
        Realm,
        BeforeValidator(lambda value: "real" if value is None else value, json_schema_input_type=Realm | None),
        SceneField(since=2, merge="survivor"),
    ] = Field("real", description="Whether it happened, belongs to a game or story, or was only imagined.")


class SceneInput(Scene):
    """A scene as a producer sends it: the scene itself, the Being's feeling, importance, themes and emotion."""

    feeling: Annotated[
        OptionalWords,
        SceneField(since=1, merge="proposed or first", embedded=30, line=Line(50, "({})"), searched=True),
    ] = Field(None, description="The Being's own impression, in the first person.")
    importance: Annotated[Importance, SceneField(since=1, merge="survivor", most_in_prompts=0)] = Field(
        DEFAULT_IMPORTANCE, description="0 to 1; values outside are clamped."
    )
    themes: Annotated[OptionalWordList, SceneField(since=1, merge="chosen", searched=True)] = Field(
        default=[], description="Tags, matched whole by search."
    )
    emotion: Annotated[Emotion | None, SceneField(since=1, merge="weighted mean", most_in_prompts=0)] = None

    def scene(self) -> dict[str, Any]:
        """Return the part that is stored as the node's scene, as JSON-ready values without absent fields."""
        return self.model_dump(mode="json", include=set(Scene.model_fields), exclude_defaults=True)

    def unhashed(self) -> set[str]:
        """Return the fields that the hash of a note leaves out: those of later versions that have their defaults."""
        return {name for name in LATER_FIELDS if getattr(self, name) == SceneInput.model_fields[name].default}


class SceneToRemember(SceneInput):
    """A scene as a model hands it in, alone."""

    id: ProducerId | None = Field(None, description="Your own id of the scene: sent again, it is stored once.")


SCENE_FIELDS = declared(SceneInput)
# Those that a node has beside its scene.
OWN_FIELDS = tuple(name for name in SCENE_FIELDS if name not in Scene.model_fields)
# Those that scenes of the first version do not have.
LATER_FIELDS = tuple(name for name, field in SCENE_FIELDS.items() if field.since > FIRST_VERSION)


class Produced(Wire):
    """Base of all inputs of producers."""

    id: ProducerId | None = Field(
        None, description="The producer's id. The same id again with the same content changes nothing."
    )
    metadata: dict[str, Any] = Field(default={}, description="The producer's own data, at most 4 KB of JSON.")

    def content_fields(self) -> dict[str, Any]:
        """The fields that decide whether an item is the same as another one of its id."""
        return self.model_dump(mode="json", exclude={"id"})

    @model_validator(mode="before")
    @classmethod
    def _marked(cls, given: Any) -> Any:
        """Take null for a field that is left out, and a mark in the metadata for that of the item."""
        if not isinstance(given, dict):
            return given
        if None in given.values():
            optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
            given = {name: value for name, value in given.items() if value is not None or name not in optional}
        metadata = given.get("metadata")
        if not is_marked(metadata):
            return given
        mark = metadata.get(MARK) if isinstance(metadata, dict) else None
        return {**given, MARK: True if says_no(mark) else mark}

    @field_validator("metadata")
    @classmethod
    def _small(cls, value: dict[str, Any]) -> dict[str, Any]:
        size = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if size > METADATA_BYTES:
            raise ValueError(f"metadata is {size} bytes of JSON; the limit is {METADATA_BYTES}")
        return value


def _form(content: Any) -> str:
    return "text" if isinstance(content, str) else "scene"


def last_date(content: Any) -> date | None:
    """The last date in a scene's `when`, or in a scene that is given as text; None if there is none."""
    days = list[date]()
    for found in _DATE.findall(str(content)):
        with suppress(ValueError):
            days.append(date.fromisoformat(found))
    return max(days, default=None)


class SceneNote(Produced):
    """One event, as an object, or as a string that the patrol parses."""

    type: Literal["scene"]
    content: Annotated[
        Annotated[SceneInput, Tag("scene")] | Annotated[Words, Tag("text")],
        Discriminator(_form, custom_error_type="scene", custom_error_message="content is a scene object or a string"),
    ]
    aged: bool = Field(
        False,
        # Items without it have the content hash of those from before there was this field; likewise below.
        exclude_if=operator.not_,
        description="Whether its memory is born with the age that it would have if it had been handed in on the last"
        " date (YYYY-MM-DD) of `when`, with a patrol at each PATROL_TICK since.",
    )

    def content_fields(self) -> dict[str, Any]:
        """As for any item; a scene as from before there were the fields that have their defaults."""
        if isinstance(self.content, str):
            return super().content_fields()
        return self.model_dump(mode="json", exclude={"id": True, "content": self.content.unhashed()})

    @model_validator(mode="after")
    def _dated(self) -> "SceneNote":
        if self.aged and last_date(self.content if isinstance(self.content, str) else self.content.when) is None:
            raise PydanticCustomError("undated", "An aged scene needs a date (YYYY-MM-DD) in `when`")
        return self


class TodoNote(Produced):
    """Something to do."""

    type: Literal["todo"]
    content: Words


class ReminderNote(Produced):
    """Something to be reminded of at a given time."""

    type: Literal["reminder"]
    content: Words
    due_at: Moment


class KnowledgeNote(Produced):
    """A piece of knowledge with a title."""

    type: Literal["knowledge"]
    content: Words
    title: Words
    in_snapshot: bool = Field(
        True,
        exclude_if=bool,
        description="Whether it stands in the snapshot of every context; if not, it is found by searches alone.",
    )


AnyNote = SceneNote | TodoNote | ReminderNote | KnowledgeNote
NoteInput = Annotated[AnyNote, Discriminator("type")]


class MessageInput(Produced):
    """One turn of a conversation. The role `other` is a third person who takes part in it."""

    role: Role
    speaker: Annotated[Words, Field(max_length=SPEAKER_CHARACTERS)] | None = None
    conversation: Conversation | None = Field(
        None, description="The producer's id of the chat or tab. Sessions are separate for each conversation."
    )
    content: Words
    metadata: dict[str, Any] = Field(
        default={},
        description="The producer's own data, at most 4 KB of JSON. `in_confidence: true` says that the message was"
        " said in confidence: it stays, with all that rests on it, with this Being. `unsure: true` says that a program"
        " may have written it: it is found by search, and no fact, todo, scene or summary rests on it.",
    )
    created_at: Moment | None = Field(
        None, description="The time of the message, with its offset from UTC; default: now."
    )
    aged: bool = Field(
        False,
        exclude_if=operator.not_,
        description="Whether scenes that are drawn from it are born with the age that they would have if a patrol had"
        " run at each PATROL_TICK since `created_at`.",
    )

    off_the_record: bool = Field(
        False,
        exclude_if=operator.not_,
        description="Whether it was said off the record: no word of it is kept. Redis streams and `ingest.messages`"
        " refuse such a message.",
    )

    def content_fields(self) -> dict[str, Any]:
        """As for any item; without a conversation as for a message from before there were any."""
        fields = super().content_fields()
        return (
            fields
            if self.conversation is not None
            else {name: fields[name] for name in fields if name != "conversation"}
        )
