"""Whether a model's statement stands in its source texts ("grounded").

Each name and number of a statement must stand in its words: by value, spelled out, by an alias, inflected, or in
another script. A pronoun, a short answer or a left-out subject may also refer to the name, and an expression of time
to the day. Code can't decide whether the words *mean* the statement, since it may be a paraphrase or in another
language; `shares_a_word` returns whether they have a word in common.

One check serves facts, todos, scenes, summaries, the diary and merges; each has a `Ground` of its own.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from memory.grounding.known_words import is_city_of, is_latin_stop_word, is_unspaced, plain
from memory.grounding.names import Name, declared_names, is_named_whole, names_in
from memory.grounding.quantities import Stretch, TextQuantities, missing_quantities, quantities, read_text_quantities
from memory.grounding.text_names import TextNames
from memory.text.languages import DEFAULT, language_of_word
from memory.text.words import read_words, stem, words

Fault = Literal["a name that was not said", "a number that was not said"]
NAME: Fault = "a name that was not said"
NUMBER: Fault = "a number that was not said"
# A word and its translation often begin alike: "Vegetarian", "Vegetarier".
_LEAST_COGNATE = 5
# The text between a city and its country.
_BESIDE = re.compile(r"(?<![\s,(])[\s,(]++(?:in\s++)?$")
_WORDS_OF_A_CITY = 3


@dataclass(frozen=True)
class Ground:
    """The ground of a statement: the words from which it may take names and numbers.

    Attributes:
        words: The words that it rests on.
        referred: The words that these may refer to without naming it.
        answered: The question that they answer.
        known: Names that need not be said: of the user, the companion, and the speaker.
        aliases: Other names of entities (`text_names.alias_groups`).
        stretches: Reads the days that expressions of time in the words stand for.
        language: The language of the words, for statements too short for theirs to be recognised.
        counted: A number word up to this may be a count of things in the words.
    """

    words: str
    referred: str = ""
    answered: str = ""
    known: Collection[str] = frozenset()
    aliases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    stretches: Callable[[], Sequence[Stretch]] = tuple
    language: str = DEFAULT
    counted: int = 0

    def faults(self, statement: str, declared: Collection[tuple[str, str]] = ()) -> list[Fault]:
        """Find names, numbers and dates of a statement that its ground does not support.

        Args:
            declared: The entities that it names, each with its type.

        Returns:
            The kinds of unsupported items, each once; empty if it is grounded. They contain no words of the statement.
        """
        found: list[Fault] = []
        names = names_in(statement, self.language, self.aliases)
        if not all(self._is_grounded(name) or self._is_region(name, statement) for name in names) or not all(
            self._is_declared_rightly(name, statement, whole=is_named_whole(entity_type))
            for entity_type, name in declared_names(declared)
        ):
            found.append(NAME)
        if self.missing_numbers(statement):
            found.append(NUMBER)
        return found

    def missing_numbers(self, statement: str) -> list[str]:
        """Return the numbers and dates of a statement that its words lack, as "number 2" or "date 1"."""
        # Most statements have no number, most numbers stand in the words themselves, and expressions of time take
        # longest to read.
        stated = quantities(statement)
        if not stated or not missing_quantities(stated, self._numbers, counted=self.counted):
            return []
        return missing_quantities(stated, self._numbers_and_days, counted=self.counted)

    def shares_a_word(self, statement: str) -> bool:
        """Whether a statement has a content word, a name or a number in common with its words."""
        ground = _content(f"{self.words}\n{self.answered}\n{self.referred}")
        return any(
            word in ground or any(_are_cognates(word, other) for other in ground) for word in _content(statement)
        ) or any(map(self._is_grounded, names_in(statement, self.language, self.aliases)))

    @cached_property
    def _numbers(self) -> TextQuantities:
        return read_text_quantities(f"{self.words}\n{self.answered}", self.language)

    @cached_property
    def _numbers_and_days(self) -> TextQuantities:
        return replace(self._numbers, stretches=self.stretches())

    @cached_property
    def _told(self) -> TextNames:
        return TextNames(f"{self.words}\n{self.answered}", self.aliases, self.language)

    @cached_property
    def _told_before(self) -> TextNames:
        return TextNames(self.referred, self.aliases, self.language)

    @cached_property
    def _known(self) -> TextNames:
        return TextNames("\n".join(self.known), language=self.language)

    def _stands(self, name: str) -> bool:
        return (
            self._known.has(name) or self._told.stands(name) or (bool(self.referred) and self._told_before.stands(name))
        )

    def _is_grounded(self, name: Name) -> bool:
        return (
            all(map(self._stands, name.words))
            or self._told.has_run(name.run)
            or (bool(self.referred) and self._told_before.has_run(name.run))
        )

    def _is_region(self, name: Name, text: str) -> bool:
        """Whether a name is the country or state of a grounded city before it: "Berlin, Germany"."""
        run = re.escape(" ".join(name.run))
        for found in re.finditer(rf"\b{run}\b", text):
            before = [word.text for word in read_words(_BESIDE.sub("", text[: found.start()]))]
            for city in (before[-length:] for length in range(1, _WORDS_OF_A_CITY + 1) if length <= len(before)):
                stands = all(map(self._stands, city)) or self._told.has_run(city)
                if stands and is_city_of(plain(" ".join(city)), plain(" ".join(name.run))):
                    return True
        return False

    def _is_declared_rightly(self, name: Name, statement: str, *, whole: bool) -> bool:
        """Whether a declared name is grounded: its words in the statement all are, and one of its words at least."""
        if self._told.has_run(name.run):
            return True
        stated = TextNames(statement)
        needed = [word for word in name.words if stated.stands(word)] if whole else []
        needed = [word for word in needed if not self._is_region(Name((word,), (word,)), statement)]
        standing = any(self._stands(word) or self._told.has_word(plain(word)) for word in name.words)
        return standing and all(map(self._stands, needed))


def _content(text: str) -> frozenset[str]:
    return frozenset(
        stem(word, language_of_word(word, DEFAULT)) for word in words(text) if not is_latin_stop_word(word)
    )


def _are_cognates(one: str, other: str) -> bool:
    return len(one) >= _LEAST_COGNATE and one[:_LEAST_COGNATE] == other[:_LEAST_COGNATE] and not is_unspaced(one)
