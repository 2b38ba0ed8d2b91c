"""Shingles: hashes of a text's runs of words, which find the parts of one text that are repeated in another.

A run is eight consecutive words, or sixteen characters of a script without spaces, and at least 24 letters: longer than
two people's messages share by chance. Runs are compared by hash (w-shingling, Broder 1997); case, punctuation, white
space and the escapes of prompts are ignored.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import NamedTuple
from uuid import UUID

from memory.text.markup import Markup
from memory.text.words import read_words

RUN_WORDS = 8
RUN_UNSPACED = 16
RUN_LETTERS = 24
LEAST_LINE_LETTERS = 6

# The escape of a sign in prompts is no word.
_ESCAPE = re.compile(r"&(?:amp|lt|gt|quot);")
_LINE = re.compile(r"(?:(?! / )[^\n])+")
_SPACED = frozenset({"spaced", "hangul"})


class Span(NamedTuple):
    """A part of a text, as a half-open range of character offsets."""

    start: int
    end: int


class Shingle(NamedTuple):
    """The hash of a run of words and its position. If `line`, it is a whole line shorter than a run."""

    hash: int
    span: Span
    line: bool


class _Words(NamedTuple):
    """The words of a line, each with its position and whether its script is written without spaces."""

    texts: list[str]
    spans: list[tuple[int, int]]
    unspaced: list[bool]


def shingles(owner: UUID, text: str) -> Iterator[Shingle]:
    """Yield a shingle for every run of a text, and for every line shorter than a run.

    Args:
        owner: The owner of the text, a key of the hash: the same words of two owners have different hashes.
    """
    text = _ESCAPE.sub(lambda escape: " " * len(escape[0]), text)
    for line in _LINE.finditer(text):
        words = _words(text, line.start(), line.end())
        if len(words.texts) >= _run_length(words, 0):
            yield from _runs(owner, words)
        elif sum(map(len, words.texts)) >= LEAST_LINE_LETTERS:
            yield _shingle(owner, words, 0, len(words.texts), line=True)


def spans_in_tags(text: str, names: frozenset[str]) -> list[Span]:
    """Find the outermost parts of a text between tags of these names, including the tags, in order."""
    if "</" not in text:
        # A question reads hundreds of messages, and hardly one has a tag.
        return []
    return [Span(one.opens.start, one.closes.end) for one in Markup(text, names.__contains__).blocks("tag")]


def merge_spans(spans: Sequence[Span]) -> list[Span]:
    """Sort spans and merge those that touch or overlap."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def blank_spans(text: str, spans: Sequence[Span]) -> str:
    """Replace these parts, which `merge_spans` has merged, with spaces: the offsets of the rest stay the same."""
    kept, place = [], 0
    for start, end in spans:
        kept += [text[place:start], " " * (end - start)]
        place = end
    return "".join([*kept, text[place:]])


def _words(text: str, start: int, end: int) -> _Words:
    words = _Words([], [], [])
    for word, begins, ends, script in read_words(text, start, end):
        if script in _SPACED:
            words.texts.append(word.casefold())
            words.spans.append((begins, ends))
            words.unspaced.append(False)
        else:
            words.texts.extend(map(str.casefold, word))
            words.spans.extend((place, place + 1) for place in range(begins, ends))
            words.unspaced.extend([True] * len(word))
    return words


def _run_length(words: _Words, first: int) -> int:
    return RUN_UNSPACED if words.unspaced[first : first + 1] == [True] else RUN_WORDS


def _runs(owner: UUID, words: _Words) -> Iterator[Shingle]:
    letters = [0, *accumulate(map(len, words.texts))]
    for first in range(len(words.texts)):
        end = first + _run_length(words, first)
        if end < len(letters) and (words.unspaced[first] or letters[end] - letters[first] >= RUN_LETTERS):
            yield _shingle(owner, words, first, end, line=False)


def _shingle(owner: UUID, words: _Words, first: int, end: int, *, line: bool) -> Shingle:
    joined = "\0".join(("line" if line else "run", *words.texts[first:end]))
    hashed = blake2b(joined.encode(errors="surrogatepass"), digest_size=8, key=owner.bytes).digest()
    return Shingle(int.from_bytes(hashed, signed=True), Span(words.spans[first][0], words.spans[end - 1][1]), line)
