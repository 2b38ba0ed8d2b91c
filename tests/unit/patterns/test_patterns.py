"""Every regular expression of product and samples reads 32 KB of any text within 50 ms, by the length of the text."""

import re
import signal
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time

import pytest

from tests.unit.patterns.attacks import LONG, attacks
from tests.unit.patterns.found import Found, all_patterns

SECONDS = 0.05
# On a machine that is slow, or busy, so many times as long as a plain expression takes for as much.
PLAIN, TEXT, MOST_TIMES = Found("a plain one", re.compile("[a-z]")), "a" * LONG, 12
# An expression that takes less does not take the square of the length: that is a hundred times as much.
SHORT = 0.0025
# What a text takes of the time of a fourth of it: by its length four times, by the square sixteen times.
LINEAR, MOST_GROWTH, SQUARE = 4, 8, 16
# No expression is waited for longer.
GIVEN_UP = 0.2
# Other processes take the processor's cache away; the least time of some tries counts.
TRIES = 12
# Seconds that the clock may not tell from none.
RESOLUTION = 1e-7
# Modules that build expressions of what is only known when they run.
BUILDING = {
    # From the parts of a table; the values of these modules hold the expressions.
    *("samples.canned.facts_policy", "memory.proxy.reading.task_words"),
    # From the letter of a reference, for a text that is one.
    "providers.answers.answer_scalars",
    # From words that are taken letter by letter.
    "memory.facts.spoken_requests.rules",
    # They read names of files, and the first 2,000 characters of a question.
    *("memory.intake.importers.reading.files", "memory.text.time_expressions.reader"),
}
SLOW = {
    "white space at the end": r"\s+$",
    "what is between tags": r"(?s)<details(?:\s[^<>]*)?>\n?(.*?)\n?</details>",
    "repeats within repeats": r"(?:a+)+$",
    "branches of which two match": r"(?:x|y|xy)*z",
    "words before something": r"\w+(?=:)",
    "repeats beside repeats": r"password for \s*\S*\s*is",
    "comments": r"<!--(?:(?!-->)[\s\S])*-->",
}


class TookTooLong(Exception):
    """An expression took more than `GIVEN_UP`."""


@contextmanager
def given_up() -> Iterator[None]:
    """Break off what takes too much of the processor: the engine asks for signals while it compares."""

    def give_up(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, GIVEN_UP)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(found: Found, text: str | bytes) -> float:
    """How long an expression has the processor for a text; `GIVEN_UP` if it was broken off."""
    try:
        with given_up():
            began = thread_time()
            if found.is_searched:
                deque(found.pattern.finditer(text), maxlen=0)
            else:
                for use in found.uses:
                    getattr(found.pattern, use)(text)
            return thread_time() - began
    except TookTooLong:
        return GIVEN_UP


def part_of(text: str | bytes, share: int) -> str | bytes:
    """The first of so many parts of a text, with its end."""
    return text[: len(text) // share] + text[-1:]


def complaint(found: Found, text: str | bytes) -> str | None:
    """The fault in the time that an expression takes for a text, beside that for a fourth of it."""
    part, whole, least = part_of(text, 4), GIVEN_UP, GIVEN_UP
    for _ in range(TRIES):
        # One after the other: the machine's pace a second ago may have been another.
        whole, least = min(whole, seconds(found, text)), min(least, seconds(found, part))
        if whole < SHORT:
            return None
        if whole < MOST_GROWTH * least and (whole < SECONDS or whole < MOST_TIMES * seconds(PLAIN, TEXT)):
            return None
        if whole >= GIVEN_UP:
            break
    return f"{whole:.3f} s, and {least:.3f} s for a fourth: {found.where} with {text[:60]!r}...{text[-20:]!r}"


def first_complaint(found: Found) -> str | None:
    """The fault in the time that an expression takes for the first text with which there is one.

    A text is read as a whole if its sixteenth and its fourth foresee something wrong; so is the one whose sixteenth
    takes longest.
    """
    source, flags = found.pattern.pattern, found.pattern.flags
    longest, slowest = 0.0, None
    for attack in attacks(source.decode("latin-1") if isinstance(source, bytes) else source, flags):
        text = attack.encode("utf-8", "replace") if isinstance(source, bytes) else attack
        sixteenth = seconds(found, part_of(text, 16))
        if sixteenth > longest:
            longest, slowest = sixteenth, text
        if not is_foreseen(found, text, 16, sixteenth):
            continue
        fourth = seconds(found, part_of(text, 4))
        if is_foreseen(found, text, 4, fourth) and (wrong := complaint(found, text)):
            return wrong
    return complaint(found, slowest) if slowest is not None else None


def is_foreseen(found: Found, text: str | bytes, parts: int, took: float) -> bool:
    """Whether a text may be complained of, by the time that one of so many parts of it took, and a fourth of that."""
    if took * parts**2 < SHORT:
        return False
    # What ends with the first character may take no time that the clock shows.
    growth = took / max(seconds(found, part_of(text, 4 * parts)), RESOLUTION)
    # The share of the part's time that is by the square.
    square = max(0.0, (1 / LINEAR - 1 / growth) / (1 / LINEAR - 1 / SQUARE))
    whole, fourth = (took * (times * (1 - square) + times**2 * square) for times in (parts, parts / 4))
    return whole >= SHORT and (whole >= SECONDS or whole >= MOST_GROWTH * fourth)


def test_patterns_take_time_by_the_length_of_a_text():
    patterns, built = all_patterns()
    assert {one.where.split(":")[0] for one in built} == BUILDING
    assert not [*filter(None, map(first_complaint, patterns))]


@pytest.mark.parametrize("name", SLOW)
def test_a_pattern_that_takes_the_square_of_the_length_or_more_is_found(name):
    assert first_complaint(Found(name, re.compile(SLOW[name])))
