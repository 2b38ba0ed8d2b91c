"""What was read of an answer so far, whatever the wire; the events of each wire fill it."""

from collections.abc import Iterator
from typing import Any, Protocol

from providers.completion import Usage

# What is read of an answer: of a longer one the beginning. A message has 64 KB at most, and reasoning may stand before
# it.
MOST_TEXT = 256 * 1024
# Counts beyond this are no usage.
MOST_TOKENS = 1_000_000_000


class AnswerSoFar:
    """What was read of an answer.

    Attributes:
        choices: The numbers of its choices.
        model: The model's name as the upstream reports it.
        usage: The tokens, if the upstream reports them.
        came: The most tokens that what came can have been: what the model wrote, in bytes.
        payload: How many of these are data of sounds and pictures.
        done: Whether it says that it is at its end.
    """

    def __init__(self) -> None:
        self.choices: set[Any] = set()
        self.model: str | None = None
        self.usage: Usage | None = None
        self.came = 0
        self.payload = 0
        self.done = False
        self._text: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        """What was said."""
        return "".join(self._text)[:MOST_TEXT]

    def say(self, words: str) -> None:
        """Take the next words."""
        if self._length < MOST_TEXT:
            self._text.append(words)
            self._length += len(words)

    def say_whole(self, words: str, *, in_pieces: bool) -> None:
        """Take all that was said until now. If it came `in_pieces` before, and these differ, they count."""
        if len(words) > self._length and words.startswith("".join(self._text)):
            self._text, self._length = [], 0
        elif in_pieces:
            return
        self.say(words)

    def count(self, written: Iterator[tuple[str, str]]) -> None:
        """Count what a model wrote, each piece with its name."""
        for name, text in written:
            # Of a token that is part of a character, no text may be seen yet.
            size = max(1, len(text.encode("utf-8", "surrogatepass")))
            self.came += size
            self.payload += size if name == "data" or text.startswith("data:") else 0

    def read_model(self, reported: Any) -> None:
        """Take the model's name, if this is one."""
        self.model = reported if isinstance(reported, str) and reported else self.model


class AnswerEvents(Protocol):
    """Reads the events of one answer, in the form of a wire."""

    def take(self, event: dict[str, Any], so_far: AnswerSoFar) -> None:
        """Read an event of a stream, or the whole document."""
        ...

    def ended(self, so_far: AnswerSoFar) -> None:
        """Read the mark of the stream's end."""
        ...

    def usage(self, reported: Any) -> Usage | None:
        """Read the tokens that an upstream reports; None if it reports none, or numbers that can't be."""
        ...


def tokens_of(reported: Any) -> int | None:
    """Read a number of tokens; None if it is none. What is left out is zero."""
    if reported is None:
        return 0
    whole = not isinstance(reported, bool) and (
        isinstance(reported, int) or (isinstance(reported, float) and reported.is_integer())
    )
    return int(reported) if whole and 0 <= reported <= MOST_TOKENS else None


def written(parts: Any, besides: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield what a model wrote into parts of an answer, each with its name there; iterative, for any nesting.

    Args:
        parts: The parts.
        besides: Names of what the model did not write.
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
