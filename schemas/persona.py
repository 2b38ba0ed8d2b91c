"""What a Being is made of beside its memory: its soul and state, lists of named entries, and its user as a person."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from schemas.limits import PERSONA_CHARACTERS, SOUL_CHARACTERS, STATE_CHARACTERS, USER_MODEL_CHARACTERS
from schemas.requests import Changes, Name, Question
from schemas.rows import Row, Soul
from schemas.wire import Words

PersonaKind = Literal["partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills"]

SoulPart = Annotated[str, Field(max_length=SOUL_CHARACTERS)]
StatePart = Annotated[str, Field(max_length=STATE_CHARACTERS)]
PersonaWords = Annotated[Words, Field(max_length=PERSONA_CHARACTERS)]


class PersonaEntry(Row):
    """An entry of one of a Being's lists."""

    kind: PersonaKind
    entry_id: UUID
    name: str
    content: str
    enabled: bool
    position: int
    created_at: datetime
    updated_at: datetime


class SoulState(Row):
    """What a Being is at; an empty part is the default one, of which no context speaks."""

    project: str = ""
    mood: str = ""
    topic: str = ""
    updated_at: datetime | None = None


class UserModel(Row):
    """What is known about a user as a person."""

    content: str
    updated_at: datetime


class WholeSoul(Row):
    """Who a Being is, and what it is at."""

    soul: Soul
    state: SoulState


class SoulChanges(Changes):
    """What is to change about a soul or its state. Parts that are left away stay; an empty text takes one away."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"personality": "Warm, curious, a little impatient.", "mood": "rested"}]}
    )

    partner_type: Annotated[Words, Field(max_length=STATE_CHARACTERS)] | None = Field(
        None, description="What the one it talks to is to it."
    )
    personality: SoulPart | None = Field(None, description="What it is like.")
    voice: SoulPart | None = Field(None, description="How it speaks.")
    values: SoulPart | None = Field(None, description="What it holds dear.")
    backstory: SoulPart | None = Field(None, description="Where it comes from.")
    inner_world: SoulPart | None = Field(None, description="What goes on inside it.")
    examples: SoulPart | None = Field(None, description="How it answers, by example.")
    think_md: SoulPart | None = Field(None, description="What it noted for the next conversation; patrols write it.")
    project: StatePart | None = Field(None, description="What it is working on.")
    mood: StatePart | None = Field(None, description="How it feels.")
    topic: StatePart | None = Field(None, description="What the talk is about.")

    def of_soul(self) -> dict[str, str]:
        """The parts of the soul that were named."""
        return self.model_dump(include=set(Soul.model_fields), exclude_none=True)

    def of_state(self) -> dict[str, str]:
        """The parts of its state that were named."""
        return self.model_dump(include=set(SoulState.model_fields), exclude_none=True)


class NewPersonaEntry(Question):
    """An entry to add to one of a Being's lists."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "bedtime", "content": "Good night by eleven."}]})

    name: Name = Field(description="What the entry is called; no two of a list have one name.")
    content: PersonaWords = Field(description="What it says.")
    enabled: bool = Field(True, description="Whether contexts show it.")
    position: int = Field(0, ge=-1000, le=1000, description="Entries are read by position, then by age.")


class PersonaChanges(Changes):
    """What is to change about an entry. Fields that are left away stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"enabled": False}]})

    name: Name | None = Field(None, description="What the entry is called from now on.")
    content: PersonaWords | None = Field(None, description="What it says.")
    enabled: bool | None = Field(None, description="Whether contexts show it.")
    position: int | None = Field(None, ge=-1000, le=1000, description="Entries are read by position, then by age.")


class NewUserModel(Question):
    """A user model to keep in place of the one before."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"content": "Plans ahead; would rather be asked."}]})

    content: Annotated[Words, Field(max_length=USER_MODEL_CHARACTERS)] = Field(
        description="What is known about the user as a person."
    )
