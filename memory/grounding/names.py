"""Finds the names in a statement.

A capital inside a sentence begins a name, except in German, which begins every noun with one, and except for words that
are often written so (words.toml). Names without capitals are known from the entities that a statement declares, from
the table of places, and from honorifics.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from memory.grounding.known_words import KIN, PLACES, is_common, is_known_name, is_latin_stop_word, is_unspaced, plain
from memory.text.languages import DEFAULT, LANGUAGES, votes
from memory.text.words import Word, read_words

# A project is often named by its matter; it stands if one of its words does.
_NAMED_WHOLE = frozenset({"person", "place", "org"})
_ANY_WORD = "project"
_OPENS = re.compile('[.!?:;\u2026\u00bf\u00a1\u2022*\u2013\u2014"\u201c\u201e\u00ab(\\[\n|/]')
_HONORIFIC = re.compile("(?:さん|さま|様|くん|君|ちゃん|先生|氏|先輩|선생님|씨|님|女士|小姐)$")
_ADDRESSED = re.compile("([一-龯々]{1,4}|[ァ-ヶー]{2,12})(?:さん|ちゃん|くん|君)")
_NO_NAMES_BEFORE = frozenset({"a", "an", "as"})
_ONE_LETTER = 1


class Name(NamedTuple):
    """A name in a statement.

    Attributes:
        words: Its words that must stand in the statement's sources; a run of an unspaced script is one.
        run: All words with capitals in a row, of which these are some: "University of Leeds" is named by one.
    """

    words: tuple[str, ...]
    run: tuple[str, ...]


def names_in(text: str, usual: str, known: Collection[str] = ()) -> Iterator[Name]:
    """Yield the names in a statement.

    Args:
        text: The statement.
        usual: The language of the words that it rests on, for a statement too short for its own to be recognised.
        known: Names that are known, in their plain form: they need no capital inside a sentence.
    """
    words = [word for word in read_words(text) if word.script == "spaced"]
    capitals_tell = _language(words, usual) != "de"
    before: Word | None = None
    named: list[str] = []
    run: list[str] = []
    in_common_run = False
    for word in words:
        between = text[before.end : word.start] if before else "\n"
        begins = before is None or bool(_OPENS.search(between))
        adjoins = between in {" ", "-"}
        name = plain(word.text)
        # "a Software Engineer", "as Head of Marketing"
        in_common_run = adjoins and bool(
            before and (plain(before.text) in _NO_NAMES_BEFORE or (in_common_run and before.text[0].isupper()))
        )
        if named and between == "-" and word.text.islower():
            # "Ji-eun" is one name in other texts; in "Berlin-based" the name ends before the hyphen.
            run.append(word.text)
        elif not adjoins or not word.text[0].isupper():
            if named:
                yield Name(tuple(named), tuple(run))
            named, run = [], []
        if word.text[0].isupper():
            run.append(word.text)
            if len(name) > _ONE_LETTER and not is_common(name) and not _is_stop(name):
                tells = capitals_tell and not begins and not in_common_run
                if tells or is_known_name(name) or name in known:
                    named.append(word.text)
        before = word
    if named:
        yield Name(tuple(named), tuple(run))
    yield from _unspaced(text)


def declared_names(declared: Collection[tuple[str, str]]) -> Iterator[tuple[str, Name]]:
    """Yield the type and the name of each declared entity that has one.

    Args:
        declared: The type and the name of each entity.
    """
    for entity_type, name in declared:
        if entity_type not in {*_NAMED_WHOLE, _ANY_WORD}:
            continue
        whole = _HONORIFIC.sub("", name.strip())
        if is_unspaced(whole):
            if whole and not is_common(plain(whole)) and not is_common(plain(name.strip())):
                yield entity_type, Name((whole,), (whole,))
            continue
        words = [word.text for word in read_words(whole)]
        named = [word for word in words if word[0].isupper() or not word.islower()]
        if named := [word for word in named if not is_common(plain(word)) and not _is_stop(plain(word))]:
            yield entity_type, Name(tuple(named), tuple(words))


def is_named_whole(entity_type: str) -> bool:
    """Whether each word of such an entity's name must stand, and not one of them only."""
    return entity_type in _NAMED_WHOLE


def _unspaced(text: str) -> Iterator[Name]:
    rest = text
    for place in PLACES.unspaced:
        if place in rest:
            rest = rest.replace(place, " ")
            yield Name((place,), (place,))
    for found in _ADDRESSED.finditer(text):
        if found[0] not in KIN and found[1] not in KIN and f"お{found[0]}" not in text:
            yield Name((found[1],), (found[1],))


def _language(words: Sequence[Word], usual: str) -> str:
    plain_words = [word.text.casefold() for word in words]
    counted = votes(plain_words)
    german, english = counted["de"], max((counted[code] for code in counted if code != "de"), default=0)
    if german == english:
        return usual
    return "de" if german > english else DEFAULT


def _is_stop(word: str) -> bool:
    return is_latin_stop_word(word) or word in LANGUAGES["ru"].stop_words
