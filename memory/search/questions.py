"""Reading a question: its terms, and the speakers that it names."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.search.terms import digest
from memory.text.words import is_stop_word, stem, without_possessive, words

# The most terms that are read of a question; longer ones are texts, and their beginnings name their subjects.
MOST_TERMS = 64
LEAST_SHORT_NAME = 3


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the question: as the index knows it, and whether it names a speaker."""

    digest: int
    name: bool


def read(query: str, language: str, names: Sequence[str]) -> tuple[list[Term], frozenset[str]]:
    """The terms of a question, each once, and the speakers that it names, in lower case.

    Args:
        query: The question.
        language: The language of the Being's words.
        names: The people that it may name; a short form of at least three letters will do.
    """
    everything = words(query)
    telling = [word for word in everything if not is_stop_word(word, language)] or everything
    called = {word: _names_with_word(word, names) for word in telling}
    named = frozenset(name for word in telling for name in called[word])
    read_as = {stem(word, language): bool(called[word]) for word in telling}
    terms = [Term(digest(term), name) for term, name in read_as.items()][:MOST_TERMS]
    # A question that names every speaker singles out none.
    speakers = {name.casefold() for name in names[:-1]}
    return terms, frozenset() if speakers and speakers <= named else named


def _names_with_word(word: str, names: Sequence[str]) -> list[str]:
    """The names, in lower case, of which this word is a part, or the beginning of one."""
    plain = without_possessive(word)
    return [
        name.casefold()
        for name in names
        for part in words(name)
        if part == plain or (len(plain) >= LEAST_SHORT_NAME and part.startswith(plain))
    ]
