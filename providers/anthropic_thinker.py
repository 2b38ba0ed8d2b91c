"""Thinking by Anthropic's models.

Not asked for, because these models refuse it: sampling settings, forced tools, an answer begun for them, thinking
switched off. The form of an answer is held by `output_config`, and checked again by whoever reads it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import anthropic
from pydantic import BaseModel, ValidationError

from providers.answer_schema import answer_schema
from providers.errors import BadAnswer
from providers.json_text import only_object
from providers.permission import before_request
from providers.sdk_errors import SettingNames, sdk_errors
from providers.thinking import Question, Said, Size, Usage
from schemas.settings import Settings

if TYPE_CHECKING:
    from anthropic.types import OutputConfigParam, TextBlockParam
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

_URL = "https://api.anthropic.com"
_SETTINGS = SettingNames(
    key="ANTHROPIC_API_KEY",
    model="PATROL_THINKING_MODEL and PATROL_SMALL_THINKING_MODEL",
    address="ANTHROPIC_BASE_URL",
)
_WHOLE = frozenset({"end_turn", "stop_sequence"})
_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})


@dataclass(frozen=True)
class AnthropicThinker:
    """A thinker at Anthropic, or a server that speaks like it; threads may share it.

    Args:
        settings: Models, effort, room to think, address and timeout.
        client: What the requests go through.
        names: What errors tell to look at.
    """

    settings: Settings
    client: anthropic.Anthropic
    names: SettingNames = _SETTINGS
    provider = "anthropic"

    @classmethod
    def connected(cls, settings: Settings) -> Self:
        """Make the connections that all keys share; behind no key yet."""
        client = anthropic.Anthropic(
            api_key="none",
            base_url=settings.anthropic_base_url or _URL,
            timeout=settings.thinking_timeout,
            # Retrying is the ledger's business: it waits without holding a worker.
            max_retries=0,
        )
        return cls(settings, client)

    def with_key(self, key: str, *, called: str = _SETTINGS.key) -> Self:
        """Return the same behind a key.

        Args:
            key: The key.
            called: What errors call it.
        """
        return replace(self, client=self.client.with_options(api_key=key), names=replace(_SETTINGS, key=called))

    def model(self, size: Size) -> str:
        """Return the name of the model that answers questions of this size."""
        return self.settings.thinking_model if size == "large" else self.settings.small_thinking_model

    def ask(self, question: Question[Any]) -> Said:
        """Ask once; the Thinker protocol says how."""
        before_request()
        with sdk_errors(anthropic, self.names):
            response = self.client.messages.with_raw_response.create(**self.request(question))
        return said_in(response.read())

    def request(self, question: Question[Any]) -> "MessageCreateParamsNonStreaming":
        """Write a question as Anthropic's messages: two marks for its cache, one where each stable part ends.

        Everything up to the first mark is the same for everybody, up to the second for one Being.
        """
        output: OutputConfigParam = {
            "format": {"type": "json_schema", "schema": answer_schema(question.answer)},
        }
        if self.settings.thinking_effort != "auto":
            output["effort"] = self.settings.thinking_effort
        return {
            "model": self.model(question.size),
            "max_tokens": question.most_tokens + self.settings.thinking_room,
            "system": [_kept(part) for part in (question.instructions, question.about) if part],
            "messages": [{"role": "user", "content": question.material}],
            "output_config": output,
        }


def said_in(message: bytes | str) -> Said:
    """Read what a model said, from the body of an answer.

    Raises:
        BadAnswer: It declined, broke off, or said no JSON object; or this is no answer.
    """
    try:
        answer = _Message.model_validate_json(message)
    except ValidationError:
        raise BadAnswer("The answer is not one of Anthropic's messages.") from None
    said = Said(answer.text, answer.model, answer.usage.counted())
    if answer.stop_reason == "refusal":
        raise BadAnswer("The model declined to answer.", said=said, why="refusal")
    if answer.stop_reason in _CUT:
        raise BadAnswer("The answer broke off at its longest length.", said=said, why="truncation")
    if answer.stop_reason not in _WHOLE or (found := only_object(said.text)) is None:
        raise BadAnswer("The answer is not one JSON object.", said=said)
    return replace(said, text=found)


def _kept(text: str) -> "TextBlockParam":
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


class _Block(BaseModel):
    type: str
    text: str = ""


class _Usage(BaseModel):
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None

    def counted(self) -> Usage:
        return Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cache_read_tokens=self.cache_read_input_tokens or 0,
            cache_write_tokens=self.cache_creation_input_tokens or 0,
        )


class _Message(BaseModel):
    model: str
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage

    @property
    def text(self) -> str:
        """What was said, without the thoughts before it; NUL, which no text of a database may hold, made visible."""
        return "".join(block.text for block in self.content if block.type == "text").replace("\0", "\ufffd")
