"""Words that are no names, names that stand for one place, and the form in which words are compared.

The tables are words.toml and known_names.toml.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from memory.grounding.name_similarity import GIVEN_NAMES
from memory.text.time_expressions.resolution import LANGUAGES
from memory.text.words import is_stop_word, read_words, without_possessive

# A few words of one of these languages may look like another's.
LATIN = ("en", "de", "fr", "es")

_LATIN_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_CYRILLIC = re.compile("[\u0400-\u052f]")
_HERE = Path(__file__).parent
_TABLE = tomllib.loads((_HERE / "words.toml").read_text())
_NAMES = tomllib.loads((_HERE / "known_names.toml").read_text())
_PLACES: list[str] = _NAMES["places"]
_LEAST_STEM = 2


@lru_cache(50_000)
def plain(word: str) -> str:
    """A word in the form in which names are compared: NFKC, case folded, without possessive and Latin accents."""
    folded = without_possessive(unicodedata.normalize("NFKC", word).casefold())
    if folded.isascii() or _CYRILLIC.search(folded):
        return folded
    apart = unicodedata.normalize("NFD", folded)
    # Only Latin letters lose their marks: in other scripts a mark makes another letter.
    return unicodedata.normalize("NFC", _LATIN_MARKS.sub("", apart))


def is_unspaced(text: str) -> bool:
    """Whether a text is written in a script without spaces, or in Hangul."""
    return any(word.script != "spaced" for word in read_words(text))


# Words for the user and the assistant that models know from their training, or translate into the language of the talk.
ROLES: dict[str, frozenset[str]] = {role: frozenset(words.split()) for role, words in _TABLE["roles"].items()}
_COMMON = frozenset(plain(word) for word in _TABLE["common"].split() if not word.endswith("*")) | frozenset(
    plain(word) for words in ROLES.values() for word in words
)
_COMMON_STEMS = tuple(word[:-1] for word in _TABLE["common"].split() if word.endswith("*"))
KIN = frozenset(map(plain, _TABLE["kin"].split()))
_TIMES = frozenset(
    plain(part)
    for language in LANGUAGES.values()
    if language.spaced
    for kind in ("month", "weekday", "holiday", "season")
    for word in language.words.get(kind, {})
    for part in word.split()
)
_GIVEN = frozenset(name for forms in GIVEN_NAMES for name in forms) | frozenset(map(plain, _TABLE["given"].split()))


def is_common(word: str) -> bool:
    """Whether a word, in its plain form, is no name though it is often written as one."""
    return word in _COMMON or word in KIN or word in _TIMES or word.startswith(_COMMON_STEMS)


def names_kin(text: str) -> bool:
    """Whether a text names a person by a relationship, as "mother" or "friend"."""
    if is_unspaced(text):
        return any(word in text for word in KIN if not word.isascii())
    return not KIN.isdisjoint(plain(word.text) for word in read_words(text))


def is_latin_stop_word(word: str) -> bool:
    """Whether a word is a stop word of a language in Latin letters."""
    return any(is_stop_word(word, code) for code in LATIN)


class _Places:
    """The names of places: which place a name is of, and all names of it."""

    def __init__(self) -> None:
        self._whole: dict[str, list[int]] = {}
        self._stems: list[tuple[str, int]] = []
        self._names: list[list[tuple[str, bool]]] = []
        for number, line in enumerate(_PLACES):
            names = [(plain(name.rstrip("*").replace("_", " ")), name.endswith("*")) for name in line.split()]
            self._names.append(names)
            for name, is_stem in names:
                self._whole.setdefault(name, []).append(number)
                if is_stem:
                    self._stems.append((name, number))
        self.unspaced = sorted((name for name in self._whole if is_unspaced(name)), key=len, reverse=True)

    def of(self, name: str) -> list[int]:
        """The places that a plain name may be of."""
        found = list(self._whole.get(name, ()))
        return found or [number for stem, number in self._stems if len(stem) >= _LEAST_STEM and name.startswith(stem)]

    def names(self, name: str) -> Iterator[tuple[str, bool]]:
        """All names of the places that a plain name may be of; those with true have any ending."""
        for number in self.of(name):
            yield from self._names[number]


PLACES = _Places()


def _same_places(name: str) -> frozenset[int | str]:
    """Return the key of a place: its numbers in the table of places, or its name."""
    return frozenset(PLACES.of(name)) or frozenset({name})


_CITIES: dict[int | str, set[int | str]] = {}
for _line in _NAMES["regions"]:
    _region, _, _cities = _line.partition(" = ")
    for _key in _same_places(plain(_region.replace("_", " "))):
        _CITIES.setdefault(_key, set()).update(
            key for city in _cities.split() for key in _same_places(plain(city.replace("_", " ")))
        )


def is_city_of(city: str, region: str) -> bool:
    """Whether a city, named alone, is nearly always that of a country or state; both in their plain form."""
    cities = _same_places(city)
    return any(not cities.isdisjoint(_CITIES.get(key, ())) for key in _same_places(region))


def is_known_name(word: str) -> bool:
    """Whether a word, in its plain form, is a name by itself: of a place, or a common given name."""
    return word in _GIVEN or bool(PLACES.of(word))
