"""The numbers and months that a text has in words of the further languages of expressions of time.

They support a statement's numbers in figures, or in another language. Of number words in a row, and of a word
that is made of some ("trentadue", "서른두"), the number that they make together counts as well. A word that has another
meaning in a language that is spoken more ("on" is ten in Turkish) counts in its own language, or beside another.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memory.grounding.known_words import is_latin_stop_word, plain
from memory.text.time_expressions.further import FURTHER
from memory.text.time_expressions.language import numbered
from memory.text.tokens import ARABIC_FORMS
from memory.text.words import CACHED_WORDS, read_words

_APOSTROPHE = re.compile("['\u2019]")
_ARABIC_AND = "و"
_JOINING_WORDS = frozenset({"e", "en", "och", "και", _ARABIC_AND})
_JOINED = ("en", "")
# Counters and particles behind a number in Hangul.
_BEHIND_HANGUL = "명마살개번시달권잔병대채쌍장년주일세분이과도은을만째배층"
_HANGUL = re.compile("[가-힣]")
_OTHER_WORDS = frozenset({"due", "sex", "sei", "bin", "six", "dix"})
_PART = "-"
_HUNDRED, _MOST_PARTS = 100, 4


def _key(word: str) -> str:
    return _APOSTROPHE.sub("", plain(word)).translate(ARABIC_FORMS)


def _words_of(language: str) -> dict[str, int]:
    table = FURTHER[language]
    steps = (("numbers", 1, 1), ("tens", 20, 10), ("hundreds", 100, 100), ("thousand", 1000, 1000))
    return {
        _key(word): number
        for kind, first, step in steps
        for word, number in numbered(table.get(kind, ""), first, step).items()
    }


_NUMBERS = {language: _words_of(language) for language in FURTHER}
_PARTS = {word.removesuffix(_PART): number for words in _NUMBERS.values() for word, number in words.items()}
_WHOLE = {word for words in _NUMBERS.values() for word in words if not word.endswith(_PART)}
_LONGEST = max(map(len, _PARTS))
_MONTHS = {_key(word): month for table in FURTHER.values() for word, month in numbered(table["months"], 1).items()}


def further_numbers(text: str, language: str) -> set[int]:
    """The numbers that a text has in words.

    Args:
        text: Any text.
        language: The language that it is taken for.
    """
    found = set[int]()
    run: list[str] = []
    for word in [_key(word.text) for word in read_words(text)] + [""]:
        if _numbers(word):
            run.append(word)
        elif run and word not in _JOINING_WORDS:
            found |= _numbers_of_run(run, language)
            run = []
    return found


def further_months(text: str) -> set[int]:
    """The months that a text names."""
    words = (part for word in read_words(text) for part in _APOSTROPHE.split(word.text))
    return {month for word in words if (month := further_month(word))}


def further_month(word: str) -> int | None:
    """The month that a word names."""
    return _MONTHS.get(_key(word))


def _numbers_of_run(run: Sequence[str], language: str) -> set[int]:
    """The numbers of number words in a row, each and together."""
    if len(run) == 1 and (is_latin_stop_word(run[0]) or run[0] in _OTHER_WORDS):
        run = [word for word in run if word in _NUMBERS.get(language, ())]
    numbers = [number for word in run for number in _numbers(word)]
    return {*numbers, *(_together(_numbers(word)) for word in run), _together(numbers)}


def _together(numbers: Iterable[int]) -> int:
    total = current = 0
    for number in numbers:
        if number == 10 * _HUNDRED:
            total, current = total + max(1, current) * number, 0
        else:
            current = max(1, current) * number if number == _HUNDRED else current + number
    return total + current


@lru_cache(CACHED_WORDS)
def _numbers(word: str) -> tuple[int, ...]:
    """The numbers that a word is made of; none if it is no number word."""
    if word in _WHOLE:
        return (_PARTS[word],)
    return _parts(word.removeprefix(_ARABIC_AND), _MOST_PARTS) or ()


def _parts(word: str, most: int) -> tuple[int, ...] | None:
    """Return the numbers that a whole word consists of, in Hangul up to a counter; None if it has other parts."""
    for length in range(min(_LONGEST, len(word)) if most else 0, 0, -1):
        if (number := _PARTS.get(word[:length])) is None:
            continue
        rest = word[length:]
        if not rest:
            return (number,)
        for joined in _JOINED:
            if rest.startswith(joined) and (behind := _parts(rest.removeprefix(joined), most - 1)):
                return (number, *behind)
        if _HANGUL.match(word) and rest[0] in _BEHIND_HANGUL:
            return (number,)
    return None
