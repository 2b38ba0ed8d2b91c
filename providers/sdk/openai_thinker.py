"""The thinker for OpenAI's chat completions and compatible servers: vLLM, Ollama, llama.cpp and others.

Servers differ in how far they constrain an answer. The strictest response format is tried first, and one that the
server refuses is not tried with that model again: a JSON schema, then any JSON object, then plain text. A server other
than OpenAI's own gets the schema in the prompt as well, since most constrain the model without showing it the field
descriptions.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, TypeVar

import openai

from providers import tls
from providers.answers.answer_schema import answer_schema, described
from providers.chat.completion_events import CompletionEvents
from providers.completion import Completion
from providers.errors import Misconfigured
from providers.lease_guard import before_request
from providers.sdk.context_limits import exceeds_context, longest_answer, room_for_answer
from providers.sdk.model_context import context_tokens
from providers.sdk.sdk_errors import SettingNames, sdk_errors
from providers.sdk.streamed_answer import AnswerRequest, received, refused_answer, streamed
from providers.statuses import may_refuse_an_option
from providers.thinking import CONNECT_SECONDS, PromptForm, Question, Size, max_usage
from schemas.llm.calls import Provider
from schemas.settings import Settings

R = TypeVar("R")
Form = Literal["json_schema", "json_object", "text"]
Limit = Literal["max_completion_tokens", "max_tokens"]
# With less context, the full form of a prompt leaves too little for the material and the answer.
SHORT_BELOW_TOKENS = 16_384
# The server's list of models is no reason to wait.
LISTING_SECONDS = 5.0
_NO_LISTING = frozenset({404, 405, 501})

_URL = "https://api.openai.com/v1"
_SETTINGS = SettingNames(
    key="OPENAI_API_KEY",
    model="PATROL_OPENAI_THINKING_MODEL and PATROL_OPENAI_SMALL_THINKING_MODEL",
    address="OPENAI_BASE_URL",
)
_ABOUT_THE_FORM = re.compile(
    r"response_?format|(?:json|response)[_ ]?schema|schema conversion|json_object|structured output|guided|grammar",
    re.IGNORECASE,
)
_ABOUT_THE_LIMIT = re.compile(r"max_completion_tokens|max_tokens", re.IGNORECASE)
_ABOUT_THE_STREAM = re.compile(r"\bstream|\u6d41\u5f0f", re.IGNORECASE)
# Chat templates and models without instructions of their own say it so.
_ABOUT_THE_SYSTEM = re.compile(
    r"system (?:role|message|prompt|instruction)|developer instruction|messages\[0\]\.role|roles must alternate"
    r"|support '?(?:system|developer)\b",
    re.IGNORECASE,
)
_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True, slots=True)
class _Abilities:
    """The request options that a server may support for one model, best first, without those it refused."""

    forms: tuple[Form, ...] = ("json_schema", "json_object", "text")
    limits: tuple[Limit, ...] = ("max_completion_tokens", "max_tokens")
    streams: bool = True
    """Whether an answer can be read while it is written."""
    only_streams: bool = False
    """Whether an answer can be had in no other way."""
    system: bool = True
    """Whether instructions have a message of their own."""
    longest_answer: int | None = None
    """The most tokens that the model writes, where that is less than a question allows."""
    answer_tokens: int | None = None
    """The room that the model's context leaves for the answer to this question, where that is less than it may have."""

    def without(self, refused: str, *, streaming: bool) -> "_Abilities | None":
        """Drop the option that a refusal names; None if no alternative is left.

        Args:
            refused: The words of the refusal.
            streaming: Whether a stream was asked for. Where none was, words about one demand it.
        """
        if _ABOUT_THE_FORM.search(refused) and self.forms[1:]:
            return replace(self, forms=self.forms[1:])
        if _ABOUT_THE_LIMIT.search(refused) and self.limits[1:]:
            return replace(self, limits=self.limits[1:])
        if _ABOUT_THE_STREAM.search(refused) and self.streams and not self.only_streams:
            return replace(self, streams=False) if streaming else replace(self, only_streams=True)
        if _ABOUT_THE_SYSTEM.search(refused) and self.system:
            return replace(self, system=False)
        return None


@dataclass(frozen=True)
class OpenAIThinker:
    """A thinker at OpenAI or a compatible server; thread-safe.

    Args:
        settings: Models, tokens for thinking, address and timeout.
        client: The SDK client.
        models: The large model and the small one.
        names: The settings that error messages name.
        abilities: The options that worked, by model; shared by all keys.
        forms: The form of instructions that suits each model's context, where the server was asked; shared likewise.
    """

    settings: Settings
    client: openai.OpenAI
    models: Mapping[Size, str]
    names: SettingNames = _SETTINGS
    abilities: dict[str, _Abilities] = field(default_factory=dict)
    forms: dict[str, PromptForm] = field(default_factory=dict)
    provider: ClassVar[Provider] = "openai"

    @classmethod
    def connected(cls, settings: Settings) -> Self:
        """Make a thinker without a key; its connections are shared by all keys.

        Raises:
            Misconfigured: No model is configured.
        """
        large = settings.openai_thinking_model
        if large is None:
            raise Misconfigured("No OpenAI model is configured: set PATROL_OPENAI_THINKING_MODEL.")
        client = openai.OpenAI(
            api_key="none",
            base_url=settings.openai_base_url or _URL,
            timeout=openai.Timeout(settings.thinking_timeout, connect=CONNECT_SECONDS),
            # The ledger retries: it backs off without holding a worker.
            max_retries=0,
            http_client=openai.DefaultHttpxClient(verify=tls.trusted()),
        )
        return cls(settings, client, {"large": large, "small": settings.openai_small_thinking_model or large})

    def with_key(self, key: str, *, called: str = _SETTINGS.key) -> Self:
        """Return a copy that uses a key.

        Args:
            key: The key; requests with a user's key omit the platform's organization and project.
            called: The key's name in error messages.
        """
        client = self.client.with_options(api_key=key)
        if called != _SETTINGS.key:
            client.organization = client.project = None
        return replace(self, client=client, names=replace(_SETTINGS, key=called))

    def model(self, size: Size) -> str:
        """Return the name of the model that answers questions of this size."""
        return self.models[size]

    def ask(self, question: Question[Any]) -> Completion:
        """Send one request, repeated with fewer options as long as the server refuses one; see the Thinker protocol."""
        completions = self.client.chat.completions.with_raw_response
        with sdk_errors(openai, self.names):
            content = self._sent(
                question, lambda request, able: None if able.only_streams else completions.create(**request).content
            )
            if isinstance(content, bytes):
                return received(content, CompletionEvents(), self.names, self._asked(question))
        return deque(self.stream(question), maxlen=1).pop()

    def stream(self, question: Question[Any]) -> Iterator[Completion]:
        """Send one request, and read its answer as it comes; see the Thinker protocol."""
        completions = self.client.chat.completions.with_streaming_response
        wanted: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
        with sdk_errors(openai, self.names), ExitStack() as open_response:
            response = self._sent(
                question,
                lambda request, able: open_response.enter_context(
                    completions.create(**(request | wanted if able.streams else request))
                ),
                streaming=True,
            )
            if isinstance(response, bytes):
                yield received(response, CompletionEvents(), self.names, self._asked(question))
                return
            yield from streamed(
                response, CompletionEvents(), self.names, self._asked(question), self.settings.thinking_timeout
            )

    def _asked(self, question: Question[Any]) -> AnswerRequest:
        return AnswerRequest(self.model(question.size), self.settings.prices, max_usage(question, room=0))

    def _sent(
        self, question: Question[Any], send: Callable[[dict[str, Any], _Abilities], R], *, streaming: bool = False
    ) -> R | bytes:
        """Send a request, repeated with fewer options as long as the server refuses one.

        Returns:
            The result of `send`; or the body of an error that holds the answer.
        """
        model = self.model(question.size)
        able = self.abilities.get(model) or self._first_try()
        while True:
            before_request()
            try:
                response = send(self._request(question, able), able)
            except openai.APIStatusError as refusal:
                if refused_answer(refusal.body) is not None:
                    return refusal.response.content
                weaker = self._weaker(question, able, refusal, streaming=streaming)
                if weaker is None:
                    raise
                able = weaker
            else:
                # Only options that worked are stored: a refusal may have had another cause.
                self.abilities[model] = replace(able, answer_tokens=None)
                return response

    def _weaker(
        self, question: Question[Any], able: _Abilities, refusal: openai.APIStatusError, *, streaming: bool
    ) -> _Abilities | None:
        """The options without the one that a server refuses; None if its error names none, or none is left."""
        refusal_text = refusal.response.text
        if not may_refuse_an_option(refusal.status_code):
            return None
        usage = max_usage(question, self.settings.thinking_room)
        allowed = self._most_answer_tokens(question, able)
        if (limit := longest_answer(refusal_text)) and limit < allowed:
            return replace(able, longest_answer=limit)
        if exceeds_context(refusal_text):
            # The answer's limit counts as well: less is left for it than it may have.
            left = room_for_answer(refusal_text, replace(usage, output_tokens=allowed))
            return replace(able, answer_tokens=left) if left else None
        return able.without(refusal_text, streaming=streaming)

    def _most_answer_tokens(self, question: Question[Any], able: _Abilities) -> int:
        limits = [question.most_tokens + self.settings.thinking_room, able.longest_answer, able.answer_tokens]
        return min(limit for limit in limits if limit is not None)

    def _first_try(self) -> _Abilities:
        """The options tried first: compatible servers know the older token limit, and may ignore the newer one."""
        return _Abilities(limits=("max_tokens", "max_completion_tokens")) if self._is_elsewhere else _Abilities()

    @property
    def _is_elsewhere(self) -> bool:
        return self.settings.openai_base_url is not None

    def _prompt_form(self, question: Question[Any], model: str) -> PromptForm:
        """The form of the instructions to a model; `auto` asks another server than OpenAI's once for its models."""
        if self.settings.prompts != "auto":
            return self.settings.prompts
        if not question.short:
            return "full"
        if model not in self.forms and self._is_elsewhere:
            before_request()
            try:
                listing = self.client.models.with_raw_response.list(timeout=LISTING_SECONDS).content
            except openai.OpenAIError as error:
                if getattr(error, "status_code", None) not in _NO_LISTING:
                    # Asked again with the next question: the server is busy or away, or knows no such key.
                    return "full"
                listing = b""
            context = context_tokens(listing, model)
            self.forms[model] = "short" if context and context < SHORT_BELOW_TOKENS else "full"
        return self.forms.get(model, "full")

    def _request(self, question: Question[Any], able: _Abilities) -> dict[str, Any]:
        form = able.forms[0]
        in_words = [described(question.answer)] if self._is_elsewhere or form != "json_schema" else []
        model = self.model(question.size)
        instructions = question.instructions_in(self._prompt_form(question, model))
        system = "\n\n".join(part for part in (instructions, *in_words, question.about) if part)
        # One system message: some chat templates allow no second one.
        parts = [("system", system), ("user", question.material)]
        if not able.system:
            parts = [("user", f"{system}\n\n{question.material}")]
        request = {
            "model": model,
            "messages": [{"role": role, "content": content} for role, content in parts],
            able.limits[0]: self._most_answer_tokens(question, able),
        }
        match form:
            case "json_schema":
                name = _NOT_IN_A_NAME.sub("_", question.answer.__name__)[:64]
                named = {"name": name, "strict": True, "schema": answer_schema(question.answer)}
                return {**request, "response_format": {"type": form, "json_schema": named}}
            case "json_object":
                return {**request, "response_format": {"type": form}}
            case "text":
                return request
