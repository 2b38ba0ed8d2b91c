"""The words of a text, in every script: read alike by the search, recall, topic names, echoes and the vault.

A word is a run of letters and digits, with its marks and with apostrophes inside it. Scripts that put no spaces between
words, and Hangul, with particles attached to its words, are read as runs of one script each; the overlapping pairs of
their characters (CJK bigrams) stand for words. Stop words carry no information in the language that a text is read in;
a stem is the common part of a word's forms.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from threading import local
from typing import Literal, NamedTuple

import snowballstemmer

from memory.text.languages import LANGUAGES, language_of_word

# Words of a vocabulary in use that are kept stemmed: some 100 bytes each.
CACHED_WORDS = 100_000
# Longer runs of letters and digits are no words; they count with their beginning.
WORD_CHARACTERS = 64

Script = Literal["han", "hiragana", "katakana", "hangul", "southeast_asian", "spaced"]

_CHARACTERS: dict[Script, str] = {
    "han": "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af",
    # The long sound of both kana; a run of katakana that has begun keeps it.
    "hiragana": "\u3041-\u3096\u3099-\u309f\u30fc",
    "katakana": "\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f",
    "southeast_asian": "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff",
    "hangul": "\uac00-\ud7a3\u1100-\u11ff",
}
_UNSPACED = f"[{''.join(_CHARACTERS.values())}]"
# Marks are letters' vowels in many scripts.
_LETTER = r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff])"
_APOSTROPHES = r"(?:['\u2019][^\W_]+)*"
_ANY = re.compile(
    "|".join(f"(?P<{script}>[{characters}]+)" for script, characters in _CHARACTERS.items())
    + rf"|(?P<spaced>(?:(?!{_UNSPACED}){_LETTER})+{_APOSTROPHES})"
)
# The matches of `_ANY` in texts without such scripts, in half the time.
_SPACED = re.compile(f"{_LETTER}+{_APOSTROPHES}")
_HAS_UNSPACED = re.compile(_UNSPACED)
_POSSESSIVE = re.compile(r"['\u2019]s$")
_APOSTROPHE = re.compile(r"['\u2019]")
_ACCENTS = re.compile("[\u0300-\u036f]")
# Short forms of articles and pronouns in French and Italian, which belong to no word.
_ELIDED = re.compile(r"^(?:l|d|j|c|n|m|t|s|qu|dell|all|nell|un)['\u2019]")
_THREAD = local()


class Word(NamedTuple):
    """A word as it stands in a text, or a run of characters of a script that is read in pairs.

    Attributes:
        text: The word.
        start: Its first character.
        end: The character behind its last.
    """

    text: str
    start: int
    end: int
    script: Script

    def units(self) -> list[str]:
        """The compared units: the word, or the overlapping pairs of a run's characters; one character is itself."""
        return [self.text] if self.script == "spaced" else pairs(self.text)


def read_words(text: str, start: int = 0, end: int | None = None) -> Iterator[Word]:
    """Yield the words of a text, or of a part of it, in order."""
    for found in _ANY.finditer(text, start, len(text) if end is None else end):
        yield Word(found[0], found.start(), found.end(), found.lastgroup)  # type: ignore[arg-type]  # a group's name


def words(text: str) -> list[str]:
    """A text's words in order, as the index reads them: folded (NFKC, case), and units of unspaced scripts.

    A Han character also stands alone, for it may be a word.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    if not _HAS_UNSPACED.search(text):
        return [word[:WORD_CHARACTERS] for word in _SPACED.findall(text)]
    found: list[str] = []
    for run in _ANY.finditer(text):
        if run.lastgroup == "spaced":
            found.append(run[0][:WORD_CHARACTERS])
            continue
        if run.lastgroup == "han":
            found += run[0]
        if run.lastgroup != "han" or len(run[0]) > 1:
            found += pairs(run[0])
    return found


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run's characters; one character is itself."""
    return list(map("".join, pairwise(run))) if len(run) > 1 else [run]


def without_possessive(word: str) -> str:
    """A word without an ending "'s"."""
    return _POSSESSIVE.sub("", word)


@lru_cache(CACHED_WORDS)
def is_stop_word(word: str, language: str) -> bool:
    """Whether a word in lower case is a stop word of the language that it is read in."""
    return _APOSTROPHE.sub("", word) in LANGUAGES[language_of_word(word, language)].stop_words


@lru_cache(CACHED_WORDS)
def stem(word: str, language: str) -> str:
    """A word's stem without accents; the word is in lower case."""
    language = language_of_word(word, language)
    word = _APOSTROPHE.sub("", _ELIDED.sub("", without_possessive(word))) or word
    stemmer = LANGUAGES[language].stemmer
    if stemmer is not None:
        word = _stemmer(stemmer).stemWord(word) or word
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", word))) or word


def _stemmer(name: str) -> snowballstemmer.stemmer:
    """This thread's stemmer, which keeps the word that it works on in itself."""
    made: dict[str, snowballstemmer.stemmer] = _THREAD.__dict__.setdefault("made", {})
    if name not in made:
        made[name] = snowballstemmer.stemmer(name)
    return made[name]
