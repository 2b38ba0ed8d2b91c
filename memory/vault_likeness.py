"""How alike two texts are, as the vault seed measures it: by shared tokens, and by matching sequences of characters."""

import re
from math import ceil

import numpy as np
from rapidfuzz.distance import Indel

from schemas.limits import VAULT_OVERLAP

# Scripts that write no spaces: pairs of their letters stand in for words.
_UNSPACED = r"぀-ヿ㐀-鿿豈-﫿가-힣"
_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")

SUBSTRING_BONUS = 0.3
RATIO_WEIGHT = 0.4
QUERY_CHARACTERS = 400
# By how much two ways of dividing the same numbers may differ.
ROUNDING = 1e-9


def tokens(text: str) -> frozenset[str]:
    """The words of a text without their case; of scripts without spaces, each pair of neighbouring letters."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _IS_UNSPACED.match(word) and len(word) > 1:
            found.update(word[place : place + 2] for place in range(len(word) - 1))
        else:
            found.add(word)
    return frozenset(found)


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Shared tokens over the smaller of two sets, 0 to 1; 0 where one is empty."""
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def ratio(first: str, second: str, at_least: float = 0.0) -> float:
    """Python's `SequenceMatcher` ratio without regard to case or order, 0 to 1; 0 where it is below `at_least`.

    `SequenceMatcher` alone depends on which text comes first, and its notion of junk finds nothing in common between a
    text of 200 characters and itself. Nor does it take part here: two texts of 1,200 characters that somebody has made
    up for it keep it busy for 15 seconds.
    """
    one, other = sorted((first.casefold(), second.casefold()))
    most = ceil((len(one) + len(other)) * (1 - at_least))
    if Indel.distance(one, other, score_cutoff=most) > most:
        return 0.0
    both = len(one) + len(other)
    found = 2.0 * _matching(one, other) / both if both else 1.0
    return found if found >= at_least else 0.0


def ratio_at_most(first: str, second: str) -> float:
    """What `ratio` is at most: the similarity by the longest common subsequence, of which matching blocks are one.

    It is found about a thousand times faster.
    """
    return Indel.normalized_similarity(first.casefold(), second.casefold()) + ROUNDING


def nearly_the_same(first: str, second: str, threshold: float) -> bool:
    """Whether two texts share 60 % of their tokens, or are alike as sequences from the threshold on."""
    shared = overlap(tokens(first), tokens(second))
    return shared >= VAULT_OVERLAP or ratio(first, second, threshold) >= threshold


def _matching(one: str, other: str) -> int:
    """How many characters match: the longest common run, and likewise what is before and behind it.

    That is Ratcliff's and Obershelp's, with the choice that `SequenceMatcher` makes among runs of one length: the first
    in `one`, and of these the first in `other`. How long the run from each pair of places on is, is found once, so
    that the worst texts take a third of a second and usual ones a hundredth.
    """
    signs, others = (np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32) for text in (one, other))
    rows, columns = len(signs), len(others)
    runs = np.zeros((rows + 1, columns + 1), dtype=np.int16)
    for row in range(rows - 1, -1, -1):
        np.multiply(runs[row + 1, 1:] + 1, others == signs[row], out=runs[row, :-1])
    matched = 0
    parts = [(0, rows, 0, columns)]
    while parts:
        top, bottom, left, right = parts.pop()
        if top == bottom or left == right:
            continue
        # No run goes on beyond its part.
        within = np.minimum(runs[top:bottom, left:right], np.arange(bottom - top, 0, -1, dtype=np.int16)[:, None])
        np.minimum(within, np.arange(right - left, 0, -1, dtype=np.int16), out=within)
        row, column = divmod(int(within.argmax()), right - left)
        if length := int(within[row, column]):
            matched += length
            row, column = top + row, left + column
            parts += [(top, row, left, column), (row + length, bottom, column + length, right)]
    return matched


class Query:
    """What is looked for; `score` is how well a text answers it, by the vault seed.

    That is token overlap, + 0.3 where the query stands in the text, + 0.4 times the sequence ratio (for which the first
    400 characters of a query count); and 0 where query and text share no token.

    Args:
        words: The query.
    """

    def __init__(self, words: str) -> None:
        self.tokens = tokens(words)
        self._words = words.strip().casefold()

    def score(self, text: str) -> float:
        """How well a text answers."""
        plain = self._without_sequence(text)
        return plain and plain + RATIO_WEIGHT * ratio(self._words[:QUERY_CHARACTERS], text)

    def score_at_most(self, text: str) -> float:
        """What the score is at most, found about a thousand times faster."""
        plain = self._without_sequence(text)
        return plain and plain + RATIO_WEIGHT * ratio_at_most(self._words[:QUERY_CHARACTERS], text)

    def _without_sequence(self, text: str) -> float:
        shared = overlap(self.tokens, tokens(text))
        return shared and shared + (SUBSTRING_BONUS if self._words in text.casefold() else 0.0)
