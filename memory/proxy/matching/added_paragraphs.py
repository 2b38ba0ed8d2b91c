"""Paragraphs that a frontend adds to the newest line alone, without a mark: instructions that follow the talk.

SillyTavern's post-history instructions and notes come in the user's line where *Prompt Post-Processing* merges roles.
With the next transcript the line is shown bare, and the same paragraphs stand in the next newest one. The message
stored with them is then an edited one; the newest line is stored without them. Notes in the midst of the talk go from
line to line: a line that is shown with more paragraphs than it was stored with is the same message.
"""

import re
from collections.abc import Iterable, Iterator

from memory.text.same_words import comparable

_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
# The most paragraphs that are looked at from each end of a line.
_AT_AN_END = 20


def added_paragraphs(stored: Iterable[str], bare: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the texts, for comparison, that a frontend has added before lines and behind them, by the stored lines.

    Args:
        stored: Lines of one speaker as they came in, standing or retracted.
        bare: Lines of the speaker's that may stand for themselves.
    """
    alone = {comparable(text) for text in bare}
    before, behind = set[str](), set[str]()
    for text in stored:
        for first, rest in _cuts(text):
            if first in alone:
                behind.add(rest)
            if rest in alone:
                before.add(first)
    return before, behind


def without_added(text: str, before: set[str], behind: set[str]) -> str:
    """Return a line without paragraphs that a frontend has added before and behind it."""
    text = text.strip()
    while (rest := next(_without_one(text, before, behind), None)) is not None:
        text = rest.strip()
    return text


def _without_one(text: str, before: set[str], behind: set[str]) -> Iterator[str]:
    for at, first, rest in _places(text):
        if first in before:
            yield text[at.end() :]
        if rest in behind:
            yield text[: at.start()]


def is_within(stored: str, shown: str) -> bool:
    """Whether a line is shown with further paragraphs before or behind it."""
    compared = comparable(stored)
    return any(compared in both for both in _cuts(shown))


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    for _, first, rest in _places(text):
        yield first, rest


def _places(text: str) -> Iterator[tuple[re.Match[str], str, str]]:
    """Yield the places between paragraphs, with the texts before and behind each, for comparison."""
    text = text.strip()
    places = list(_PARAGRAPHS.finditer(text))
    if len(places) > 2 * _AT_AN_END:
        places = [*places[:_AT_AN_END], *places[-_AT_AN_END:]]
    for at in places:
        first, rest = comparable(text[: at.start()]), comparable(text[at.end() :])
        if first and rest:
            yield at, first, rest
