"""Tells statements apart that share most of their words but differ in what distinguishes them.

The vault seed's overlap calls "allergic to penicillin" a near-duplicate of "allergic to walnuts". Two similar texts are
distinct if their numbers or their negation differ, or if each has a content word that the other lacks (a substitution).
Content words that only one of them has are an elaboration, unless they are a quarter of it or more: "the user's mother
lives in Lisbon" is not "the user lives in Lisbon".
"""

import re
from collections.abc import Iterable

from rapidfuzz.distance import Levenshtein

from memory.text.languages import likeliest
from memory.text.negations import negates, negations
from memory.text.number_words import NUMERALS
from memory.text.words import is_stop_word, read_words, stem, without_possessive
from memory.vault.similarity import tokens

# In a longer text, one substituted word in this many content words is a rewording.
REWORDED = 20
ELABORATED = 4
LEAST_TYPO = 6

# Frequent words that tell nothing in a statement, beside the stop words of its language.
_FILLERS = frozenset(
    """
    after all also any because before each either every got more most much one only other out over own some such through
    until up while
    """.split()  # noqa: SIM905  # one word list, as it is read
)
_NUMERALS = frozenset({*NUMERALS, "half"})
_CAPITALISED = re.compile(r"\b[^\W\d_][\w]*")


def distinct(first: str, second: str) -> bool:
    """Returns true if two similar texts state different things; symmetric, and false for the same words reordered."""
    one, other = tokens(first), tokens(second)
    if negations(first) != negations(second):
        return True
    numbers, other_numbers = _numbers(one), _numbers(other)
    if numbers and other_numbers and numbers != other_numbers:
        return True
    language = likeliest([*one, *other])
    content, other_content = _content(first, language), _content(second, language)
    names = _capitalised(first) | _capitalised(second)
    left = _unmatched(content, other_content, names, language)
    other_left = _unmatched(other_content, content, names, language)
    if left and other_left:
        return min(len(left), len(other_left)) * REWORDED > min(len(content), len(other_content))
    longer = max(len(content), len(other_content))
    return longer > 0 and len(left or other_left) * ELABORATED >= longer


def _content(text: str, language: str) -> frozenset[str]:
    content = (word for word in read_words(text.casefold()) if word.script != "hiragana")
    found = {without_possessive(unit) for word in content for unit in word.units()}
    return frozenset(word for word in found - _FILLERS if not negates(word) and not is_stop_word(word, language))


def _numbers(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if word in _NUMERALS or any(sign.isdigit() for sign in word))


def _capitalised(text: str) -> frozenset[str]:
    return frozenset(word[0].casefold() for word in _CAPITALISED.finditer(text) if word[0][0].isupper())


def _unmatched(words: frozenset[str], others: frozenset[str], names: frozenset[str], language: str) -> frozenset[str]:
    """The words that have no equal, no inflection and no misspelling among the others; names are not inflected."""
    missing = words - others
    if not missing:
        return missing
    stems = {stem(other, language) for other in others - names}
    return frozenset(
        word
        for word in missing
        if (word in names or stem(word, language) not in stems)
        and not any(_misspelled(word, other, names) for other in others)
    )


def _misspelled(word: str, other: str, names: frozenset[str]) -> bool:
    """Whether two words of six letters or more differ by one letter that is not the first; names and numbers never."""
    if min(len(word), len(other)) < LEAST_TYPO or word[0] != other[0] or {word, other} & names:
        return False
    if any(sign.isdigit() for sign in word + other):
        return False
    return Levenshtein.distance(word, other, score_cutoff=1) <= 1
