"""Contexts: what is asked of them and what they answer; profiles of mental processes; entries of working memory."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field, field_validator

from schemas.answers import Answer
from schemas.limits import (
    CONTEXT_TOKENS,
    ITEM_BYTES,
    LEAST_CONTEXT_TOKENS,
    MOST_CONTEXT_TOKENS,
    PROFILE_CHARACTERS,
    REGION_CHARACTERS,
    REGIONS,
    TURN_MESSAGES,
)
from schemas.receipts import Receipt
from schemas.requests import Question
from schemas.rows import Row
from schemas.wire import MessageInput, Words

# What the memory integrator fills, in the order in which a whole context is read: what changes least comes first.
FILLED_REGIONS = (
    "core",
    "instructions",
    "snapshot",
    "conversation",
    "skills",
    "user-model",
    "summary",
    "context",
    "recent-nodes",
    "rag-context",
    "default",
)

PromptRole = Literal["system", "user", "assistant"]
ContextFormat = Literal["text", "anthropic", "openai"]
RegionName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,62}$")]
ProcessName = Annotated[
    str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,62}$", description="A mental process, such as `externalDialog`.")
]


class Profile(Row):
    """Which regions a mental process sees, and in what order."""

    process: str
    regions: list[str]
    others: bool
    instructions: str
    updated_at: datetime | None = Field(None, description="When it was set; null for a default.")


class NewProfile(Question):
    """A profile to use for a mental process in place of the one before."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"regions": ["core", "instructions", "rag-context", "userNotes", "default"]}]}
    )

    regions: list[RegionName] = Field(
        min_length=1, max_length=REGIONS, description="The regions it sees, in this order."
    )
    others: bool = Field(False, description="Whether regions that are not named come after them, or are left away.")
    instructions: Annotated[str, Field(max_length=PROFILE_CHARACTERS)] = Field(
        "", description="What the process is told to do: the region `instructions`."
    )

    @field_validator("regions")
    @classmethod
    def _distinct(cls, value: list[str]) -> list[str]:
        if len(set(value)) < len(value):
            raise ValueError("a region is named twice")
        return value


class NewEntry(Question):
    """Something to have in mind."""

    role: PromptRole = Field("system", description="Who says it in the prompt.")
    content: Annotated[Words, Field(max_length=REGION_CHARACTERS)] = Field(
        description="What is said; contexts show it inside a fence."
    )


class MindEntry(Row):
    """An entry of a Being's working memory; one that is a message has its id."""

    entry_id: UUID
    region: str
    role: PromptRole
    content: str
    other: bool | None = Field(description="Whether somebody else in the room says it; null where it is no message.")
    speaker: str | None
    message_id: UUID | None
    said_at: datetime


class Snapshot(Row):
    """Block 1-B as it was last assembled: a message to the Being, and what it was made from."""

    content: str
    made_from: dict[str, Any]
    made_at: datetime


class HowToAssemble(Question):
    """How a context is to be assembled."""

    process: ProcessName = "externalDialog"
    budget_tokens: int = Field(
        CONTEXT_TOKENS,
        ge=LEAST_CONTEXT_TOKENS,
        le=MOST_CONTEXT_TOKENS,
        description="How long the context may be, in estimated tokens.",
    )
    format: ContextFormat = Field(
        "text", description="One string, messages for Anthropic with cache markers, or messages for OpenAI."
    )
    activate: bool = Field(True, description="Whether being recalled keeps memories alive.")
    explain: bool = Field(False, description="Whether to say why each memory and fact was found.")


class ContextQuestion(HowToAssemble):
    """What a context is wanted for."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"message": "What went wrong in the bakery?", "format": "anthropic"}]}
    )

    message: Annotated[str, Field(max_length=ITEM_BYTES)] | None = Field(
        None, description="What the user says now; memories are recalled by it. It is not taken in: see `turns`."
    )
    session: Annotated[UUID, Field(strict=False)] | None = Field(
        None, description="The conversation; the open one, if there is any, where it is left away."
    )


class Turn(HowToAssemble):
    """What was said, and how the context for the answer to it is to be assembled."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"messages": [{"role": "user", "content": "The oven failed again."}], "format": "anthropic"}]
        }
    )

    messages: list[MessageInput] = Field(
        min_length=1,
        max_length=TURN_MESSAGES,
        description="What was said since the turn before, oldest first; the context is for an answer to the last.",
    )


class RegionReport(Answer):
    """What became of one region."""

    region: str
    origin: str = Field(description="Where it came from.")
    entries: int
    tokens: int = Field(description="Estimated.")
    stable: bool = Field(description="Whether it is the same from turn to turn, and so worth caching.")
    dropped: str | None = Field(None, description="Why it is not in the context; null where it is.")


class Context(Answer):
    """A prompt, ready to be sent."""

    context_id: UUID = Field(description="Its receipt: put it into the metadata of messages that stem from it.")
    process: str
    session_id: UUID | None = Field(None, description="The conversation that it is for, where there is one.")
    text: str | None = Field(None, description="The whole as one string, for `format: text`.")
    system: list[dict[str, Any]] | None = Field(None, description="Anthropic's `system`, for `format: anthropic`.")
    messages: list[dict[str, Any]] | None = Field(None, description="Messages, for Anthropic or OpenAI.")
    tokens: int = Field(description="How long the whole is, estimated.")
    over_budget: bool = Field(description="Whether what is never dropped is longer than the budget by itself.")
    degraded: bool = Field(description="Whether the embedder was out of reach, and words had to do.")
    regions: list[RegionReport] = Field(description="Every region that had something, in the order of the prompt.")
    dropped: list[str] = Field(description="The regions that the budget had no room for, in the order they went.")
    explanation: dict[str, Any] | None = Field(None, description="Why each memory was found, where that was asked.")


class TurnAnswer(Answer):
    """What became of the messages, and the context for its answer."""

    receipt: Receipt
    context: Context
