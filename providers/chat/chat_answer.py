"""Reads the answer of a chat completion beside the bytes that are passed on: its text, its usage, and how it ended.

Streams are read event by event as they pass, so that an open stream holds no more than the text so far. A piece that
is not what this wire promises is passed over; the client gets it all the same.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from providers.chat.event_stream import DONE, JsonEvents
from providers.completion import Usage
from schemas.text.storable import storable

# What is read of an answer: of a longer one the beginning. A message has 64 KB at most, and reasoning may stand before
# it.
MOST_TEXT = 256 * 1024
# Counts beyond this are no usage.
MOST_TOKENS = 1_000_000_000
# What a choice has besides what the model wrote.
_NOT_WRITTEN = frozenset(
    {"id", "index", "role", "type", "format", "logprobs", "finish_reason", "native_finish_reason", "stop_reason"}
)
_TEXT_PARTS = frozenset({"text", "output_text", "text_delta", None})
# By which names parts have their words, one within another at times.
_WORDS = ("text", "value", "content", "parts")
_NESTED = 4


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The content of an answer.

    Attributes:
        text: The first choice's words, as far as they came; empty if there are none, as where a tool is called.
        choices: How many choices it had.
        model: The model's name as the upstream reports it.
        usage: The tokens, if the upstream reports them.
        came: The most tokens that what came can have been, in all choices: words, refusals, reasoning, calls of tools,
            whatever else, and what could not be read. No tokenizer makes more tokens than there are bytes.
        payload: How many of these are data of sounds and pictures, of which a token stands for many.
        complete: Whether it came to its end.
        readable: Whether it could be read.
    """

    text: str = ""
    choices: int = 0
    model: str | None = None
    usage: Usage | None = None
    complete: bool = False
    readable: bool = True
    came: int = field(default=0, compare=False)
    payload: int = field(default=0, compare=False)


class AnswerReader:
    """Reads one answer, which is a stream or a document.

    Args:
        content_encoding: Its `Content-Encoding`; a compressed answer is counted by its bytes, and not read.
    """

    def __init__(self, content_encoding: str | None = None) -> None:
        self._readable = content_encoding in {None, "", "identity"}
        self._events = JsonEvents()
        self._text: list[str] = []
        self._length = 0
        self._came = 0
        self._payload = 0
        self._deltas = False
        self._choices: set[Any] = set()
        self._first: Any = None
        self._model: str | None = None
        self._usage: Usage | None = None
        self._done = False
        self._marked = False

    @property
    def is_readable(self) -> bool:
        """Whether the answer's bytes are its text, and no compressed form of it."""
        return self._readable

    def feed(self, chunk: bytes) -> None:
        """Read the next bytes of the answer."""
        if not self._readable:
            self._came += len(chunk)
            return
        for event in self._events.feed(chunk):
            self._take(event)

    def answer(self, *, ended: bool) -> ChatAnswer:
        """Return what was read; called once, at the end.

        Args:
            ended: Whether the upstream's answer came to its end.
        """
        if self._readable:
            for event in self._events.end():
                self._take(event)
        came, payload = self._came + self._events.unread, self._payload
        if self._events.cut_end and (usage := _usage_at_end(self._events.cut_end)):
            # Beside it the size of a document tells nothing.
            self._usage, came, payload = usage, usage.output_tokens, 0
        return ChatAnswer(
            # Halves of one character may come in two pieces.
            text=storable("".join(self._text)[:MOST_TEXT]),
            choices=len(self._choices),
            model=self._model,
            usage=self._usage,
            complete=ended and self._done,
            readable=self._readable,
            came=came,
            payload=payload,
        )

    def _take(self, event: Any) -> None:
        if event == DONE:
            self._done = self._marked = True
            return
        self._usage = _usage(event.get("usage")) or self._usage
        choices = event.get("choices")
        self._count(choices)
        choices = [choices] if isinstance(choices, dict) else choices
        if self._marked or not isinstance(choices, list):
            # No client shows what stands behind the end mark.
            return
        model = event.get("model")
        self._model = model if isinstance(model, str) and model else self._model
        for choice in choices:
            if isinstance(choice, dict):
                self._take_choice(choice)

    def _count(self, choices: Any) -> None:
        for name, written in _written(choices):
            # Of a token that is part of a character, no text may be seen yet.
            size = max(1, len(written.encode("utf-8", "surrogatepass")))
            self._came += size
            self._payload += size if name == "data" or written.startswith("data:") else 0

    def _take_choice(self, choice: dict[str, Any]) -> None:
        reported = choice.get("index")
        index = reported if isinstance(reported, int) else 0
        self._first = self._first if self._choices else index
        self._choices.add(index)
        if index == self._first:
            if words := _words(choice.get("delta")):
                self._deltas = True
                self._say(words)
            elif words := _words(choice.get("message")):
                self._say_whole(words)
            elif isinstance(text := choice.get("text"), str):
                self._say(text)
            self._done = self._done or bool(choice.get("finish_reason"))

    def _say(self, words: str) -> None:
        if self._length < MOST_TEXT:
            self._text.append(words)
            self._length += len(words)

    def _say_whole(self, words: str) -> None:
        """Take a `message`: a document's, or in streams the next piece, or all that was said until then."""
        if len(words) > self._length and words.startswith("".join(self._text)):
            self._text, self._length = [], 0
        elif self._deltas:
            return
        self._say(words)


def _written(choices: Any) -> Iterator[tuple[str, str]]:
    """Yield what a model wrote into choices, each with its name there; iterative, for any nesting."""
    waiting: list[tuple[str, Any]] = [("", choices)]
    while waiting:
        match waiting.pop():
            case (name, str(text)):
                yield name, text
            case (_, dict() as parts):
                waiting.extend(part for part in parts.items() if part[0] not in _NOT_WRITTEN)
            case (name, list() as parts):
                waiting.extend((name, part) for part in parts)
            case (name, int() | float() as number):
                yield name, str(number)


def _usage_at_end(end: bytearray) -> Usage | None:
    """Read the usage in the end of a document of which no more was kept; in a string its name would be escaped."""
    text = end.decode("utf-8", "replace")
    at = text.rfind('"usage"')
    try:
        return _usage(json.JSONDecoder().raw_decode(text[text.index("{", at) :])[0]) if at >= 0 else None
    except (ValueError, RecursionError):
        return None


def _words(part: Any) -> str:
    """Return the text of a delta or message: its content, or the text parts of that."""
    return "".join(_texts(part.get("content") if isinstance(part, dict) else None, _NESTED))


def _texts(content: Any, nested: int) -> Iterator[str]:
    match content:
        case str():
            yield content
        case list() if nested:
            for each in content:
                yield from _texts(each, nested - 1)
        case dict() if nested and _is_text(content.get("type")):
            yield from _texts(next((content[name] for name in _WORDS if name in content), None), nested - 1)


def _is_text(kind: Any) -> bool:
    return (kind is None or isinstance(kind, str)) and kind in _TEXT_PARTS


def _usage(reported: Any) -> Usage | None:
    """Read the tokens that an upstream reports; None if it reports none, or numbers that can't be."""
    if not isinstance(reported, dict):
        return None
    prompt, completion = _count(reported.get("prompt_tokens")), _count(reported.get("completion_tokens"))
    if prompt is None or completion is None or not prompt + completion:
        return None
    details = reported.get("prompt_tokens_details")
    cached = min((_count(details.get("cached_tokens")) if isinstance(details, dict) else 0) or 0, prompt)
    # Some count a model's reasoning in the total alone.
    output = max(completion, (_count(reported.get("total_tokens")) or 0) - prompt)
    return Usage(input_tokens=prompt - cached, output_tokens=output, cache_read_tokens=cached)


def _count(reported: Any) -> int | None:
    """Read a number of tokens; None if it is none. What is left out is zero."""
    if reported is None:
        return 0
    whole = not isinstance(reported, bool) and (
        isinstance(reported, int) or (isinstance(reported, float) and reported.is_integer())
    )
    return int(reported) if whole and 0 <= reported <= MOST_TOKENS else None
