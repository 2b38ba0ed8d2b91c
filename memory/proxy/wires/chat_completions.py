"""The wire of OpenAI's chat completions.

Memory goes into the client's own messages, because some servers accept one system message only, and that at the
beginning: the part that is stable from turn to turn behind the client's system content, and the part that varies behind
the user's last words. So everything before these is the same in the next request, and a cache of prefixes serves it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory.proxy.reading.transcript import Transcript, read_transcript
from memory.proxy.wires.answer_limits import STREAM_OPTIONS, AnswerLimits
from memory.proxy.wires.json_body import Change, messages_of, prompt_bytes, read_body
from memory.proxy.wires.wire import Memory, RequestBody, Wire
from providers.chat.completion_events import CompletionEvents

LIMITS = AnswerLimits(
    limits=("max_completion_tokens", "max_tokens"),
    surcharged=(
        *("models", "fallbacks", "route", "preset", "provider"),
        *("web_search_options", "web_search", "search_parameters", "search_options", "search_settings"),
        *("enable_search", "plugins", "compound_custom", "speed", "audio"),
    ),
    client_tools=frozenset({None, "function", "custom"}),
    read=("messages", "prediction", "modalities"),
)
_SYSTEM = frozenset({"system", "developer"})
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal"})
# Families with a template that writes the opening marker into the prompt.
_OPENS_REASONING = re.compile(
    r"deepseek-?r1|\br1-|\bqwq\b|-thinking\b|nemotron|\bstep-?3|\bminimax-?m[12]\b", re.IGNORECASE
)


@dataclass(frozen=True)
class ChatBody(RequestBody):
    """A chat completion's body."""

    limits = LIMITS

    @property
    def transcript(self) -> Transcript:
        """The transcript that the client sends."""
        return read_transcript(self._messages, opened=self.opens_reasoning)

    @property
    def opens_reasoning(self) -> bool:
        """Whether the model's template opens the reasoning, by the request's options or the model's name."""
        fields = self.body.fields
        options = fields.get("chat_template_kwargs")
        options_given = [fields, options if isinstance(options, dict) else {}]
        is_asked_for = any(each.get(name) is True for each in options_given for name in ("enable_thinking", "thinking"))
        return is_asked_for or _OPENS_REASONING.search(self.model) is not None

    @property
    def choices(self) -> int:
        """How many answers are requested."""
        return LIMITS.choices(self.body.fields)

    @property
    def prediction_bytes(self) -> int:
        """The size of the answer that the request predicts; wrong parts of it are charged as output."""
        return self.body.bytes_of("prediction")

    @property
    def hides_usage(self) -> bool:
        """Whether a stream is requested without its usage."""
        options = self.body.fields.get(STREAM_OPTIONS) or {}
        return self.asks_usage and self.is_stream and options.get("include_usage") is not True

    def fields_for(self, model: str, limit: tuple[str, int] | None) -> dict[str, Any]:
        """The fields that change for an upstream, the request for a stream's usage among them."""
        fields = super().fields_for(model, limit)
        if self.hides_usage:
            fields[STREAM_OPTIONS] = {**(self.body.fields.get(STREAM_OPTIONS) or {}), "include_usage": True}
        return fields

    def with_memory(self, memory: Memory) -> tuple[dict[str, Any], list[Change]]:
        """Return the changes that put memory into the messages."""
        return {}, list(self._in_messages(memory))

    @property
    def _messages(self) -> list[dict[str, Any]]:
        return list(self.body.fields["messages"])

    def _in_messages(self, memory: Memory) -> Iterator[Change]:
        messages = self._messages
        last = max((place for place, each in enumerate(messages) if _takes_text(each, "user")), default=None)
        stable, varying = (memory.stable, memory.varying) if last is not None else (memory.whole, "")
        if stable and _takes_text(messages[0], *_SYSTEM):
            yield self.body.element("messages", 0), json.dumps(_with_text(messages[0], stable))
        elif stable:
            start, _ = self.body.element("messages", 0)
            yield (start, start), json.dumps({"role": "system", "content": stable}) + ","
        if varying and last is not None:
            yield self.body.element("messages", last), json.dumps(_with_text(messages[last], varying))


def read_chat(text: str) -> ChatBody:
    """Read a body.

    Raises:
        InvalidRequest: It is not an object with a model and a list of messages; the text names the missing part.
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    body = read_body(text, LIMITS.check_name)
    messages = messages_of(body, "The field `messages` must be a list of messages that is not empty.")
    LIMITS.check(body.fields)
    parts = [part for message in messages for part in _parts(message) if part.get("type") not in _TEXT_PARTS]
    return ChatBody(body, prompt_bytes(body, parts), len(parts))


CHAT = Wire("chat", "/chat/completions", "Chat Completions", read_chat, CompletionEvents)


def _takes_text(message: Mapping[str, Any], *roles: str) -> bool:
    return message.get("role") in roles and isinstance(message.get("content"), str | list)


def _with_text(message: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A message with a text behind its content."""
    content = message["content"]
    if isinstance(content, str):
        return {**message, "content": f"{content}\n\n{text}" if content.strip() else text}
    return {**message, "content": [*content, {"type": "text", "text": text}]}


def _parts(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = message.get("content")
    yield from (part for part in (content if isinstance(content, list) else [content]) if isinstance(part, dict))
    # An earlier answer that was spoken is named by its id.
    yield from (part for part in [message.get("audio")] if isinstance(part, dict))
