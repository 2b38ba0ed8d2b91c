"""Whether a name stands in a text: unchanged, inflected, joined, by an alias, misspelt, or in another script."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from memory.grounding import readings
from memory.grounding.known_words import PLACES, is_unspaced, plain
from memory.grounding.name_similarity import GIVEN_NAMES, compare_names
from memory.text.entity_names import slug
from memory.text.languages import DEFAULT
from memory.text.words import read_words, stem

# A shorter beginning is shared by names that have nothing to do with each other.
_LEAST_STEM = 3
_WORDS_JOINED = 5
_LEAST_INITIALS = 2
_LONGEST_READ = 10
_LEAST_SOUNDS = 2
# Endings that names take in languages in Latin letters, and that make no other name.
_ENDINGS = frozenset({"s", "es", "en", "n", "ns", "ens", "er", "ers", "ern"})
_APOSTROPHE = re.compile("['\u2019]")
# Arabic and Hebrew write prepositions, "and" and the article at the beginning of a word; in Russian "with Ivan" has an
# ending that is a sound of its own.
_AROUND = re.compile(
    "(?=[א-ת\u0621-\u064a])(?:[وف]?[بلك]?(?:ال|(?<=ل)ل)?|ו?[בלכמש]?ה?)(?P<behind>\\w{2,})"
    "|(?P<before>[а-яёіїєґ]{2,})(?:[оеё]м|[ыи]м)",
    re.IGNORECASE,
)
# Languages in Latin or Greek letters that put names into cases, and of these the ones with endings that drop a vowel.
_CASES, _FLEETING = frozenset({"cs", "el", "fi", "hu", "pl", "tr"}), frozenset({"cs", "pl"})
_FLEETING_VOWEL = re.compile("e(?=[^aeiouy]$)")
_LATIN = re.compile("[a-z]")
_HAN = re.compile("[\u3005\u4e00-\u9fff]{2}")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
# Names in romaji and pinyin, which Han characters without a known reading may stand for.
_ROMAJI = re.compile(
    r"(?>(?:ky|sh|ch|ny|hy|my|ry|gy|by|py|ts|[kgsztdnhbpmyrwjf])?[aiueo]"
    r"|n(?![aiueoy])|k(?=k)|s(?=s)|t(?=t)|p(?=p))++"
)
_PINYIN = re.compile(
    r"(?>(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?(?:iang|iong|uang|[aeiou]{1,3}+(?:ng|n(?![aeiou])|r(?![aeiou]))?))++"
)


@dataclass(frozen=True)
class TextNames:
    """The names in a text.

    Attributes:
        aliases: By each name in its plain form, the other names of the same entity.
        language: The language that the text is taken for.
    """

    text: str
    aliases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    language: str = DEFAULT

    def stands(self, name: str) -> bool:
        """Whether a name, one word or a run of an unspaced script, stands in the text."""
        return any(map(self._stands, _forms(name)))

    def has(self, name: str) -> bool:
        """Whether a name stands in the text unchanged or inflected."""
        return any(map(self._has, _forms(name)))

    def _stands(self, key: str) -> bool:
        return (
            self._has(key)
            or any(self._has(other) for other in self.aliases.get(key, ()))
            or self._is_place(key)
            or self._is_given(key)
            or self._is_variant(key)
            or self._sounds_alike(key)
        )

    def has_word(self, word: str) -> bool:
        """Whether a word, in its plain form, or one that begins alike, is in the text."""
        return word in self._words or any(_begin_alike(word, other) for other in self._beginning(word))

    @cached_property
    def _flat(self) -> str:
        return "".join(plain(self.text).split())

    @cached_property
    def _spaced(self) -> list[str]:
        """The words of the text in scripts with spaces, in order."""
        return [word.text for word in read_words(self.text) if word.script == "spaced"]

    @cached_property
    def _sequence(self) -> list[str]:
        """The plain words of the text, in order; of "d'Anna" and "Ankara'da" the parts as well."""
        found: list[str] = []
        for word in self._spaced:
            parts = [part for part in _APOSTROPHE.split(word) if part]
            found += map(plain, parts if len(parts) > 1 else [word])
        return found

    @cached_property
    def _words(self) -> frozenset[str]:
        within = filter(None, map(_AROUND.fullmatch, self._spaced))
        return frozenset(
            (*self._sequence, *map(plain, self._spaced), *(plain(word["behind"] or word["before"]) for word in within))
        )

    @cached_property
    def _by_letters(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self._words:
            found.setdefault(word[:_LEAST_STEM], []).append(word)
        return found

    def _beginning(self, word: str) -> Sequence[str]:
        """The words that begin with the same letters."""
        return self._by_letters.get(word[:_LEAST_STEM], ())

    @cached_property
    def _joined(self) -> frozenset[str]:
        """Neighbouring words as one ("Tech Startup", TechStartup), and their initials (New York City, NYC)."""
        sequence = self._sequence
        return frozenset(
            joined
            for place in range(len(sequence))
            for length in range(2, _WORDS_JOINED + 1)
            if place + length <= len(sequence)
            for joined in (
                "".join(sequence[place : place + length]),
                "".join(w[0] for w in sequence[place : place + length]),
            )
        )

    def has_run(self, words: Sequence[str]) -> bool:
        """Whether several words stand in the text as one name: "New York City" as NYC, "Los Angeles" as LA."""
        if len(words) < _LEAST_INITIALS:
            return False
        plain_words = [plain(word) for word in words]
        if "".join(word[:1] for word in plain_words) in self._words or self._sounds_alike("".join(plain_words)):
            return True
        return any(
            self._is_place(" ".join(plain_words[start:end]))
            for start in range(len(words))
            for end in range(start + _LEAST_INITIALS, len(words) + 1)
        )

    @cached_property
    def _sounds(self) -> frozenset[str]:
        """The sounds of the words, and of the parts of runs in scripts without spaces."""
        sounds = set(map(readings.sound, self._words))
        for word in read_words(self.text):
            if word.script == "spaced":
                continue
            for start in range(len(word.text)):
                if start and not readings.is_readable(word.text[start]):
                    continue
                for end in range(start + 1, min(len(word.text), start + _LONGEST_READ) + 1):
                    if not readings.is_readable(word.text[end - 1]):
                        break
                    sounds.add(readings.sound(word.text[start:end]))
        return frozenset(sounds)

    def _has(self, key: str) -> bool:
        if " " in key:
            return key.replace(" ", "") in self._joined or (is_unspaced(key) and key.replace(" ", "") in self._flat)
        if is_unspaced(key):
            return key in self._flat
        return (
            key in self._words
            or any(_inflected(key, other) for other in self._beginning(key))
            or self._stem(key) in self._stems
            or key in self._joined
            or key.translate(_UMLAUTS) in self._words
        )

    def _stem(self, key: str) -> str:
        """Return the stem of a name in a language with cases; empty if it has none, or is too short for evidence."""
        stemmed = stem(key, self.language) if self.language in _CASES else ""
        if self.language in _FLEETING:
            stemmed = _FLEETING_VOWEL.sub("", stemmed)
        return stemmed if len(stemmed) >= _LEAST_STEM else ""

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(filter(None, map(self._stem, self._words)))

    def _is_place(self, key: str) -> bool:
        return any(
            self._has(name)
            or (any_ending and not is_unspaced(name) and any(word.startswith(name) for word in self._beginning(name)))
            for name, any_ending in PLACES.names(key)
        )

    def _is_given(self, key: str) -> bool:
        return any(key in forms and not self._words.isdisjoint(forms) for forms in GIVEN_NAMES)

    def _is_variant(self, key: str) -> bool:
        if len(key) <= _LEAST_STEM or not _LATIN.match(key):
            return False
        name = slug(key)
        near = (word for word in self._words if word[0] == key[0] and abs(len(word) - len(key)) < _LEAST_STEM)
        return any(compare_names(name, slug(word)) is not None for word in near)

    def _sounds_alike(self, key: str) -> bool:
        """Whether a word in another script has the same sound, or characters without known readings may have it."""
        latin = bool(_LATIN.match(key))
        foreign = latin != bool(_LATIN.search(self._flat)) or any(not sign.isascii() for sign in self._flat)
        if not foreign:
            return False
        sound = readings.sound(key)
        if sound in (self._sounds_of_other_scripts if latin else self._sounds) and len(sound) >= _LEAST_SOUNDS:
            return True
        may_be_read = bool(_ROMAJI.fullmatch(key) or _PINYIN.fullmatch(key))
        return latin and may_be_read and not PLACES.of(key) and _HAN.search(self._flat) is not None

    @cached_property
    def _sounds_of_other_scripts(self) -> frozenset[str]:
        """The sounds of the text's words in other scripts than Latin."""
        kept = "".join(sign if not sign.isascii() or not sign.isalpha() else " " for sign in self.text)
        return TextNames(kept)._sounds  # noqa: SLF001 - the same class


def alias_groups(groups: Sequence[Sequence[str]]) -> dict[str, frozenset[str]]:
    """By each name in its plain form, the other names of the same entity.

    Args:
        groups: The names of each entity; of those of several words each word counts.
    """
    found: dict[str, frozenset[str]] = {}
    for group in groups:
        names = frozenset(_parts(group))
        for name in names:
            found[name] = found.get(name, frozenset()) | names - {name}
    return found


def _forms(name: str) -> list[str]:
    """Return a name in its plain form, and without the ending behind an apostrophe, as of "Ankara'da"."""
    whole = plain(name)
    bare = _APOSTROPHE.split(whole)[0]
    return [whole, bare] if _LEAST_STEM <= len(bare) < len(whole) else [whole]


def _parts(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield plain(name)
        if not is_unspaced(name):
            yield from (plain(word.text) for word in read_words(name))


def _inflected(one: str, other: str) -> bool:
    """Whether two names are forms of one."""
    short, long = sorted((one, other), key=len)
    if len(short) < _LEAST_STEM:
        return False
    if _LATIN.match(short):
        return long.startswith(short) and long[len(short) :] in _ENDINGS
    # Cases change the last letters in other alphabets.
    shared = _shared(short, long)
    return shared >= max(_LEAST_STEM, len(short) - 2) and len(long) - shared <= _LEAST_STEM


def _begin_alike(one: str, other: str) -> bool:
    shared = _shared(one, other)
    return shared >= _LEAST_STEM + 1 and shared >= min(len(one), len(other)) - 2


def _shared(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
