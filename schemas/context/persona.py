"""The soul and its state, a Being's lists of named entries, and the user model."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from schemas.limits import PERSONA_CHARACTERS, SOUL_CHARACTERS, STATE_CHARACTERS, USER_MODEL_CHARACTERS
from schemas.rows import Row
from schemas.wire.answers import Answer, Cursor
from schemas.wire.fields import Words
from schemas.wire.requests import Changes, Name, RequestModel

PersonaKind = Literal["partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills"]

SoulPart = Annotated[str, Field(max_length=SOUL_CHARACTERS)]
StatePart = Annotated[str, Field(max_length=STATE_CHARACTERS)]
PersonaWords = Annotated[Words, Field(max_length=PERSONA_CHARACTERS)]


class Soul(Row):
    """A Being's personality. Users write all fields except `think_md`, which patrols write."""

    partner_type: str = "user"
    personality: str = ""
    voice: str = ""
    values: str = ""
    backstory: str = ""
    inner_world: str = ""
    examples: str = ""
    think_md: str = ""
    thought_at: datetime | None = None
    updated_at: datetime | None = None


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


class PersonaPage(Answer):
    """The entries of one of a Being's lists."""

    entries: list[PersonaEntry]
    cursor: Cursor = None


class SoulState(Row):
    """The state of a soul; an empty part is the default, which contexts do not show."""

    project: str = ""
    mood: str = ""
    topic: str = ""
    updated_at: datetime | None = None


class UserModel(Row):
    """The description of a user as a person."""

    content: str
    written_by: Literal["person", "model"] = Field(
        description="The author: a person's text stays; a model's is written again from closed conversations."
    )
    updated_at: datetime


class WholeSoul(Row):
    """A soul and its state."""

    soul: Soul
    state: SoulState


class SoulChanges(Changes):
    """Changes of a soul or its state. Omitted parts stay; an empty text removes a part."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"personality": "Warm, curious, a little impatient.", "mood": "rested"}]}
    )

    partner_type: Annotated[Words, Field(max_length=STATE_CHARACTERS)] | None = Field(
        None, description="The user's relation to the Being, such as friend or partner."
    )
    personality: SoulPart | None = Field(None, description="The Being's personality.")
    voice: SoulPart | None = Field(None, description="Its way of speaking.")
    values: SoulPart | None = Field(None, description="Its values.")
    backstory: SoulPart | None = Field(None, description="Its backstory.")
    inner_world: SoulPart | None = Field(None, description="Its inner world.")
    examples: SoulPart | None = Field(None, description="Examples of its answers.")
    think_md: SoulPart | None = Field(None, description="Its notes for the next session; patrols write them.")
    project: StatePart | None = Field(None, description="The project it works on.")
    mood: StatePart | None = Field(None, description="Its mood.")
    topic: StatePart | None = Field(None, description="The topic of the talk.")

    def of_soul(self) -> dict[str, str]:
        """The given parts of the soul."""
        return self.model_dump(include=set(Soul.model_fields), exclude_none=True)

    def of_state(self) -> dict[str, str]:
        """The given parts of the state."""
        return self.model_dump(include=set(SoulState.model_fields), exclude_none=True)


class NewPersonaEntry(RequestModel):
    """An entry to add to one of a Being's lists."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "bedtime", "content": "Good night by eleven."}]})

    name: Name = Field(description="The entry's name, unique in its list.")
    content: PersonaWords = Field(description="The entry's text.")
    enabled: bool = Field(True, description="Whether contexts show it.")
    position: int = Field(0, ge=-1000, le=1000, description="Entries are shown by position, then by age.")


class PersonaChanges(Changes):
    """Changes of an entry. Omitted fields stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"enabled": False}]})

    name: Name | None = Field(None, description="The entry's new name.")
    content: PersonaWords | None = Field(None, description="The entry's text.")
    enabled: bool | None = Field(None, description="Whether contexts show it.")
    position: int | None = Field(None, ge=-1000, le=1000, description="Entries are shown by position, then by age.")


class NewUserModel(RequestModel):
    """A user model, which replaces the one before."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"content": "Plans ahead; would rather be asked."}]})

    content: Annotated[Words, Field(max_length=USER_MODEL_CHARACTERS)] = Field(
        description="The description of the user as a person."
    )
