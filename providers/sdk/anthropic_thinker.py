"""The thinker for Anthropic's Messages API.

Requests have no sampling settings, forced tools, prefilled answer or disabled thinking, since these models refuse them.
`output_config` constrains the answer to its schema; `providers.thinking.read` validates it again. A compatible server
gets the schema in the prompt as well, and no `output_config` if it refuses it: many do not know it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar

import anthropic
from pydantic import BaseModel, Field, ValidationError

from providers import tls
from providers.answers.answer_schema import answer_schema, described
from providers.chat.message_events import MessageEvents
from providers.completion import Completion
from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from providers.lease_guard import before_request
from providers.sdk.context_limits import exceeds_context, longest_answer, room_for_answer
from providers.sdk.sdk_errors import SettingNames, sdk_errors
from providers.sdk.streamed_answer import AnswerRequest, Response, StreamedAnswer, received, streamed
from providers.statuses import may_refuse_an_option
from providers.thinking import CONNECT_SECONDS, Question, Size, max_usage
from schemas.llm.calls import Provider
from schemas.settings import Settings

if TYPE_CHECKING:
    from anthropic.types import OutputConfigParam, TextBlockParam
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R")

_URL = "https://api.anthropic.com"
_SETTINGS = SettingNames(
    key="ANTHROPIC_API_KEY",
    model="PATROL_THINKING_MODEL and PATROL_SMALL_THINKING_MODEL",
    address="ANTHROPIC_BASE_URL",
)
_ABOUT_THE_MODEL = re.compile(r"\b(?:output_config|effort)\b")
_REFUSED = frozenset({"invalid_request_error", "request_too_large"})
_NOT_ALLOWED = frozenset({"authentication_error", "permission_error", "billing_error", "not_found_error"})


@dataclass(frozen=True)
class AnthropicThinker:
    """A thinker at Anthropic or a compatible server, with provider batches; thread-safe.

    Args:
        settings: Models, effort, tokens for thinking, address and timeout.
        client: The SDK client.
        names: The settings that error messages name.
        longest_answers: The most tokens that a model writes, where it refused to write more; shared by all keys.
        unconstrained: The models that refuse `output_config`; shared likewise.
    """

    settings: Settings
    client: anthropic.Anthropic
    names: SettingNames = _SETTINGS
    longest_answers: dict[str, int] = field(default_factory=dict)
    unconstrained: set[str] = field(default_factory=set)
    provider: ClassVar[Provider] = "anthropic"

    @classmethod
    def connected(cls, settings: Settings) -> Self:
        """Make a thinker without a key; its connections are shared by all keys."""
        client = anthropic.Anthropic(
            api_key="none",
            base_url=settings.anthropic_base_url or _URL,
            timeout=anthropic.Timeout(settings.thinking_timeout, connect=CONNECT_SECONDS),
            # The ledger retries: it backs off without holding a worker.
            max_retries=0,
            http_client=anthropic.DefaultHttpxClient(verify=tls.trusted()),
        )
        return cls(settings, client)

    def with_key(self, key: str, *, called: str = _SETTINGS.key) -> Self:
        """Return a copy that uses a key.

        Args:
            key: The key.
            called: The key's name in error messages.
        """
        return replace(self, client=self.client.with_options(api_key=key), names=replace(_SETTINGS, key=called))

    def model(self, size: Size) -> str:
        """Return the name of the model that answers questions of this size."""
        return self.settings.thinking_model if size == "large" else self.settings.small_thinking_model

    def ask(self, question: Question[Any]) -> Completion:
        """Send one request; see the Thinker protocol."""
        with sdk_errors(anthropic, self.names):
            content = self._sent(
                question, lambda request: self.client.messages.with_raw_response.create(**request).read()
            )
            return received(content, MessageEvents(), self.names, self._asked(question))

    def stream(self, question: Question[Any]) -> Iterator[Completion]:
        """Send one request, and read its answer as it comes; see the Thinker protocol."""
        messages = self.client.messages.with_streaming_response
        with sdk_errors(anthropic, self.names), ExitStack() as open_response:

            def begun(request: "MessageCreateParamsNonStreaming") -> Response:
                wanted: dict[str, Any] = {**request, "stream": True}
                response: Response = open_response.enter_context(messages.create(**wanted))
                return response

            response = self._sent(question, begun)
            yield from streamed(
                response, MessageEvents(), self.names, self._asked(question), self.settings.thinking_timeout
            )

    def _asked(self, question: Question[Any]) -> AnswerRequest:
        return AnswerRequest(self.model(question.size), self.settings.prices, max_usage(question, room=0))

    def _sent(self, question: Question[Any], send: "Callable[[MessageCreateParamsNonStreaming], R]") -> R:
        """Send a request, again for a shorter answer if it was refused for its length."""
        most = self._most_answer_tokens(question)
        while True:
            before_request()
            try:
                return send(self._request(question, most))
            except anthropic.APIStatusError as refusal:
                if self._goes_on_unconstrained(question, refusal):
                    continue
                shorter = self._shorter_answer(question, most, refusal)
                if shorter is None:
                    raise
                most = shorter

    def _goes_on_unconstrained(self, question: Question[Any], refusal: anthropic.APIStatusError) -> bool:
        """Ask a compatible server without `output_config` from now on if it refuses it; returns whether it does."""
        model = self.model(question.size)
        is_one = self._is_elsewhere and model not in self.unconstrained and may_refuse_an_option(refusal.status_code)
        if is_one and _ABOUT_THE_MODEL.search(refusal.response.text):
            self.unconstrained.add(model)
            return True
        return False

    @property
    def _is_elsewhere(self) -> bool:
        return self.settings.anthropic_base_url is not None

    def _shorter_answer(self, question: Question[Any], most: int, refusal: anthropic.APIStatusError) -> int | None:
        """How long an answer may be that was refused for its length; None if it was for another reason.

        Raises:
            Misconfigured: The model does not have an option of the request.
        """
        refusal_text = refusal.response.text
        if not may_refuse_an_option(refusal.status_code):
            return None
        if (limit := longest_answer(refusal_text)) and limit < most:
            self.longest_answers[self.model(question.size)] = limit
            return limit
        if exceeds_context(refusal_text):
            return room_for_answer(refusal_text, replace(max_usage(question, room=0), output_tokens=most))
        if _ABOUT_THE_MODEL.search(refusal.message):
            raise Misconfigured(
                f"The model {self.model(question.size)} does not support structured output or an effort "
                f"setting. Check {self.names.model}, or set PATROL_THINKING_EFFORT to `auto`."
            ) from None
        return None

    def _most_answer_tokens(self, question: Question[Any]) -> int:
        most = question.most_tokens + self.settings.thinking_room
        return min(most, self.longest_answers.get(self.model(question.size), most))

    def submit(self, questions: Sequence[tuple[str, Question[Any]]]) -> str:
        """Submit a provider batch; see the BatchThinker protocol."""
        before_request()
        with sdk_errors(anthropic, self.names):
            response = self.client.messages.batches.with_raw_response.create(
                requests=[
                    {"custom_id": custom_id, "params": self._request(question, self._most_answer_tokens(question))}
                    for custom_id, question in questions
                ]
            )
        return _read(_Batch, response.read(), Transient).id

    def collect(self, batch_id: str) -> Mapping[str, Completion | ProviderError] | None:
        """Fetch a provider batch's results; see the BatchThinker protocol."""
        with self._batch_errors():
            batch = self.client.messages.batches.with_raw_response.retrieve(batch_id)
            if _read(_Batch, batch.read(), Transient).processing_status != "ended":
                return None
            # Read whole and by its path: the SDK's stream raises errors of the HTTP library when it breaks off.
            lines = self.client.get(f"/v1/messages/batches/{batch_id}/results", cast_to=str)
        # Not `splitlines`, which also splits at characters that are legal inside JSON strings.
        results = [_read(_Individual, line, Transient) for line in lines.split("\n") if line.strip()]
        return {item.custom_id: item.result.outcome() for item in results}

    def cancel(self, batch_id: str) -> None:
        """Have a provider batch end early; see the BatchThinker protocol."""
        with self._batch_errors(), suppress(anthropic.BadRequestError, anthropic.ConflictError):
            # The API refuses this for a batch that has ended; `collect` gets its results.
            self.client.messages.batches.with_raw_response.cancel(batch_id)

    @contextmanager
    def _batch_errors(self) -> Iterator[None]:
        with sdk_errors(anthropic, self.names):
            try:
                yield
            except anthropic.NotFoundError:
                raise Misconfigured(
                    "The model provider knows no such batch: it has expired, or belongs to another key."
                ) from None

    def _request(self, question: Question[Any], most_tokens: int) -> "MessageCreateParamsNonStreaming":
        """Build the request's body, with a cache breakpoint after each stable part.

        Everything before the first breakpoint is the same for all Beings, before the second for one Being.
        """
        # Anthropic's models have room for the full form.
        instructions = question.instructions_in("short" if self.settings.prompts == "short" else "full")
        if self._is_elsewhere:
            instructions = f"{instructions}\n\n{described(question.answer)}"
        output: OutputConfigParam = {
            "format": {"type": "json_schema", "schema": answer_schema(question.answer)},
        }
        if self.settings.thinking_effort != "auto":
            output["effort"] = self.settings.thinking_effort
        request: MessageCreateParamsNonStreaming = {
            "model": self.model(question.size),
            "max_tokens": most_tokens,
            "system": [_kept(part) for part in (instructions, question.about) if part],
            "messages": [{"role": "user", "content": question.material}],
        }
        if self.model(question.size) not in self.unconstrained:
            request["output_config"] = output
        return request


def _kept(text: str) -> "TextBlockParam":
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def _read(form: type[M], body: bytes | str, fault: type[BadAnswer | Transient] = BadAnswer) -> M:
    """Parse a response; on failure raise `fault`: Transient for batch metadata, which no model wrote."""
    try:
        return form.model_validate_json(body)
    except ValidationError:
        raise fault("The answer is not one of Anthropic's messages.") from None


class _Batch(BaseModel):
    id: str
    processing_status: str


class _Succeeded(BaseModel):
    type: Literal["succeeded"]
    message: dict[str, Any]

    def outcome(self) -> Completion | ProviderError:
        answer = StreamedAnswer(AnswerRequest("", prices={}))
        answer.take(self.message, MessageEvents())
        try:
            return answer.whole()
        except BadAnswer as bad:
            return bad.with_traceback(None)


class _Error(BaseModel):
    type: str
    message: str = ""


class _ErrorResponse(BaseModel):
    error: _Error


class _Errored(BaseModel):
    type: Literal["errored"]
    error: _ErrorResponse

    def outcome(self) -> ProviderError:
        kind = self.error.error.type
        if kind in _REFUSED:
            too_large = kind == "request_too_large" or exceeds_context(self.error.error.message)
            return InputRefused(f"The model provider refused a question in a batch ({kind}).", too_large=too_large)
        if kind in _NOT_ALLOWED:
            return Misconfigured(
                f"The model provider does not let this key ask a question in a batch ({kind}).", about_key=True
            )
        return Transient("The model provider failed at a question in a batch.")


class _Unasked(BaseModel):
    type: Literal["canceled", "expired"]

    def outcome(self) -> ProviderError:
        return Transient(f"A question in a batch was not asked: it is {self.type}.")


class _Individual(BaseModel):
    custom_id: str
    result: Annotated[_Succeeded | _Errored | _Unasked, Field(discriminator="type")]
