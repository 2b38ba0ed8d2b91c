"""Contexts: requests and answers, process profiles, and entries of working memory."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field, field_validator

from schemas.intake.inputs import MessageInput
from schemas.intake.notes import Receipt
from schemas.limits import (
    CONTEXT_TOKENS,
    ITEM_BYTES,
    LEAST_CONTEXT_TOKENS,
    MOST_CONTEXT_TOKENS,
    PROFILE_CHARACTERS,
    REGION_CHARACTERS,
    REGION_ENTRIES,
    REGIONS,
    TURN_MESSAGES,
)
from schemas.rows import Row
from schemas.wire.answers import Answer, AnsweredOff, Cursor
from schemas.wire.fields import Conversation, Words
from schemas.wire.numbers import Report
from schemas.wire.requests import OffTheRecord, RequestModel

# The regions that the memory integrator fills, in the order of a whole context: those that change least come first.
FILLED_REGIONS = (
    "core",
    "instructions",
    "snapshot",
    "conversation",
    "skills",
    "user-model",
    "summary",
    "context",
    "vault",
    "recent-nodes",
    "rag-context",
    "default",
)

PromptRole = Literal["system", "user", "assistant"]
ContextFormat = Literal["text", "anthropic", "openai"]
RegionName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,62}$")]


def _of_callers(region: str) -> str:
    if region in FILLED_REGIONS and region != "default":
        raise ValueError(f"the region {region} is filled from memory: choose another name")
    return region


OwnRegionName = Annotated[RegionName, AfterValidator(_of_callers)]
"""The name of a region that callers may write."""

ProcessName = Annotated[
    str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,62}$", description="A mental process, such as `externalDialog`.")
]


class Profile(Row):
    """The regions of a mental process in their order, and its instructions."""

    process: str
    regions: list[str]
    others: bool
    instructions: str
    keep: list[str] | None = Field(
        None,
        description="Of `skills` and `user-model`, those that every context shows; null: `turns` keeps both, `context`"
        " shows skills until the Being has answered and the user model once a session.",
    )
    updated_at: datetime | None = Field(None, description="When it was set; null for a default.")

    @property
    def is_default(self) -> bool:
        """True for a default of the product, false for a profile that a Being has of its own."""
        return self.updated_at is None

    def includes(self, region: str) -> bool:
        """Returns true if the process has this region."""
        return self.others or region in self.regions


class ProfilePage(Answer):
    """The process profiles of a Being."""

    profiles: list[Profile]
    cursor: Cursor = None


class NewProfile(RequestModel):
    """The profile of a mental process, which replaces the one before."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"regions": ["core", "instructions", "rag-context", "userNotes", "default"]}]}
    )

    regions: list[RegionName] = Field(
        min_length=1, max_length=REGIONS, description="The regions of the process, in this order."
    )
    others: bool = Field(False, description="Whether regions that are not named are included too.")
    instructions: Annotated[str, Field(max_length=PROFILE_CHARACTERS)] = Field(
        "", description="The content of the region `instructions`."
    )

    keep: list[Literal["skills", "user-model"]] | None = Field(
        None,
        description="Of `skills` and `user-model`, those that every context shows, for prompts that are assembled anew"
        " each turn. Null: `turns` keeps both, `context` neither.",
    )

    @field_validator("regions")
    @classmethod
    def _distinct(cls, value: list[str]) -> list[str]:
        if len(set(value)) < len(value):
            raise ValueError("a region is named twice")
        return value


class NewEntry(RequestModel):
    """An entry to write to working memory."""

    role: PromptRole = Field("system", description="The entry's role in the prompt; `system` needs the scope `manage`.")
    content: Annotated[Words, Field(max_length=REGION_CHARACTERS)] = Field(
        description="The text; contexts show it inside a fence."
    )


class WorkingMemoryEntry(Row):
    """An entry of a conversation's working memory; entries of the region `conversation` have the message's id."""

    entry_id: UUID
    conversation: str | None = Field(description="The conversation; null: the one without an id.")
    region: str
    role: PromptRole
    content: str
    other: bool | None = Field(
        description="Whether the speaker is neither the user nor the Being; null if it is no message."
    )
    speaker: str | None
    message_id: UUID | None
    said_at: datetime


class WorkingMemoryPage(Answer):
    """The entries of a conversation's working memory."""

    entries: list[WorkingMemoryEntry]
    cursor: Cursor = None


class Snapshot(Row):
    """Block 1-B as it was last assembled, and the ids it was made from."""

    content: str
    made_from: dict[str, Any]
    made_at: datetime


class AssemblyOptions(RequestModel):
    """Options of a context: process, budget and form."""

    process: ProcessName = "externalDialog"
    budget_tokens: int = Field(
        CONTEXT_TOKENS,
        ge=LEAST_CONTEXT_TOKENS,
        le=MOST_CONTEXT_TOKENS,
        description="The longest context, in estimated tokens.",
    )
    format: ContextFormat = Field(
        "text", description="`text` is one string; `anthropic` is messages with cache markers; `openai` is messages."
    )
    activate: bool = Field(
        True,
        description="Whether recalled nodes count as activated. With false, assembling changes nothing: the user model"
        " does not count as shown, and the context has no `context_id`, by which later messages would be recognised as"
        " echoes of it.",
    )
    off_the_record: OffTheRecord = False
    explain: bool = Field(False, description="Whether the answer has the scores of each node and fact.")
    only: Annotated[list[RegionName], Field(max_length=REGIONS)] | None = Field(
        None,
        description="The regions of this prompt, in place of those that the profile names. `instructions`, where the"
        " tags are explained, and `default`, with the message, stay where the profile has them.",
    )
    without: list[RegionName] = Field(
        [],
        max_length=REGIONS,
        description="Regions that this prompt does not have. `instructions` and `default` stay.",
    )
    order: Annotated[list[RegionName], Field(max_length=REGIONS)] | None = Field(
        None,
        description="The order of this prompt's regions. Those that it does not name come right before `default`, which"
        " is last unless it is named.",
    )
    with_regions: dict[OwnRegionName, Annotated[list[NewEntry], Field(max_length=REGION_ENTRIES)]] = Field(
        {},
        alias="with",
        max_length=REGIONS,
        description="Regions of your own for this prompt alone, by name, in place of those of the same name in working"
        " memory. Nothing of them is stored.",
    )


class ContextRequest(AssemblyOptions):
    """A request for a context."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"message": "What went wrong in the bakery?", "format": "anthropic"}]}
    )

    message: Annotated[str, Field(max_length=ITEM_BYTES)] | None = Field(
        None, description="The user's message, by which memories are recalled. It is not stored: see `turns`."
    )
    conversation: Conversation | None = Field(
        None,
        description="The chat or tab, by the id in its messages: the context shows its lines, pauses and regions."
        " Omitted: the session's, else the conversation without an id.",
    )
    session: Annotated[UUID, Field(strict=False)] | None = Field(
        None, description="The session; the conversation's open one if omitted."
    )


class Turn(AssemblyOptions):
    """New messages, and the options of the context for the answer to them."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"messages": [{"role": "user", "content": "The oven failed again."}], "format": "anthropic"}]
        }
    )

    messages: list[MessageInput] = Field(
        min_length=1,
        max_length=TURN_MESSAGES,
        description="The messages since the last turn, oldest first. The context is for the answer to the last one,"
        " in its `conversation`.",
    )


class RegionReport(Answer):
    """One region of a context."""

    region: str
    origin: str = Field(description="The source of its content.")
    entries: int
    tokens: int = Field(description="Estimated.")
    stable: bool = Field(description="Whether its bytes stay the same from turn to turn, so that a cache can serve it.")
    dropped: str | None = Field(None, description="The reason why it was left out; null if it is in the context.")


class Context(Answer):
    """An assembled prompt."""

    context_id: UUID | None = Field(
        None,
        description="Its id: put it as `context_id` into the metadata of messages that answer it. Null with"
        " `activate: false`, and off the record.",
    )
    off_the_record: AnsweredOff = False
    process: str
    conversation: str | None = Field(None, description="The conversation that it is for; null: the one without an id.")
    session_id: UUID | None = Field(None, description="The session that it is for, if there is one.")
    text: str | None = Field(None, description="The prompt as one string, for `format: text`.")
    system: list[dict[str, Any]] | None = Field(None, description="Anthropic's `system`, for `format: anthropic`.")
    messages: list[dict[str, Any]] | None = Field(None, description="Messages, for Anthropic or OpenAI.")
    tokens: int = Field(description="The length of the prompt, in estimated tokens.")
    over_budget: bool = Field(description="Whether the regions that are never dropped exceed the budget.")
    degraded: bool = Field(description="Whether words were compared because the embedder was unavailable.")
    regions: list[RegionReport] = Field(description="Every region with content, in the order of the prompt.")
    dropped: list[str] = Field(
        description="The regions that the budget left out, in the order in which they were dropped."
    )
    explanation: Report | None = Field(None, description="The scores of each node and fact, if `explain` was set.")


class TurnAnswer(Answer):
    """The receipt of the messages, and the context for the answer."""

    receipt: Receipt
    context: Context
