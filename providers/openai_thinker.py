"""Thinking by OpenAI or a server that speaks like it: vLLM, Ollama, llama.cpp, and many more.

They differ in how far they can hold a model to a form, so the strictest is tried first, and what a server refuses is
not asked of that model again: a JSON schema, then any JSON object, then nothing but words. A server other than
OpenAI's own is told the schema in the prompt as well, because most constrain the model without telling it what the
fields mean.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Self

import openai
from pydantic import BaseModel, Field, ValidationError

from providers.answer_schema import answer_schema
from providers.errors import BadAnswer, Misconfigured
from providers.json_text import only_object
from providers.permission import before_request
from providers.sdk_errors import SettingNames, sdk_errors
from providers.thinking import ModelName, Question, Said, Size, Tokens, Usage, most_usage
from providers.tokens import estimated_tokens
from schemas.settings import Settings

Form = Literal["json_schema", "json_object", "text"]
Limit = Literal["max_completion_tokens", "max_tokens"]

_URL = "https://api.openai.com/v1"
_SETTINGS = SettingNames(
    key="OPENAI_API_KEY",
    model="PATROL_OPENAI_THINKING_MODEL and PATROL_OPENAI_SMALL_THINKING_MODEL",
    address="OPENAI_BASE_URL",
)
_ABOUT_THE_FORM = re.compile(r"response_format|json_schema|json_object|structured output|guided|grammar", re.IGNORECASE)
_ABOUT_THE_LIMIT = re.compile(r"max_completion_tokens|max_tokens", re.IGNORECASE)
_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True, slots=True)
class _Abilities:
    """What a server may understand when asked for one model: the best guess first, what it refused is gone."""

    forms: tuple[Form, ...] = ("json_schema", "json_object", "text")
    limits: tuple[Limit, ...] = ("max_completion_tokens", "max_tokens")

    def without(self, refused: str) -> "_Abilities | None":
        """Return what is left after a refusal, by the words of it; None if there is nothing else to try."""
        if _ABOUT_THE_FORM.search(refused) and self.forms[1:]:
            return replace(self, forms=self.forms[1:])
        if _ABOUT_THE_LIMIT.search(refused) and self.limits[1:]:
            return replace(self, limits=self.limits[1:])
        return None


@dataclass(frozen=True)
class OpenAIThinker:
    """A thinker behind the chat completions of OpenAI's API; threads may share it.

    Args:
        settings: Models, room to think, address and timeout.
        client: What the requests go through.
        models: The large model and the small one.
        names: What errors tell to look at.
        abilities: What the server understood, by model; shared by all keys.
    """

    settings: Settings
    client: openai.OpenAI
    models: Mapping[Size, str]
    names: SettingNames = _SETTINGS
    abilities: dict[str, _Abilities] = field(default_factory=dict)
    provider = "openai"

    @classmethod
    def connected(cls, settings: Settings) -> Self:
        """Make the connections that all keys share; behind no key yet.

        Raises:
            Misconfigured: The model has no name.
        """
        large = settings.openai_thinking_model
        if large is None:
            raise Misconfigured("No model thinks at OpenAI or a server like it: set PATROL_OPENAI_THINKING_MODEL.")
        client = openai.OpenAI(
            api_key="none",
            base_url=settings.openai_base_url or _URL,
            timeout=settings.thinking_timeout,
            # Retrying is the ledger's business: it waits without holding a worker.
            max_retries=0,
        )
        return cls(settings, client, {"large": large, "small": settings.openai_small_thinking_model or large})

    def with_key(self, key: str, *, called: str = _SETTINGS.key) -> Self:
        """Return the same behind a key.

        Args:
            key: The key; for a brought one, the platform's organization and project are not named.
            called: What errors call it.
        """
        client = self.client.with_options(api_key=key)
        if called != _SETTINGS.key:
            client.organization = client.project = None
        return replace(self, client=client, names=replace(_SETTINGS, key=called))

    def model(self, size: Size) -> str:
        """Return the name of the model that answers questions of this size."""
        return self.models[size]

    def ask(self, question: Question[Any]) -> Said:
        """Ask once, or as often as the server refuses a form; the Thinker protocol says how."""
        model = self.model(question.size)
        able = self.abilities.get(model) or self._best_guess()
        with sdk_errors(openai, self.names):
            while True:
                before_request()
                try:
                    response = self.client.chat.completions.with_raw_response.create(**self._request(question, able))
                except (openai.BadRequestError, openai.UnprocessableEntityError) as refusal:
                    weaker = able.without(f"{refusal.body}")
                    if weaker is None:
                        raise
                    able = weaker
                else:
                    # What is known is what worked: a refusal may have had another reason.
                    self.abilities[model] = able
                    return _said_in(response.content, question)

    def _best_guess(self) -> _Abilities:
        """What to try first: servers like OpenAI's know the older limit, and may ignore the newer."""
        return _Abilities(limits=("max_tokens", "max_completion_tokens")) if self._is_elsewhere else _Abilities()

    @property
    def _is_elsewhere(self) -> bool:
        return self.settings.openai_base_url is not None

    def _request(self, question: Question[Any], able: _Abilities) -> dict[str, Any]:
        schema = answer_schema(question.answer)
        form = able.forms[0]
        told = [_told(schema)] if self._is_elsewhere or form != "json_schema" else []
        system = "\n\n".join(part for part in (question.instructions, *told, question.about) if part)
        request = {
            "model": self.model(question.size),
            # One system message: some models' templates have no place for a second.
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": question.material}],
            able.limits[0]: question.most_tokens + self.settings.thinking_room,
        }
        match form:
            case "json_schema":
                name = _NOT_IN_A_NAME.sub("_", question.answer.__name__)[:64]
                wanted = {"name": name, "strict": True, "schema": schema}
                return {**request, "response_format": {"type": form, "json_schema": wanted}}
            case "json_object":
                return {**request, "response_format": {"type": form}}
            case "text":
                return request


def _told(schema: Mapping[str, Any]) -> str:
    return (
        "Answer with one JSON object and nothing else. It follows this JSON schema:\n"
        f"{json.dumps(schema, ensure_ascii=False)}"
    )


def _said_in(content: bytes, question: Question[Any]) -> Said:
    try:
        completion = _Completion.model_validate_json(content)
    except ValidationError:
        raise BadAnswer("The answer is not one of OpenAI's chat completions.") from None
    choice = completion.choices[0]
    # NUL, which no text of a database may hold, is made visible.
    text = (choice.message.content or choice.message.refusal or "").replace("\0", "\ufffd")
    said = Said(text, completion.model, completion.usage.counted() if completion.usage else _guessed(question, text))
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise BadAnswer("The model declined to answer.", said=said, why="refusal")
    if choice.finish_reason == "length":
        raise BadAnswer("The answer broke off at its longest length.", said=said, why="truncation")
    if (found := only_object(said.text)) is None:
        raise BadAnswer("The answer is not one JSON object.", said=said)
    return replace(said, text=found)


def _guessed(question: Question[Any], text: str) -> Usage:
    """What a server that does not count has probably used."""
    return replace(most_usage(question, room=0), output_tokens=estimated_tokens(text))


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _PromptDetails(BaseModel):
    cached_tokens: Tokens | None = None
    cache_write_tokens: Tokens | None = None


class _Usage(BaseModel):
    prompt_tokens: Tokens
    completion_tokens: Tokens = 0
    prompt_tokens_details: _PromptDetails | None = None

    def counted(self) -> Usage:
        """Count each token once: OpenAI's `prompt_tokens` include those of the cache."""
        details = self.prompt_tokens_details or _PromptDetails()
        read, written = details.cached_tokens or 0, details.cache_write_tokens or 0
        return Usage(
            input_tokens=max(0, self.prompt_tokens - read - written),
            output_tokens=self.completion_tokens,
            cache_read_tokens=read,
            cache_write_tokens=written,
        )


class _Completion(BaseModel):
    model: ModelName
    choices: Annotated[list[_Choice], Field(min_length=1)]
    usage: _Usage | None = None
