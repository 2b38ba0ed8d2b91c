"""How alike two texts are, as the vault seed measures it: by shared tokens, and by matching sequences of characters."""

import re
from difflib import SequenceMatcher
from math import ceil

from rapidfuzz.distance import Indel

# Scripts that write no spaces: pairs of their letters stand in for words.
_UNSPACED = r"぀-ヿ㐀-鿿豈-﫿가-힣"
_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")

SUBSTRING_BONUS = 0.3
RATIO_WEIGHT = 0.4


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
    text of 200 characters and itself. Matching blocks are a common subsequence, so that the ratio is never above the
    similarity by the longest one, which is a thousand times faster to find and decides most cases.
    """
    one, other = sorted((first.casefold(), second.casefold()))
    most = ceil((len(one) + len(other)) * (1 - at_least))
    if Indel.distance(one, other, score_cutoff=most) > most:
        return 0.0
    found = SequenceMatcher(None, one, other, autojunk=False).ratio()
    return found if found >= at_least else 0.0


def likeness(first: str, second: str, at_least: float = 0.0) -> float:
    """The greater of token overlap and sequence ratio, 0 to 1; 0 where both are below `at_least`."""
    shared = overlap(tokens(first), tokens(second))
    return max(shared if shared >= at_least else 0.0, ratio(first, second, at_least))


def score(query: str, text: str) -> float:
    """How well a text answers a query: the vault seed's search score; 0 where they share no token.

    Token overlap, + 0.3 where the query stands in the text, + 0.4 times the sequence ratio.
    """
    shared = overlap(tokens(query), tokens(text))
    if not shared:
        return 0.0
    bonus = SUBSTRING_BONUS if query.strip().casefold() in text.casefold() else 0.0
    return shared + bonus + RATIO_WEIGHT * ratio(query, text)
