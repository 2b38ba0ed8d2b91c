"""How alike two texts are, as the vault seed measures it: by shared tokens, and by matching sequences of characters."""

import re
from difflib import SequenceMatcher
from math import ceil

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
    text of 200 characters and itself.
    """
    one, other = sorted((first.casefold(), second.casefold()))
    most = ceil((len(one) + len(other)) * (1 - at_least))
    if Indel.distance(one, other, score_cutoff=most) > most:
        return 0.0
    found = SequenceMatcher(None, one, other, autojunk=False).ratio()
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
