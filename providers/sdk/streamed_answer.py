"""Reads an answer from a response of either SDK: while a model writes it, or when it has come as one.

The bytes are read, not the SDKs' objects: a server may send a stream, or one document, and neither quite in the form
of its wire. The answer stands in the model's text. Some servers put an answer that follows a schema elsewhere: into the
call of a tool, or into the reasoning, which then is JSON and nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Protocol

import httpx2
from pydantic_core import to_json

from providers.answers.json_text import answer_text, only_object
from providers.chat.answer_so_far import AnswerEvents, AnswerSoFar
from providers.chat.event_stream import DONE, JsonEvents
from providers.completion import Completion, Usage
from providers.errors import TRUNCATED, BadAnswer, Transient
from providers.prices import priced_name
from providers.sdk.sdk_errors import SettingNames, error_in
from schemas.llm.prices import Prices
from schemas.text.storable import storable

# As of ASCII in `estimated_tokens`.
_BYTES_PER_TOKEN = 3
_BROKE_OFF = "The model provider broke off before it wrote anything."
# OpenAI's words and Anthropic's, and those of servers that speak alike: Zhipu's, Google's, DeepSeek's.
_DECLINED = frozenset({"refusal", "content_filter", "sensitive", "safety", "prohibited_content", "recitation"})
_CUT = frozenset(
    {"length", "max_tokens", "incomplete", "model_length", "model_context_window_exceeded"}
    | {"insufficient_system_resource", "network_error"}
)
# Of a model's name no more is stored.
_MOST_NAME = 200


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """The model and the prices against which an answer is read.

    Attributes:
        model: The model that was asked; it is named where the one that the server reports has no price.
        prices: The prices of models.
        most: The most that the call may use, for a server that reports nothing; None: such an answer is none.
    """

    model: str
    prices: Prices
    most: Usage | None = None


class Response(Protocol):
    """A response of one of the SDKs."""

    def iter_bytes(self) -> Iterator[bytes]:
        """Yield its body as it comes."""


@dataclass
class StreamedAnswer:
    """An answer that is being written.

    Attributes:
        wanted: The request.
        so_far: The part of the answer that was written.
        reason: Why it ended, in the word of its wire; None: it has not, or it broke off.
        refused: Whether the model declined.
        broke_off: Whether it ended without saying so.
    """

    wanted: AnswerRequest
    so_far: AnswerSoFar = field(default_factory=AnswerSoFar)
    reason: str | None = None
    refused: bool = False
    broke_off: bool = False
    _is_any: bool = False
    _given: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The answer so far, as Postgres can hold it."""
        words, given = self.so_far.text, "".join(self._given)
        if not words.strip():
            words = given or _only_json("".join(self._reasoning))
        elif given and ("{" not in words or answer_text(words) is None):
            # A sentence that announces the call of a tool.
            words = given
        return str(storable(words))

    def whole(self) -> Completion:
        """Return the answer at its end.

        Raises:
            BadAnswer: As `until_now`; or the model declined, was truncated before it said anything whole, or wrote no
                JSON.
            Transient: As `until_now`.
        """
        completion = self.until_now()
        if self.refused or self.reason in _DECLINED:
            raise BadAnswer("The model declined to answer.", completion=completion, why="refusal")
        if found := answer_text(completion.text):
            return replace(completion, text=found)
        if self.broke_off or self.reason in _CUT:
            raise BadAnswer(TRUNCATED, completion=completion, why="truncation")
        raise BadAnswer("The answer is not one JSON object.", completion=completion)

    def until_now(self) -> Completion:
        """Return the completion until now.

        Raises:
            BadAnswer: The server answered, and not in the form of its wire.
            Transient: The response is no answer of a model.
        """
        if not self._is_any:
            raise Transient("What the model provider sent is no answer of a model.", perhaps_paid=True)
        wanted = self.wanted
        if not self.so_far.choices or (wanted.most is None and self.so_far.usage is None):
            raise BadAnswer("The model provider's answer has not the form of its wire.")
        reported = self.so_far.model or ""
        is_known = priced_name(reported, wanted.prices) or not priced_name(wanted.model, wanted.prices)
        is_name = 0 < len(reported) <= _MOST_NAME and reported.isprintable()
        model = reported if is_name and is_known else wanted.model
        return Completion(self.text, model, self._usage(wanted.most or Usage()))

    def _usage(self, most: Usage) -> Usage:
        """Return the reported usage, else the prompt of `most` with an answer estimated by its length."""
        reported = self.so_far.usage
        # The bytes include the model's reasoning.
        written = self.so_far.came // _BYTES_PER_TOKEN + 1
        if reported is None or not reported.prompt_tokens:
            return replace(most, output_tokens=(reported and reported.output_tokens) or written)
        if self.reason is None or not reported.output_tokens:
            # An answer that has begun reports its prompt, and hardly any of its output.
            return replace(reported, output_tokens=max(reported.output_tokens, written))
        return reported

    def take(self, event: dict[str, Any], events: AnswerEvents) -> None:
        """Read a piece: the text, the reason of the end, and a refusal."""
        events.take(event, self.so_far)
        parts = (event.get(name) for name in ("content", "message", "delta"))
        self._is_any = (
            self._is_any
            or "choices" in event
            or event.get("type") == "message"
            or any(isinstance(part, dict | list) for part in parts)
        )
        match event:
            case {"choices": [dict() as choice, *_]} | {"choices": dict() as choice}:
                self._end(choice.get("finish_reason"))
                message = choice.get("delta") or choice.get("message")
                if isinstance(message, dict):
                    self.refused = self.refused or bool(message.get("refusal"))
                    self._take_elsewhere(message)
            case {"content": list() as blocks}:
                self._end(event.get("stop_reason"))
                self._given += [_json(block["input"]) for block in blocks if _is_call(block)]
            case {"delta": dict() as delta}:
                self._end(delta.get("stop_reason"))
                if isinstance(piece := delta.get("partial_json"), str):
                    self._given.append(piece)

    def _end(self, reason: Any) -> None:
        self.reason = reason.lower() if isinstance(reason, str) and reason else self.reason

    def _take_elsewhere(self, message: dict[str, Any]) -> None:
        calls = message.get("tool_calls")
        called = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        given = [each.get("arguments") for each in (*called, message.get("function_call")) if isinstance(each, dict)]
        given += [each for each in (message.get("content"), message.get("parsed")) if isinstance(each, dict)]
        self._given += [_json(each) for each in given if each]
        reasoning = message.get("reasoning_content") or message.get("reasoning")
        if isinstance(reasoning, str):
            self._reasoning.append(reasoning)


def _only_json(text: str) -> str:
    return text if only_object(text) == text.strip() else ""


def refused_answer(error: Any) -> str | None:
    """Return an answer that a server refuses for its form, from an error's body or the object in its `error`.

    Groq validates an answer before it sends it, and sends one that is invalid in the place of an explanation.
    """
    inner = error.get("error", error) if isinstance(error, dict) else None
    written = inner.get("failed_generation") if isinstance(inner, dict) else None
    return written if isinstance(written, str) else None


def _is_call(block: Any) -> bool:
    return isinstance(block, dict) and isinstance(block.get("input"), dict)


def _json(given: Any) -> str:
    return given if isinstance(given, str) else to_json(given).decode()


def received(content: bytes, events: AnswerEvents, names: SettingNames, wanted: AnswerRequest) -> Completion:
    """Read an answer that has come as one.

    Raises:
        ProviderError: The provider could not answer; as `StreamedAnswer.whole`.
    """
    objects, answer = JsonEvents(), StreamedAnswer(wanted)
    for found in (objects.feed(content), objects.end()):
        _takes_all(found, answer, events, names)
    return answer.whole()


def streamed(
    response: Response, events: AnswerEvents, names: SettingNames, wanted: AnswerRequest, seconds: float
) -> Iterator[Completion]:
    """Read an answer while it is written, for `seconds` at most.

    Returns:
        The completion so far, whenever an object in it may have ended; and the whole answer at its end, or where it
        broke off.

    Raises:
        ProviderError: The provider could not answer, and has written nothing; as `StreamedAnswer.whole`.
    """
    objects, answer = JsonEvents(), StreamedAnswer(wanted)
    until = monotonic() + seconds
    try:
        for chunk in response.iter_bytes():
            before = len(answer.so_far.text)
            if not _takes_all(objects.feed(chunk), answer, events, names) or monotonic() > until:
                break
            if "}" in answer.so_far.text[before:] and answer.reason is None:
                yield answer.until_now()
        else:
            _takes_all(objects.end(), answer, events, names)
    except (httpx2.TransportError, httpx2.DecodingError):
        if not answer.so_far.came:
            raise Transient(_BROKE_OFF, perhaps_paid=True) from None
    answer.broke_off = answer.reason is None and not answer.so_far.done
    yield answer.whole()


def _takes_all(found: Iterator[Any], answer: StreamedAnswer, events: AnswerEvents, names: SettingNames) -> bool:
    """Read events; returns whether the answer goes on, which an error ends."""
    for event in found:
        if event == DONE:
            events.ended()
            continue
        if (written := refused_answer(event)) is not None:
            answer.take({"choices": [{"message": {"content": written}, "finish_reason": "stop"}]}, events)
            continue
        choices = event.get("choices")
        for part in (event, *(choices if isinstance(choices, list) else ())):
            if error := error_in(part, names):
                if not answer.so_far.came:
                    raise error
                return False
        answer.take(event, events)
    return True
