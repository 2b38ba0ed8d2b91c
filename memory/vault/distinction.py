"""Distinguishes statements that share most of their words but differ in a number, a negation or a content word.

The vault seed's overlap calls "allergic to penicillin" a near-duplicate of "allergic to walnuts". Two similar texts are
distinct if their numbers, their negation or signs of words (C#) differ, or if each has a content word that the other
lacks (a substitution). Content words that only one of them has are an elaboration, unless they are a quarter of it or
more: "the user's mother lives in Lisbon" is not "the user lives in Lisbon".
"""

import re
from collections.abc import Iterable

from rapidfuzz.distance import Levenshtein

from memory.text.languages import language_of_word, likeliest
from memory.text.negations import negates, negations
from memory.text.number_words import NUMERALS
from memory.text.words import is_stop_word, read_words, stem, without_possessive
from memory.vault.similarity import tokens

# In a longer text, one substituted word in this many content words is a rewording.
REWORDED = 20
ELABORATED = 4
LEAST_TYPO = 6

# Frequent words that do not distinguish statements, beside the stop words of their language.
_FILLERS = frozenset(
    """
    after all also any because before each either every got more most much one only other out over own some such through
    until up while
    """.split()  # noqa: SIM905  # one word list, as it is read
)
# The endings of a man and of a woman, by which a brother differs from a sister and no other inflection does.
_GENDERS = {
    "es": (("o", "a"), ("os", "as"), ("e", "a"), ("es", "as"), ("", "a")),
    "pt": (("o", "a"), ("os", "as"), ("", "a"), ("\u00e3o", "\u00e3")),
    "it": (("o", "a"), ("i", "e"), ("e", "a")),
    "fr": (("", "e"), ("s", "es")),
    "hi": (("\u093e", "\u0940"),),
}
_NUMERALS = frozenset({*NUMERALS, "half"})
_SIGNED = re.compile(r"[^\W_][#+]{1,2}(?!\w)")
_CAPITALISED = re.compile(r"\b[^\W\d_][\w]*")


def distinct(first: str, second: str) -> bool:
    """Returns true if two similar texts state different things; symmetric, and false for the same words reordered."""
    one, other = tokens(first), tokens(second)
    if negations(first) != negations(second) or _signed(first) != _signed(second):
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


def _signed(text: str) -> frozenset[str]:
    """The words that a sign makes others of, as in C# and C++."""
    return frozenset(_SIGNED.findall(text.casefold()))


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
    stems = {other: None if other in names else stem(other, language) for other in others}

    def has_form(word: str) -> bool:
        root = None if word in names else stem(word, language)
        genders = _GENDERS.get(language_of_word(word, language), ())
        return any(
            ((root is not None and root == stems[other]) or _misspelled(word, other, names))
            and not any(_differ_in_gender(word, other, endings) for endings in genders)
            for other in others
        )

    return frozenset(word for word in missing if not has_form(word))


def _differ_in_gender(one: str, other: str, endings: tuple[str, str]) -> bool:
    man, woman = endings
    return any(
        first.endswith(man) and second == first.removesuffix(man) + woman
        for first, second in ((one, other), (other, one))
    )


def _misspelled(word: str, other: str, names: frozenset[str]) -> bool:
    """Whether two words of six letters or more differ by one letter that is not the first; names and numbers never."""
    if min(len(word), len(other)) < LEAST_TYPO or word[0] != other[0] or {word, other} & names:
        return False
    if any(sign.isdigit() for sign in word + other):
        return False
    return Levenshtein.distance(word, other, score_cutoff=1) <= 1
