"""Similarity of texts as the vault seed measures it: shared tokens, and matching sequences of characters."""

from math import ceil

import numpy as np
from rapidfuzz.distance import Indel

from memory.text.words import read_words, without_possessive

SUBSTRING_BONUS = 0.3
RATIO_WEIGHT = 0.4
QUERY_CHARACTERS = 400
# The most by which two ways of computing the same ratio differ in floating point.
ROUNDING = 1e-9


def tokens(text: str) -> frozenset[str]:
    """The casefolded words of a text; for scripts without spaces, each pair of neighbouring letters."""
    return frozenset(unit for word in read_words(text.casefold()) for unit in map(without_possessive, word.units()))


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Shared tokens over the size of the smaller set, 0 to 1; 0 if one is empty."""
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def ratio(first: str, second: str, at_least: float = 0.0) -> float:
    """Python's `SequenceMatcher` ratio regardless of case and of the texts' order, 0 to 1; 0 if below `at_least`.

    `SequenceMatcher` itself is not used: its result depends on which text comes first, its junk heuristic finds nothing
    in common between a text of 200 characters and itself, and two adversarial texts of 1,200 characters take it 15 s.
    """
    one, other = sorted((first.casefold(), second.casefold()))
    most = ceil((len(one) + len(other)) * max(0.0, 1 - at_least))
    if Indel.distance(one, other, score_cutoff=most) > most:
        return 0.0
    both = len(one) + len(other)
    found = 2.0 * _matching(one, other) / both if both else 1.0
    return found if found >= at_least else 0.0


def ratio_at_most(first: str, second: str) -> float:
    """An upper bound of `ratio`, computed about a thousand times faster.

    It is the similarity by the longest common subsequence; the matching blocks of `ratio` are a common subsequence.
    """
    return Indel.normalized_similarity(first.casefold(), second.casefold()) + ROUNDING


def _matching(one: str, other: str) -> int:
    """The number of matching characters by Ratcliff and Obershelp: the longest common run, then the same on both sides.

    Among runs of one length it takes the one that `SequenceMatcher` takes: the first in `one`, and of these the first
    in `other`. The lengths of all runs are computed once, in one table, so that the worst texts take a third of a
    second and usual ones a hundredth.
    """
    codes, other_codes = (np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32) for text in (one, other))
    rows, columns = len(codes), len(other_codes)
    runs = np.zeros((rows + 1, columns + 1), dtype=np.int16)
    for row in range(rows - 1, -1, -1):
        np.multiply(runs[row + 1, 1:] + 1, other_codes == codes[row], out=runs[row, :-1])
    matched = 0
    parts = [(0, rows, 0, columns)]
    while parts:
        top, bottom, left, right = parts.pop()
        if top == bottom or left == right:
            continue
        # A run ends at the border of its part.
        within = np.minimum(runs[top:bottom, left:right], np.arange(bottom - top, 0, -1, dtype=np.int16)[:, None])
        np.minimum(within, np.arange(right - left, 0, -1, dtype=np.int16), out=within)
        row, column = divmod(int(within.argmax()), right - left)
        if length := int(within[row, column]):
            matched += length
            row, column = top + row, left + column
            parts += [(top, row, left, column), (row + length, bottom, column + length, right)]
    return matched


class Query:
    """A query that scores texts by the vault seed ("Search Scoring").

    The score is token overlap, + 0.3 if the text contains the query, + 0.4 times the sequence ratio (of the query's
    first 400 characters); it is 0 if query and text share no token.
    """

    def __init__(self, words: str) -> None:
        self.tokens = tokens(words)
        self._words = words.strip().casefold()

    def score(self, text: str) -> float:
        """The score of a text, 0 to 1.7."""
        plain = self._without_sequence(text)
        return plain and plain + RATIO_WEIGHT * ratio(self._words[:QUERY_CHARACTERS], text)

    def score_at_most(self, text: str) -> float:
        """An upper bound of the score, computed about a thousand times faster."""
        plain = self._without_sequence(text)
        return plain and plain + RATIO_WEIGHT * ratio_at_most(self._words[:QUERY_CHARACTERS], text)

    def _without_sequence(self, text: str) -> float:
        shared = overlap(self.tokens, tokens(text))
        return shared and shared + (SUBSTRING_BONUS if self._words in text.casefold() else 0.0)
