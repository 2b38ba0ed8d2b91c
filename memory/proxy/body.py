"""The body of a chat completion: read, and changed at single places without writing the rest anew.

A body may carry megabytes of images, and fields that this program does not know. So it is not parsed and serialised
again: single fields and the system content are replaced in the text as the client sent it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory.proxy import answer_limits
from memory.proxy.answer_limits import STREAM, STREAM_OPTIONS
from memory.text.errors import InvalidRequest
from memory.text.json_spans import elements, next_token

_DECODER = json.JSONDecoder()
_SYSTEM = frozenset({"system", "developer"})
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal"})
# A picture counts by what it shows; other data of a part may be a text.
_PICTURE = "data:image/"
# Families whose template writes the opening marker into the prompt.
_OPENS_REASONING = re.compile(
    r"deepseek-?r1|\br1-|\bqwq\b|-thinking\b|nemotron|\bstep-?3|\bminimax-?m[12]\b", re.IGNORECASE
)

Span = tuple[int, int]


@dataclass(frozen=True)
class ChatBody:
    """A chat completion's body.

    Attributes:
        text: The JSON as the client sent it.
        fields: Its parsed value.
        spans: Where the value of each field stands in the text.
        first_message: Where the first message stands.
        prompt_bytes: The size of the text in UTF-8, without the data of pictures.
        media: How many parts of messages are no text: pictures, sounds, files, and what is not known.
    """

    text: str
    fields: dict[str, Any]
    spans: dict[str, Span]
    first_message: Span
    prompt_bytes: int
    media: int

    @property
    def model(self) -> str:
        """The model, as the client names it."""
        return str(self.fields["model"])

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The transcript."""
        return list(self.fields["messages"])

    @property
    def opens_reasoning(self) -> bool:
        """Whether the model's template opens the reasoning, as the request's options or the model's name tell."""
        options = self.fields.get("chat_template_kwargs")
        options_given = [self.fields, options if isinstance(options, dict) else {}]
        is_asked_for = any(each.get(name) is True for each in options_given for name in ("enable_thinking", "thinking"))
        return is_asked_for or _OPENS_REASONING.search(self.model) is not None

    @property
    def choices(self) -> int:
        """How many answers are requested."""
        return answer_limits.choices(self.fields)

    @property
    def answer_limit(self) -> int | None:
        """The request's own limit of one answer, in tokens; None if it has none."""
        return answer_limits.limit(self.fields)

    @property
    def surcharge(self) -> str | None:
        """The name of a field by which the request may cost more than its model's price says; None: it has none."""
        return answer_limits.surcharge(self.fields)

    @property
    def prediction_bytes(self) -> int:
        """The size of the answer that the request predicts, of which what is wrong is charged as output."""
        begins, ends = self.spans.get("prediction", (0, 0))
        return len(self.text[begins:ends].encode("utf-8", "surrogatepass"))

    @property
    def is_stream(self) -> bool:
        """Whether a stream is requested."""
        return self.fields.get(STREAM) is True

    @property
    def asks_usage(self) -> bool:
        """Whether a stream is requested with its usage."""
        return self.is_stream and (self.fields.get(STREAM_OPTIONS) or {}).get("include_usage") is True

    def written(self, model: str, context: str | None, limit: tuple[str, int] | None = None) -> bytes:
        """Return the body with another model, with a context as system content, and with the usage of a stream.

        The context follows the client's own system message in that message, because some servers accept one only; if
        the transcript does not begin with one, it becomes the first message.

        Args:
            model: The name of the model at the upstream.
            context: The context; None or empty: nothing is added.
            limit: A limit of the answer, in tokens, for a request without one, and the field that the server reads it
                in; None: nothing is added.
        """
        fields: dict[str, Any] = {} if model == self.model else {"model": model}
        if self.is_stream and not self.asks_usage:
            fields[STREAM_OPTIONS] = {**(self.fields.get(STREAM_OPTIONS) or {}), "include_usage": True}
        if limit is not None and self.answer_limit is None:
            fields |= answer_limits.limited(self.fields, *limit)
        changes = [(self.spans[name], json.dumps(value)) for name, value in fields.items() if name in self.spans]
        if added := {name: value for name, value in fields.items() if name not in self.spans}:
            start = self.text.index("{") + 1
            changes.append(((start, start), json.dumps(added)[1:-1] + ","))
        if context:
            changes.append(self._with_context(context))
        text = self.text
        for (start, end), new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        # A half of a character that the client encoded alone passes as it came.
        return text.encode(errors="surrogatepass")

    def _with_context(self, context: str) -> tuple[Span, str]:
        first = self.fields["messages"][0]
        start, end = self.first_message
        if first.get("role") in _SYSTEM:
            match first.get("content"):
                case str(words):
                    joined = f"{words}\n\n{context}" if words.strip() else context
                    return (start, end), json.dumps({**first, "content": joined})
                case list(parts):
                    added = [*parts, {"type": "text", "text": context}]
                    return (start, end), json.dumps({**first, "content": added})
        return (start, start), json.dumps({"role": "system", "content": context}) + ","


def read_chat(text: str) -> ChatBody:
    """Read a body.

    Raises:
        InvalidRequest: It is not an object with a model and a list of messages; the text says what is missing.
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    fields: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    start = next_token(text, 0)
    if not text.startswith("{", start):
        _DECODER.decode(text)
        raise InvalidRequest("The body must be a JSON object.")
    for (name, value, begins), _, ends in elements(text, start + 1, "}", lambda place: _member(text, place)):
        answer_limits.check_name(name, fields)
        fields[name], spans[name] = value, (begins, ends)
    _check(fields)
    start, _ = spans["messages"]
    first = next_token(text, start + 1)
    _, end = _DECODER.raw_decode(text, first)
    size = len(text.encode("utf-8", "surrogatepass"))
    parts = [part for message in fields["messages"] for part in _parts(message) if part.get("type") not in _TEXT_PARTS]
    pictures = sum(len(string) for part in parts for string in _strings(part) if string.startswith(_PICTURE))
    return ChatBody(text, fields, spans, (first, end), size - pictures, len(parts))


def _parts(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = message.get("content")
    yield from (part for part in (content if isinstance(content, list) else [content]) if isinstance(part, dict))
    # An earlier answer that was spoken is named by its id.
    yield from (part for part in [message.get("audio")] if isinstance(part, dict))


def _strings(part: Any) -> Iterator[str]:
    waiting = [part]
    while waiting:
        match waiting.pop():
            case str(string):
                yield string
            case dict() as inner:
                waiting.extend(inner.values())
            case list() as inner:
                waiting.extend(inner)


def _check(fields: dict[str, Any]) -> None:
    if not isinstance(fields.get("model"), str) or not fields["model"]:
        raise InvalidRequest("The field `model` is missing: name a model.")
    messages = fields.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(each, dict) for each in messages):
        raise InvalidRequest("The field `messages` must be a list of messages that is not empty.")
    answer_limits.check(fields)


def _member(text: str, place: int) -> tuple[tuple[str, Any, int], int]:
    """Read a member of an object at a place; returns its name, its value and where that begins, and where it ends."""
    name, end = _DECODER.raw_decode(text, place)
    if not isinstance(name, str):
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, place)
    end = next_token(text, end)
    if not text.startswith(":", end):
        raise json.JSONDecodeError("Expecting ':' delimiter", text, end)
    start = next_token(text, end + 1)
    value, end = _DECODER.raw_decode(text, start)
    return (name, value, start), end
