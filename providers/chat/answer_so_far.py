"""The part of an answer that was read so far, common to all wires; the events of each wire fill it."""

import json
from collections.abc import Iterator
from typing import Any, Protocol

from providers.chat.spoken_calls import is_speech_tool, spoken_by_call
from providers.completion import Usage

# The most characters that are read of an answer. A message has 64 KB at most, and reasoning may stand before it.
MOST_TEXT = 256 * 1024
# Counts beyond this are no usage.
MOST_TOKENS = 1_000_000_000
# The most items of an answer that are read.
MOST_ITEMS = 50
# Shorter words are handed on to other tools than agents.
LEAST_HANDED_ON = 20


class AnswerSoFar:
    """The part of an answer that was read so far.

    Attributes:
        choices: The numbers of its choices.
        model: The model's name as the upstream reports it.
        usage: The tokens, if the upstream reports them.
        came: The bytes that the model wrote, an upper bound of its tokens.
        payload: How many of these are data of sounds and pictures.
        done: Whether it says that it is at its end.
        ids: The ids by which a later request may name it: its own first, then those of its items.
        handed_on: The words that it hands on to tools, of which another agent may be one.
    """

    def __init__(self) -> None:
        self.choices: set[Any] = set()
        self.model: str | None = None
        self.usage: Usage | None = None
        self.came = 0
        self.payload = 0
        self.done = False
        self.ids: list[str] = []
        self.handed_on: list[str] = []
        self._text: list[str] = []
        # The texts that it sends by calls of tools; None: it does not speak so.
        self._by_calls: list[str] | None = None
        self._length = 0

    @property
    def text(self) -> str:
        """The words of the answer."""
        words = "".join(self._text) if self._by_calls is None else "\n".join(self._by_calls)
        return words[:MOST_TEXT]

    def say(self, words: str) -> None:
        """Take the next words."""
        if self._length < MOST_TEXT:
            self._text.append(words)
            self._length += len(words)

    def begin_call(self, name: Any) -> None:
        """Take the name of a called tool; if the model speaks by this tool, its text beside the call is a thought."""
        if is_speech_tool(name) and self._by_calls is None:
            self._by_calls = []

    def say_whole(self, words: str, *, in_pieces: bool) -> None:
        """Take the whole text until now. If it came `in_pieces` before, and these differ, they count."""
        if len(words) > self._length and words.startswith("".join(self._text)):
            self._text, self._length = [], 0
        elif in_pieces:
            return
        self.say(words)

    def count(self, written: Iterator[tuple[str, str]]) -> None:
        """Count the bytes of the pieces that a model wrote, each given with its name."""
        for name, text in written:
            # Of a token that is part of a character, no text may be seen yet.
            size = max(1, len(text.encode("utf-8", "surrogatepass")))
            self.came += size
            self.payload += size if name == "data" or text.startswith("data:") else 0

    def read_model(self, reported: Any) -> None:
        """Take the model's name, if this is one."""
        self.model = reported if isinstance(reported, str) and reported else self.model

    def read_id(self, reported: Any) -> None:
        """Take an id of the answer or of an item in it."""
        if isinstance(reported, str) and reported and len(self.ids) < MOST_ITEMS and reported not in self.ids:
            self.ids.append(reported)

    def read_item(self, id_: Any, given: Any, name: Any = None) -> None:
        """Take an item: its id, and the arguments that it gives to a tool of this name, as JSON or as a value."""
        self.read_id(id_)
        if isinstance(given, str):
            try:
                given = json.loads(given, strict=False)
            except (ValueError, RecursionError):
                given = None
        self.begin_call(name)
        if is_speech_tool(name) and isinstance(given, dict) and given:
            speech, spoken = spoken_by_call(name, given), self._by_calls or []
            if speech is not None:
                # A stream may repeat an item.
                self._by_calls = spoken if speech in spoken else [*spoken, speech]
                return
            # It is another tool of that name.
            self._by_calls = spoken or None
        words = given.values() if isinstance(given, dict) else ()
        self.handed_on += [each for each in words if isinstance(each, str) and len(each) >= LEAST_HANDED_ON]
        del self.handed_on[MOST_ITEMS:]


class AnswerEvents(Protocol):
    """Reads the events of one answer, in the form of a wire."""

    def take(self, event: dict[str, Any], so_far: AnswerSoFar) -> None:
        """Read an event of a stream, or the whole document."""
        ...

    def ended(self) -> bool:
        """Read the mark of the stream's end; returns whether that says that the answer is complete."""
        ...

    def usage(self, reported: Any) -> Usage | None:
        """Read the tokens that an upstream reports; None if it reports none, or numbers that can't be."""
        ...


def tokens_of(reported: Any) -> int | None:
    """Read a number of tokens; an absent one is zero; None if the value is no such number."""
    if reported is None:
        return 0
    whole = not isinstance(reported, bool) and (
        isinstance(reported, int) or (isinstance(reported, float) and reported.is_integer())
    )
    return int(reported) if whole and 0 <= reported <= MOST_TOKENS else None


def usage_of(reported: Any, prompt_name: str, output_name: str) -> Usage | None:
    """Read the tokens that an upstream of OpenAI's wires reports; None if it reports none, or numbers that can't be.

    Args:
        reported: The object of the counts.
        prompt_name: The name of the count of a prompt's tokens, and of its details.
        output_name: The name of the count of an answer's tokens.
    """
    if not isinstance(reported, dict):
        return None
    prompt, output = tokens_of(reported.get(prompt_name)), tokens_of(reported.get(output_name))
    if prompt is None or output is None or not prompt + output:
        return None
    details = reported.get(f"{prompt_name}_details")
    details = details if isinstance(details, dict) else {}
    # Moonshot, and DeepSeek
    hits = (details.get("cached_tokens"), reported.get("cached_tokens"), reported.get("prompt_cache_hit_tokens"))
    cached = min(next((number for number in map(tokens_of, hits) if number), 0), prompt)
    kept = min(tokens_of(details.get("cache_write_tokens")) or 0, prompt - cached)
    # Some count a model's reasoning in the total alone.
    output = max(output, (tokens_of(reported.get("total_tokens")) or 0) - prompt)
    return Usage(prompt - cached - kept, output, cache_read_tokens=cached, cache_write_tokens=kept)


def written(parts: Any, besides: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers that a model wrote into an answer, each with its name; iterative, for any nesting.

    Args:
        parts: The parts.
        besides: Names of fields that the model did not write.
    """
    waiting: list[tuple[str, Any]] = [("", parts)]
    while waiting:
        match waiting.pop():
            case (name, str(text)):
                yield name, text
            case (_, dict() as inner):
                waiting.extend(part for part in inner.items() if part[0] not in besides)
            case (name, list() as inner):
                waiting.extend((name, part) for part in inner)
            case (name, int() | float() as number):
                yield name, str(number)
