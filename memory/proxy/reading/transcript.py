"""Transcripts: a request's lines of a chat, in the form for alignment, and the reading of OpenAI's `messages`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memory.wrapping.agent_forms import repeated_turns
from memory.wrapping.envelopes import in_envelope
from memory.wrapping.own_words import own_words
from memory.wrapping.prompt_formats import filled_in
from providers.chat.content_parts import words_of
from providers.chat.spoken_calls import spoken_by_calls
from schemas.text.reasoning import opens_reasoning
from schemas.text.storable import storable

LineRole = Literal["system", "user", "assistant", "tool", "unknown"]

_ROLES: Mapping[str, LineRole] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
}
# LobeChat's: before another agent's words its name alone, before a person's words from another program an id first.
_SPEAKER = re.compile(r"\s*<speaker (?:name=\"(?P<agent>[^\"\n]{1,100})\"|id=\"[^\n<>]{0,500})[ \t]*/>[ \t]*\n")
# A line of the system, of a program for models that have no role for it.
_SYSTEM = re.compile(
    r"\s*<(?P<tag>system(?:[_-](?:prompt|message|instructions?))?)>(?P<text>.*?)</(?P=tag)>\s*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of a transcript.

    Attributes:
        role: Its role; `developer` is read as system, `function` as tool.
        text: Its text parts, joined by line breaks; empty if it has none.
        name: Its `name`; None without one.
        other_parts: Whether it has parts besides text: images, audio, files, calls of tools, parts of unknown types.
        last_part: Its last text part, where it has several.
        refers_to: The id of an item of an earlier answer that stands here; None: it is written out.
    """

    role: LineRole
    text: str = ""
    name: str | None = None
    other_parts: bool = False
    last_part: str | None = field(default=None, compare=False)
    refers_to: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """All of a request's lines, in order; `opened`: the request opens the reasoning of its answers."""

    lines: tuple[Line, ...]
    opened: bool = False

    @property
    def last_line(self) -> Line | None:
        """The last line that has words."""
        return next((line for line in reversed(self.lines) if line.text.strip()), None)


def read_transcript(messages: Sequence[Mapping[str, Any]], *, opened: bool = False) -> Transcript:
    """Read the `messages` of a request; unknown parts are passed over, and never an error.

    Args:
        messages: The parsed entries, of any shape.
        opened: Whether the model's template opens the reasoning; a last line that ends with an opening marker does so
            as well.
    """
    lines = [line for message in messages for one in _opened(_line(message)) for line in _unfolded(one)]
    lines = [*_with_system(lines)]
    prefill = bool(lines) and lines[-1].role == "assistant" and opens_reasoning(lines[-1].text)
    return Transcript(tuple(lines), opened or prefill)


def _with_system(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines, with those of the system that a program writes in tags as the user's, the first one among them.

    It does so for models that have no role for them.
    """
    has_tags = bool(lines) and lines[0].role == "user" and all(line.role != "system" for line in lines)
    has_tags = has_tags and _SYSTEM.match(lines[0].text) is not None
    for number, line in enumerate(lines):
        found = _SYSTEM.match(line.text) if has_tags and line.role == "user" else None
        rest = line.text[found.end() :] if found else ""
        if found is None or (rest and number):
            yield line
            continue
        yield Line("system", found["text"].strip())
        if rest:
            yield replace(line, text=rest)


def _unfolded(line: Line) -> Iterator[Line]:
    """Yield a line, or the lines of the chat that a program has filled into a model's format."""
    pieces = (
        filled_in(line.text) if line.role == "user" else repeated_turns(line.text) if line.role == "assistant" else []
    )
    if not pieces:
        yield line
    for role, text in pieces:
        yield replace(line, role=role, text=text, name=None)


def _opened(line: Line) -> Iterator[Line]:
    """Yield a line, or those of the messages that a program has put into an envelope."""
    messages = in_envelope(line.text) if line.role in ("user", "assistant") else []
    if not messages:
        yield line
    for sender, text in messages:
        yield replace(line, text=text, name=sender or line.name)


def _line(message: Any) -> Line:
    if not isinstance(message, Mapping):
        return Line("unknown", other_parts=True)
    role = message.get("role")
    name = message.get("name")
    # A model that refuses says so in a field of its own.
    texts, others = _parts(message.get("content") or message.get("refusal"))
    texts = spoken_by_calls(message.get("tool_calls")) or texts
    last_part = storable(texts[-1]) if len(texts) > 1 else None
    if role == "user" and len(texts) > 1:
        # Of several parts some are a program's, whole.
        texts = [text for text in texts if own_words(text)] or texts[-1:]
    if texts and (speaker := _SPEAKER.match(texts[0])):
        name, texts = name or speaker["agent"], [texts[0][speaker.end() :], *texts[1:]]
    return Line(
        role=_ROLES.get(role.lower(), "unknown") if isinstance(role, str) else "unknown",
        # Each of the user's parts is a paragraph of its own: programs put theirs beside the person's.
        text=storable(("\n\n" if role == "user" else "\n").join(texts)),
        name=storable(name) if isinstance(name, str) and name.strip() else None,
        other_parts=others or bool(message.get("tool_calls") or message.get("function_call") or message.get("audio")),
        last_part=last_part,
    )


def _parts(content: Any) -> tuple[list[str], bool]:
    """Return the texts of a content, and whether it has other parts."""
    parts = content if isinstance(content, list) else [] if content is None else [content]
    texts = [text for text in map(words_of, parts) if text is not None]
    return texts, len(texts) < len(parts)
