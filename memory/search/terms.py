"""Texts as index terms: Unicode words, stemmed, and pairs of characters for scripts without spaces.

The same rule reads documents and questions. A word counts without its case, its possessive ending and its accents; stop
words count only where there is nothing else, so that a message of nothing but them is still found by its own words.
Han, kana, Hangul, Thai, Lao, Khmer and Burmese are read as overlapping pairs of characters (CJK bigrams); a Han
character also stands alone, for it may be a word.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from threading import local

import snowballstemmer

from memory.search.languages import LANGUAGES, language_of_word

# Words of a vocabulary in use that are kept stemmed: some 100 bytes each.
CACHED_WORDS = 100_000
# Longer runs of letters and digits are no words; they count with their beginning.
WORD_CHARACTERS = 64

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HIRAGANA = "\u3041-\u3096\u3099-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_SOUTHEAST_ASIAN = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
_HANGUL = "\uac00-\ud7a3\u1100-\u11ff"
_RUN = re.compile(
    rf"(?P<han>[{_HAN}]+)|(?P<pairs>[{_HIRAGANA}\u30fc]+|[{_KATAKANA}]+|[{_SOUTHEAST_ASIAN}]+|[{_HANGUL}]+)"
    # Marks are letters' vowels in many scripts.
    rf"|(?P<word>(?:(?![{_HAN}{_HIRAGANA}{_KATAKANA}{_SOUTHEAST_ASIAN}{_HANGUL}])"
    r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff]))+"
    r"(?:['\u2019][^\W_]+)*)"
)
_UNSPACED = re.compile(f"[{_HAN}{_HIRAGANA}{_KATAKANA}{_SOUTHEAST_ASIAN}{_HANGUL}]")
# What `_RUN` finds where there are no such scripts, in half the time.
_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff])+(?:['\u2019][^\W_]+)*")
_POSSESSIVE = re.compile(r"['\u2019]s$")
_APOSTROPHE = re.compile(r"['\u2019]")
_ACCENTS = re.compile("[\u0300-\u036f]")
# Short forms of articles and pronouns in French and Italian, which belong to no word.
_ELIDED = re.compile(r"^(?:l|d|j|c|n|m|t|s|qu|dell|all|nell|un)['\u2019]")
_THREAD = local()


def words(text: str) -> list[str]:
    """A text's words in order, in lower case, unstemmed; runs of unspaced scripts as pairs of characters."""
    text = unicodedata.normalize("NFKC", text).casefold()
    if not _UNSPACED.search(text):
        return [word[:WORD_CHARACTERS] for word in _WORD.findall(text)]
    found: list[str] = []
    for run in _RUN.finditer(text):
        if run["han"]:
            found += run["han"]
            found += _pairs(run["han"])
        elif run["pairs"]:
            found += _pairs(run["pairs"]) if len(run["pairs"]) > 1 else [run["pairs"]]
        else:
            found.append(run["word"][:WORD_CHARACTERS])
    return found


def terms(text: str, language: str) -> list[str]:
    """A text's index terms in order, as often as they occur.

    Args:
        text: Any text.
        language: The ISO 639-1 code of the language that Latin words are stemmed in.
    """
    everything = words(text)
    telling = [word for word in everything if not is_stop_word(word, language)]
    return [stem(word, language) for word in telling or everything]


@lru_cache(CACHED_WORDS)
def is_stop_word(word: str, language: str) -> bool:
    """Whether a word in lower case tells nothing in the language that it is read in."""
    return _APOSTROPHE.sub("", word) in LANGUAGES[language_of_word(word, language)].stop_words


@lru_cache(CACHED_WORDS)
def stem(word: str, language: str) -> str:
    """A word's stem without accents."""
    language = language_of_word(word, language)
    word = _APOSTROPHE.sub("", _ELIDED.sub("", _POSSESSIVE.sub("", word))) or word
    stemmer = LANGUAGES[language].stemmer
    if stemmer is not None:
        word = _stemmer(stemmer).stemWord(word) or word
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", word))) or word


@lru_cache(CACHED_WORDS)
def digest(term: str) -> int:
    """The number that stands for a term in the index: 64 bits, signed."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big", signed=True)


def _stemmer(name: str) -> snowballstemmer.stemmer:
    """This thread's stemmer, which keeps the word that it works on in itself."""
    made: dict[str, snowballstemmer.stemmer] = _THREAD.__dict__.setdefault("made", {})
    if name not in made:
        made[name] = snowballstemmer.stemmer(name)
    return made[name]


def _pairs(run: str) -> Iterator[str]:
    return map("".join, pairwise(run))
