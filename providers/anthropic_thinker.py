"""Thinking by Anthropic's models.

Not asked for, because these models refuse it: sampling settings, forced tools, an answer begun for them, thinking
switched off. The form of an answer is held by `output_config`, and checked again by whoever reads it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

import anthropic
from pydantic import BaseModel, Field, ValidationError

from providers.answer_schema import answer_schema
from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from providers.json_text import only_object
from providers.permission import before_request
from providers.sdk_errors import SettingNames, sdk_errors
from providers.thinking import ModelName, Question, Said, Size, Tokens, Usage
from schemas.settings import Settings

if TYPE_CHECKING:
    from anthropic.types import OutputConfigParam, TextBlockParam
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

M = TypeVar("M", bound=BaseModel)

_URL = "https://api.anthropic.com"
_SETTINGS = SettingNames(
    key="ANTHROPIC_API_KEY",
    model="PATROL_THINKING_MODEL and PATROL_SMALL_THINKING_MODEL",
    address="ANTHROPIC_BASE_URL",
)
_ABOUT_THE_MODEL = re.compile(r"\b(?:output_config|effort)\b")
_WHOLE = frozenset({"end_turn", "stop_sequence"})
_REFUSED = frozenset({"invalid_request_error", "request_too_large"})
_NOT_ALLOWED = frozenset({"authentication_error", "permission_error", "billing_error", "not_found_error"})
_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})


@dataclass(frozen=True)
class AnthropicThinker:
    """A thinker at Anthropic, or a server that speaks like it, also in batches; threads may share it.

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
            try:
                response = self.client.messages.with_raw_response.create(**self._request(question))
            except anthropic.BadRequestError as refusal:
                if _ABOUT_THE_MODEL.search(refusal.message):
                    raise Misconfigured(
                        f"The model {self.model(question.size)} can't be held to a form, or told how much to think. "
                        f"Look at {self.names.model}, or set PATROL_THINKING_EFFORT to `auto`."
                    ) from None
                raise
        return _read(_Message, response.read()).said()

    def submit(self, questions: Sequence[tuple[str, Question[Any]]]) -> str:
        """Hand in questions for later; the BatchThinker protocol says how."""
        before_request()
        with sdk_errors(anthropic, self.names):
            response = self.client.messages.batches.with_raw_response.create(
                requests=[
                    {"custom_id": custom_id, "params": self._request(question)} for custom_id, question in questions
                ]
            )
        return _read(_Batch, response.read(), Transient).id

    def collect(self, batch_id: str) -> Mapping[str, Said | ProviderError] | None:
        """Fetch what came of a batch; the BatchThinker protocol says how."""
        with sdk_errors(anthropic, self.names):
            try:
                batch = self.client.messages.batches.with_raw_response.retrieve(batch_id)
                if _read(_Batch, batch.read(), Transient).processing_status != "ended":
                    return None
                # Read whole, by our own address: the SDK's stream can break off with errors that are not its own.
                lines = self.client.get(f"/v1/messages/batches/{batch_id}/results", cast_to=str)
            except anthropic.NotFoundError:
                raise Misconfigured(
                    "The model provider knows no such batch: it is too old, or another key's."
                ) from None
        # Not `splitlines`, which also cuts at characters that may stand inside of JSON.
        results = [_read(_Individual, line, Transient) for line in lines.split("\n") if line.strip()]
        return {item.custom_id: item.result.outcome() for item in results}

    def _request(self, question: Question[Any]) -> "MessageCreateParamsNonStreaming":
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


def _kept(text: str) -> "TextBlockParam":
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def _read(form: type[M], body: bytes | str, fault: type[BadAnswer | Transient] = BadAnswer) -> M:
    """Read what came, or raise the fault: what no model said, such as news of a batch, is no bad answer of one."""
    try:
        return form.model_validate_json(body)
    except ValidationError:
        raise fault("The answer is not one of Anthropic's messages.") from None


class _Block(BaseModel):
    type: str
    text: str = ""


class _Usage(BaseModel):
    input_tokens: Tokens
    output_tokens: Tokens
    cache_read_input_tokens: Tokens | None = None
    cache_creation_input_tokens: Tokens | None = None

    def counted(self) -> Usage:
        return Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cache_read_tokens=self.cache_read_input_tokens or 0,
            cache_write_tokens=self.cache_creation_input_tokens or 0,
        )


class _Message(BaseModel):
    model: ModelName
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage

    def said(self) -> Said:
        """What was said, without the thoughts before it; BadAnswer if it declined, broke off, or said no object."""
        # NUL, which no text of a database may hold, is made visible.
        text = "".join(block.text for block in self.content if block.type == "text").replace("\0", "\ufffd")
        said = Said(text, self.model, self.usage.counted())
        if self.stop_reason == "refusal":
            raise BadAnswer("The model declined to answer.", said=said, why="refusal")
        if self.stop_reason in _CUT:
            raise BadAnswer("The answer broke off at its longest length.", said=said, why="truncation")
        if self.stop_reason not in _WHOLE or (found := only_object(text)) is None:
            raise BadAnswer("The answer is not one JSON object.", said=said)
        return replace(said, text=found)


class _Batch(BaseModel):
    id: str
    processing_status: str


class _Succeeded(BaseModel):
    type: Literal["succeeded"]
    message: _Message

    def outcome(self) -> Said | ProviderError:
        try:
            return self.message.said()
        except BadAnswer as bad:
            return bad.with_traceback(None)


class _Error(BaseModel):
    type: str


class _ErrorResponse(BaseModel):
    error: _Error


class _Errored(BaseModel):
    type: Literal["errored"]
    error: _ErrorResponse

    def outcome(self) -> ProviderError:
        kind = self.error.error.type
        if kind in _REFUSED:
            return InputRefused(f"The model provider refused a question in a batch ({kind}).")
        if kind in _NOT_ALLOWED:
            return Misconfigured(f"The model provider does not let this key ask a question in a batch ({kind}).")
        return Transient("The model provider failed at a question in a batch.")


class _Unasked(BaseModel):
    type: Literal["canceled", "expired"]

    def outcome(self) -> ProviderError:
        return Transient(f"A question in a batch was not asked: it is {self.type}.")


class _Individual(BaseModel):
    custom_id: str
    result: Annotated[_Succeeded | _Errored | _Unasked, Field(discriminator="type")]
