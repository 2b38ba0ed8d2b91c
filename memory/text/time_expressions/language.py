"""The parts of a language's table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple, TypeVar

from memory.text.time_expressions.periods import AskingMoment, Span

T = TypeVar("T")
LETTER = r"[\w\u0900-\u0963]"
"""A letter of a word, or one of the vowel signs of Devanagari."""

# The numbers that the words of a match stand for, by the names of the pattern's slots; `most` is the upper bound of
# `number`.
Values = Mapping[str, int]
Meaning = Callable[[Values, AskingMoment], Span | None]
# A modifier also gets the span of the expression that it stands beside.
Modification = Callable[[Span, Values, AskingMoment], Span | None]


class Count(NamedTuple):
    """A number word, with bounds for vague ones: "a few" is (2, 5)."""

    least: int
    most: int


def vocabulary(*meanings: tuple[T, str]) -> dict[str, T]:
    """Map the words of a language to their values, from pairs of a value and its words, divided by bars."""
    return {word: value for value, words in meanings for word in words.split("|")}


def numbered(words: str, first: int, step: int = 1) -> dict[str, int]:
    """Words that stand for numbers that follow each other; those that stand for the same are divided by bars."""
    return vocabulary(*zip(count(first, step), words.split(), strict=False))


class Phrase(NamedTuple):
    """A pattern that stands for a time by itself."""

    pattern: str
    meaning: Meaning


class Modifier(NamedTuple):
    """A pattern that changes the time named beside it: "since", "early", "the end of"."""

    pattern: str
    modification: Modification


class Connector(NamedTuple):
    """Words before and between two times that make them a range; `opening` may be empty."""

    opening: str
    between: str


@dataclass(frozen=True)
class Language:
    """The words and patterns of one language.

    Patterns are regular expressions, matched regardless of case on NFKC-normalised text. A space stands for any white
    space, and one before a question mark for any or none. A slot in braces stands for any word of that vocabulary or a
    number, and gives its value to the meaning: `{month}`, `{weekday}`, `{season}`, `{unit}`, `{part}`, `{holiday}`,
    `{ordinal}`, `{number}`, and `{year}` (four digits), `{day}` (one or two digits), `{figure}` (one to three digits).
    A second slot of a kind ends in 2. `{fullmonth}` gives its value as `month` and `{calendarunit}` as `unit`, for
    patterns in which only some of those words mean a time; `{tens}` gives its value as `figure`.

    Attributes:
        words: For each vocabulary its words (regular expressions are not allowed in them) and their values.
        numbers: Number words and vague counts.
        phrases: Expressions that stand for a time by themselves.
        cued_phrases: Expressions that stand for a time only beside a modifier or in a range, as ordinary words and
            names look the same: "May", "2022", "spring". The modifier that adds nothing is `modifiers.same`: "in".
        before: Modifiers that stand before an expression.
        after: Modifiers that stand behind an expression.
        ranges: The words that join two expressions to a range.
        left_alone: Phrases that only look like an expression. No expression is read from text that overlaps a match.
        spaced: False for a script without spaces between words.
    """

    words: Mapping[str, Mapping[str, int]]
    numbers: Mapping[str, Count]
    phrases: tuple[Phrase, ...]
    cued_phrases: tuple[Phrase, ...]
    before: tuple[Modifier, ...]
    after: tuple[Modifier, ...]
    ranges: tuple[Connector, ...]
    left_alone: tuple[str, ...]
    spaced: bool = True
