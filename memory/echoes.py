"""Marks of a text's runs of words, by which it is recognised in another text, and where it stands there.

A run is eight words on end, or sixteen characters of a script without spaces, and at least 24 letters: longer than what
two people say alike by chance. Runs are compared by hash (w-shingling, Broder 1997); case, punctuation, white space and
the escapes of fences play no part.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID

RUN_WORDS = 8
RUN_UNSPACED = 16
RUN_LETTERS = 24
LEAST_LINE_LETTERS = 6

# Characters of scripts that are written without spaces: kana, Han, Thai, Lao, Burmese, Khmer.
_UNSPACED = (
    r"\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    r"\U00020000-\U000323af"
)
_WORD = re.compile(rf"&(?:amp|lt|gt|quot);|(?P<unspaced>[{_UNSPACED}])|(?P<word>[^\W_{_UNSPACED}]+)")
_LINE = re.compile(r"(?:(?! / )[^\n])+")
_TAG = re.compile(r"<(?P<closing>/?)(?P<name>[A-Za-z][\w-]{0,62})(?:\s[^<>]{0,500})?>")


class Span(NamedTuple):
    """A part of a text, from its first character to the one behind its last."""

    start: int
    end: int


class Mark(NamedTuple):
    """A run of words in a text, by its hash. A `line` is too short to be a run and was taken whole."""

    hash: int
    span: Span
    line: bool


class _Word(NamedTuple):
    text: str
    span: Span
    unspaced: bool


def marks(owner: UUID, text: str) -> Iterator[Mark]:
    """Every run of a text, and its lines that are shorter than one.

    Args:
        owner: Whose text it is; the same words of two owners have different marks.
        text: The text.
    """
    for line in _LINE.finditer(text):
        words = list(_words(text, line.start(), line.end()))
        if _fill_a_run(words):
            yield from _runs(owner, words)
        elif sum(len(word.text) for word in words) >= LEAST_LINE_LETTERS:
            yield _mark(owner, words, line=True)


def within_fences(text: str, names: frozenset[str]) -> list[Span]:
    """What stands between a fence's tags, with them; a fence that is never closed is none.

    Args:
        text: The text.
        names: Fences to look for.
    """
    found: list[Span] = []
    opened: dict[str, int] = {}
    for tag in _TAG.finditer(text):
        name = tag["name"]
        if name in names and not tag["closing"]:
            opened.setdefault(name, tag.start())
        elif name in opened:
            found.append(Span(opened.pop(name), tag.end()))
    return joined(found)


def joined(spans: Sequence[Span]) -> list[Span]:
    """The same parts in order, those that touch or overlap as one."""
    whole: list[Span] = []
    for span in sorted(spans):
        if whole and span.start <= whole[-1].end:
            whole[-1] = Span(whole[-1].start, max(whole[-1].end, span.end))
        else:
            whole.append(span)
    return whole


def blanked(text: str, spans: Sequence[Span]) -> str:
    """The text with spaces in place of these parts, so that what is left stands where it stood."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _words(text: str, start: int, end: int) -> Iterator[_Word]:
    for found in _WORD.finditer(text, start, end):
        if found.lastgroup:
            yield _Word(found[0].casefold(), Span(*found.span()), found.lastgroup == "unspaced")


def _fill_a_run(words: Sequence[_Word]) -> bool:
    return len(words) >= (RUN_UNSPACED if words and words[0].unspaced else RUN_WORDS)


def _runs(owner: UUID, words: Sequence[_Word]) -> Iterator[Mark]:
    for first, word in enumerate(words):
        run = words[first : first + (RUN_UNSPACED if word.unspaced else RUN_WORDS)]
        if _fill_a_run(run) and (word.unspaced or sum(len(each.text) for each in run) >= RUN_LETTERS):
            yield _mark(owner, run, line=False)


def _mark(owner: UUID, words: Sequence[_Word], *, line: bool) -> Mark:
    said = "\0".join(("line" if line else "run", *(word.text for word in words)))
    hashed = blake2b(said.encode(errors="surrogatepass"), digest_size=8, key=owner.bytes).digest()
    return Mark(int.from_bytes(hashed, signed=True), Span(words[0].span.start, words[-1].span.end), line)
