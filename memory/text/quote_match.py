"""Verifies that a message contains the words that a model quotes from it ("no span, no fact").

The quotation and the message are compared as sequences of tokens (`memory/text/tokens.py`), and the message's own words
are the result. A quotation may differ in form, leave out emoji, and correct a typo inside a word of five letters or
more that is no name and no number. An ellipsis in it stands for words of the same sentence, none of which negates.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from rapidfuzz.distance import OSA

from memory.text.negations import negates
from memory.text.number_words import NUMBER_WORDS
from memory.text.prompt_escaping import unescaped
from memory.text.tokens import Token, tokens
from schemas.text.sentences import SENTENCE_ENDS
from schemas.text.storable import storable

TYPO_LETTERS = 5
# Nothing longer is a word that a person mistyped.
MOST_LETTERS = 40
_ELLIPSIS = re.compile(r"\.{2,}|\u2026")
# Labels that models write before a quotation: its speaker, its time, or its reference.
_LABEL = re.compile(r"\W*(?:\[[^\[\]\n]{1,40}\]\s*|[\w'\u2019. -]{1,40}:\s+){1,2}")
# Of a text that was encoded once too often.
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_SENTENCE_END = re.compile(rf"[{SENTENCE_ENDS}\n]")


def find_quote(quoted: str, text: str) -> str | None:
    """Find a quotation in a text.

    Args:
        quoted: The words that a model copied, escaped for prompts or for JSON or not, perhaps behind a speaker's name.
        text: The message's text.

    Returns:
        The words as the text has them; None if the text does not contain them, or nothing is quoted.
    """
    spoken = tokens(text)
    plain = unescaped(quoted)
    decoded = storable(_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), plain))
    label = _LABEL.match(decoded)
    for words in dict.fromkeys((quoted, plain, decoded, decoded[label.end() :] if label else decoded)):
        wanted = tokens(words)
        if wanted and (found := _find(wanted, words, spoken, text)):
            return _with_punctuation(text, *found, words, wanted)
    return None


def _find(wanted: Sequence[Token], words: str, spoken: Sequence[Token], text: str) -> tuple[int, int] | None:
    """Return the beginning and the end of the first match in the text."""
    places = _Places(wanted)
    matching = [places.of(token) for token in spoken]
    gaps = [bool(_ELLIPSIS.search(between)) for between in _between(wanted, words)]
    ends = [_ends_sentence(between) for between in _between(spoken, text)]
    last = _first_end(len(wanted), gaps, spoken, matching, ends)
    if last is None:
        return None
    # Backwards from there, the nearest beginning.
    top = len(wanted) - 1
    reversed_masks = [_mirrored(mask, top) for mask in matching[last::-1]]
    first = _first_end(len(wanted), gaps[::-1], spoken[last::-1], reversed_masks, ends[:last][::-1])
    return None if first is None else (spoken[last - first].start, spoken[last].end)


def _first_end(
    length: int, gaps: Sequence[bool], spoken: Sequence[Token], matching: Sequence[int], ends: Sequence[bool]
) -> int | None:
    """Run the quotation over the tokens as an automaton of bits (Shift-And), and return where it first is complete.

    Bit `n` says that its first `n + 1` tokens were matched, up to the current one.
    """
    gap_bits = sum(1 << place for place, gap in enumerate(gaps) if gap)
    complete = 1 << (length - 1)
    state = waiting = 0
    for place, (token, mask) in enumerate(zip(spoken, matching, strict=True)):
        if place and ends[place - 1]:
            skipping = waiting = 0
        else:
            skipping = waiting | state & gap_bits
        matched = ((state | waiting) << 1 | 1) & mask
        if matched & complete:
            return place
        waiting = 0 if negates(token.form) else skipping
        # Quotations often leave emoji out; one that says the opposite is not passed over.
        state = matched | state if token.kind == "emoji" and not negates(token.form) else matched
    return None


class _Places:
    """For each token of a text, the places in the quotation where it may stand, as bits."""

    def __init__(self, wanted: Sequence[Token]) -> None:
        exact: dict[str, int] = defaultdict(int)
        similar: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for place, token in enumerate(wanted):
            exact[token.form] |= 1 << place
            for signature in _signatures(token):
                similar[signature][token.form] |= 1 << place
        self._exact: Mapping[str, int] = exact
        self._similar: Mapping[str, Mapping[str, int]] = similar

    def of(self, token: Token) -> int:
        """Return the bits of the places where the token's form stands, or one typo away from it."""
        bits = self._exact.get(token.form, 0)
        for signature in _signatures(token):
            for form, places in self._similar.get(signature, {}).items():
                if form != token.form and _one_typo(form, token.form):
                    bits |= places
        return bits


def _signatures(token: Token) -> Iterator[str]:
    """Words that are one typo apart share one of these: the word, or it without one letter inside."""
    form = token.form
    if token.kind != "word" or token.capital or not TYPO_LETTERS <= len(form) <= MOST_LETTERS:
        return
    # In scripts with a letter for a syllable, or with marks for vowels, one more or less makes another word.
    if form.isalpha() and all(letter < "\u0530" or "\u1e00" <= letter < "\u2000" for letter in form):
        yield from {form, *(form[:place] + form[place + 1 :] for place in range(1, len(form) - 1))}


def _one_typo(one: str, other: str) -> bool:
    """Whether a slip of the keyboard inside a word explains the difference; endings and marks change the meaning."""
    return (
        one[0] == other[0]
        and one[-1] == other[-1]
        and OSA.distance(one, other, score_cutoff=1) == 1
        and _unmarked(one) != _unmarked(other)
        and not any(negates(word) or word in NUMBER_WORDS for word in (one, other))
    )


def _unmarked(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def _between(found: Sequence[Token], text: str) -> Iterator[str]:
    for one, other in pairwise(found):
        yield text[one.end : other.start]


def _ends_sentence(between: str) -> bool:
    return _SENTENCE_END.search(_ELLIPSIS.sub("", between)) is not None


def _mirrored(mask: int, top: int) -> int:
    mirrored = 0
    while mask:
        lowest = mask & -mask
        mirrored |= 1 << (top - lowest.bit_length() + 1)
        mask ^= lowest
    return mirrored


def _with_punctuation(text: str, start: int, end: int, words: str, wanted: Sequence[Token]) -> str:
    """The text from `start` to `end`, with the punctuation around it that is quoted as well."""
    before, after = words[: wanted[0].start].lstrip(), words[wanted[-1].end :].rstrip()
    while before and start and text[start - 1] == before[-1]:
        start, before = start - 1, before[:-1]
    while after and end < len(text) and text[end] == after[0]:
        end, after = end + 1, after[1:]
    return text[start:end].strip()
