"""The body of a chat completion: read, and changed at single places without writing the rest anew.

A body may carry megabytes of images, and fields that this program does not know. So it is not parsed and serialised
again: the name of the model and the system content are replaced in the text as the client sent it.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from memory.text.errors import InvalidRequest
from memory.text.json_elements import elements, next_token

_DECODER = json.JSONDecoder()
_SYSTEM = frozenset({"system", "developer"})
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
    """

    text: str
    fields: dict[str, Any]
    spans: dict[str, Span]
    first_message: Span

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
        told = [self.fields, options if isinstance(options, dict) else {}]
        asked = any(each.get(name) is True for each in told for name in ("enable_thinking", "thinking"))
        return asked or _OPENS_REASONING.search(self.model) is not None

    @property
    def choices(self) -> int:
        """How many answers are requested."""
        n = self.fields.get("n")
        return n if isinstance(n, int) and n > 0 else 1

    @property
    def most_answer_tokens(self) -> int | None:
        """The request's own limit of the answer; None if it has none."""
        for name in ("max_completion_tokens", "max_tokens"):
            limit = self.fields.get(name)
            if isinstance(limit, int) and limit > 0:
                return limit
        return None

    def written(self, model: str, context: str | None) -> bytes:
        """Return the body with another model, and with a context as system content.

        The context follows the client's own system message in that message, because some servers accept one only; if
        the transcript does not begin with one, it becomes the first message.

        Args:
            model: The name of the model at the upstream.
            context: The context; None or empty: nothing is added.
        """
        changes: list[tuple[Span, str]] = []
        if model != self.model:
            changes.append((self.spans["model"], json.dumps(model)))
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
        if name in fields and name in {"model", "messages"}:
            raise InvalidRequest(f"The body has the field `{name}` twice.")
        fields[name], spans[name] = value, (begins, ends)
    _check(fields)
    start, _ = spans["messages"]
    first = next_token(text, start + 1)
    _, end = _DECODER.raw_decode(text, first)
    return ChatBody(text, fields, spans, (first, end))


def _check(fields: dict[str, Any]) -> None:
    if not isinstance(fields.get("model"), str) or not fields["model"]:
        raise InvalidRequest("The field `model` is missing: name a model.")
    messages = fields.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(each, dict) for each in messages):
        raise InvalidRequest("The field `messages` must be a list of messages that is not empty.")


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
