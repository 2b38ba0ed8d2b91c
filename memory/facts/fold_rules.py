"""Rules on which similar facts say the same: an embedder places opposites, sides, numbers and names close together.

Vectors only nominate pairs. `near_identical` decides without a model; `may_say_the_same` rules out pairs that differ in
a word that changes the meaning, before a model is asked about the others.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path

from memory.text.negations import negations
from memory.text.number_words import NUMERAL_SIGNS, NUMERALS
from schemas.facts.fact_rows import Fact
from schemas.text.sentences import SENTENCE_ENDS

_WORDS = tomllib.loads(Path(__file__).with_name("fold_words.toml").read_text())
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)*|[$€£¥%°]")
# At the ends of words. A sign within them, as in "C#", or a mark of a letter, as in Hindi, makes another word.
_PUNCTUATION = (
    f"{SENTENCE_ENDS},;:\u2026\"'()[]\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014\u3001\uff0c\u300c\u300d"
)
_ARTICLES = frozenset({"a", "an", "the", "user", "user's", "users"})
_NUMBERS = {word: str(number) for word, number in {**NUMERALS, **NUMERAL_SIGNS, **_WORDS["numbers"]}.items()}
# A number in a word, as in "B12", or in a text without spaces.
_WITHIN = re.compile(rf"\d+|[{''.join(NUMERAL_SIGNS)}]")
_CHANGING = {word for group in _WORDS["opposites"] for word in group.split()} | {
    word for name in ("days_and_months", "units") for word in _WORDS[name].split()
}
# Of things, names differ with the wording; of these, they are another fact.
_NAMED_TYPES = frozenset({"person", "place", "org", "project"})


def near_identical(one: Fact, other: Fact) -> bool:
    """Whether two facts differ in nothing but case, punctuation and articles, and name the same entities."""
    return _names(one) == _names(other) and _plain(one.content) == _plain(other.content)


def may_say_the_same(one: Fact, other: Fact) -> bool:
    """Whether two facts agree in negation, sides, numbers, days, units, opposites and names."""
    return _names(one) == _names(other) and _markers(one.content) == _markers(other.content)


def _names(fact: Fact) -> frozenset[str]:
    return frozenset(ref for ref in fact.entity_refs if ref.partition(":")[0] in _NAMED_TYPES)


def _words(text: str) -> list[str]:
    return [word.replace("\u2019", "'") for word in _WORD.findall(text)]


def _plain(text: str) -> list[str]:
    plain = unicodedata.normalize("NFC", text).replace("\u2019", "'").casefold()
    words = (word.strip(_PUNCTUATION) for word in plain.split())
    return [word for word in words if word and word not in _ARTICLES]


def _markers(text: str) -> Counter[str]:
    """The words of a text that change its meaning, in one spelling each, and how often it negates."""
    found = Counter({"negated": negations(text)})
    for place, written in enumerate(_words(text)):
        word = written.casefold()
        stem = word if word in _CHANGING else word.removesuffix("s")
        whole = word[0].isdigit() or word in _NUMBERS
        for number in [word] if whole else _WITHIN.findall(word):
            found[f"number:{_NUMBERS.get(number, number)}"] += 1
        if whole:
            continue
        if stem in _CHANGING:
            found[stem] += 1
        elif place and written[0].isupper():
            # A capital inside a sentence, in scripts that have them, begins a name.
            found[f"name:{word}"] += 1
    return +found
