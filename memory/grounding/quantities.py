"""Compares the numbers and dates of a text with those of another by their values, however they are written.

"2 March" is 2026-03-02 without its year, "1,800" is 1800, and "forty" is 40, in the languages in which expressions of
time are read. A number that can be read in two ways ("1.800", "03/02/2026") has both readings, and one must hold.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from memory.grounding.further_numbers import further_month, further_months, further_numbers
from memory.text.languages import DEFAULT
from memory.text.number_words import AMBIGUOUS, MONTHS, MULTIPLIERS, NUMBER_WORDS, ORDINALS

_LAST_MONTH, _LAST_DAY = 12, 31
_GROUP, _THOUSAND = 3, 1000
# A statement that counts things in its sources writes a number word: "twice", "the two of them".
LEAST_COUNTED = 2
# Longer stretches of time name no year: "the nineties", "since I was young".
_MOST_DAYS = 400
# Words that hold a number: one thing, two of them, minutes past the hour, and the hours after noon.
_TABLE: dict[str, str] = tomllib.loads(Path(__file__).with_name("words.toml").read_text())["numbers"]
_ONE, _TWO, _AFTERNOON = (frozenset(_TABLE[name].split()) for name in ("one", "two", "afternoon"))
_MINUTES = dict.fromkeys(_TABLE["half"].split(), (30,)) | dict.fromkeys(_TABLE["quarter"].split(), (15, 45))
_SIGNS_OF_TWO = re.compile("两|兩|双|雙|二人|ふた")
_SIGNS_OF_HALF = re.compile("半")
_SIGNS_OF_AFTERNOON = re.compile("晚|夜|下午|午後|夕")
_NOON = 12
# "dreimal", "fünfjährig"
_GERMAN_ENDINGS = (
    *("mal", "malig", "jährig", "köpfig", "stündig", "tägig", "wöchig", "fach", "er", "te", "ter", "ten", "tes"),
)


class DayOfYear(NamedTuple):
    """A day of a year, or of any."""

    year: int | None
    month: int
    day: int


@dataclass(frozen=True)
class Quantity:
    """A number or date of a text.

    Attributes:
        kind: Which of the two.
        numbers: The readings of a number.
        days: The readings of a date.
        in_words: Whether it is written in words.
    """

    kind: Literal["number", "date"]
    numbers: frozenset[Decimal] = frozenset()
    days: frozenset[DayOfYear] = frozenset()
    in_words: bool = False


Stretch = tuple[date, date]
"""The first and the last day that an expression of time stands for."""


@dataclass
class TextQuantities:
    """The numbers, dates and months that a text has.

    Attributes:
        stretches: The days that expressions of time in it stand for ("tomorrow").
    """

    numbers: set[Decimal] = field(default_factory=set)
    days: set[DayOfYear] = field(default_factory=set)
    months: set[int] = field(default_factory=set)
    stretches: Sequence[Stretch] = ()


_ORDINAL_END = r"(?:st|nd|rd|th|er|\.|º)?"
_YEAR = r"(?:,?\s?(?:of\s|de\s|del\s)?(?P<year>\d{4})(?!\d))?"
_DATES_IN_FIGURES = (
    re.compile(r"(?<![\d-])(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"),
    re.compile(r"(?:(?P<year>\d{4})[年년]\s?)?(?P<month>\d{1,2})[月월]\s?(?P<day>\d{1,2})[日일]"),
    re.compile(
        r"(?<![\d./-])(?P<day>\d{1,2})(?P<sign>[./-])\s?(?P<month>\d{1,2})(?P=sign)(?:\s?(?P<year>\d{4}|\d{2})(?!\d))?"
    ),
)
_DATES_WITH_NAMES = (
    re.compile(
        rf"(?<![\d.,])(?P<day>\d{{1,2}}){_ORDINAL_END}\s?(?:of\s|de\s)?(?P<name>(?:[^\W\d_]|[\u0900-\u0963])++)\.?{_YEAR}"
    ),
    # The next words are looked at and not consumed, since each word may begin a date.
    re.compile(rf"(?<!\w)(?P<ordinal>[^\W\d_]++)(?=\s(?:of\s|de\s)?(?P<name>[^\W\d_]++)\.?{_YEAR})"),
    re.compile(rf"(?<!\w)(?P<name>[^\W\d_]++)\.?(?=\s(?:the\s)?(?P<day>\d{{1,2}}){_ORDINAL_END}(?!\d){_YEAR})"),
    re.compile(rf"(?<!\w)(?P<name>[^\W\d_]++)(?=\s(?:the\s)?(?P<ordinal>[^\W\d_]++){_YEAR})"),
)
_SEPARATOR = "[.,'\u00a0\u202f ]"
# Characters are numbers only before a counter: 一 is in many words.
_NUMBERS = re.compile(
    rf"(?P<digits>\d{{1,3}}(?:{_SEPARATOR}\d{{3}})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?)"
    r"(?:\s?(?P<noon>[ap]\.?m\b)|\s?(?P<times>[^\W\d_]++))?"
    r"|(?<![〇一二三四五六七八九十百千万])(?P<signs>[〇一二三四五六七八九十百千万]++)(?=[年月日人円個回本歳才時分週冊枚匹台度杯点岁歲个块元次天号只条張张双位件部辆瓶周层級级])"
)
_WORDS = re.compile(r"[^\W\d_]++")
_FIGURE = re.compile(r"\d")
_ANY_SIGNS = re.compile("[〇一二三四五六七八九十百千万]++")
_JOINING = frozenset({"and", "y", "et", "und"})
# "A five-year-old" has no six: only before a hundred or a dozen is an article a number.
_ARTICLES = frozenset(word for word in AMBIGUOUS if NUMBER_WORDS.get(word) == 1)
_LONGEST_PHRASE = 4
_BEGIN_NUMBERS = frozenset(phrase.split()[0] for phrase in (*NUMBER_WORDS, *MULTIPLIERS))
# "10k" is also a run of ten kilometres.
_UNITS_OR_THOUSANDS = frozenset({"k"})
_SHORT_YEAR = re.compile(r"['’](\d\d)(?!\d)")
_MONTH_FIGURE = re.compile(r"(?<!\d)(\d{1,2})[月월]")


def quantities(text: str) -> list[Quantity]:
    """The numbers and dates of a text, in order."""
    return _in_order(_plain(text))


def missing_quantities(stated: Sequence[Quantity], known: TextQuantities, *, counted: int = 0) -> list[str]:
    """Find the numbers and dates of a text that another does not have.

    Args:
        stated: The result of `quantities` for the text to check.
        known: The quantities of the other text.
        counted: Words of numbers up to this are taken for a count of things in the other text.

    Returns:
        Their positions, as "number 2" or "date 1", and no words of the text.
    """
    places: dict[str, int] = {"number": 0, "date": 0}
    missing = []
    for quantity in stated:
        places[quantity.kind] += 1
        if not _is_supported(quantity, known, counted):
            missing.append(f"{quantity.kind} {places[quantity.kind]}")
    return missing


def _is_supported(quantity: Quantity, known: TextQuantities, counted: int) -> bool:
    if quantity.in_words and min(quantity.numbers) <= max(LEAST_COUNTED, counted):
        return True
    return (
        bool(quantity.numbers & known.numbers)
        or any(_is_known(day, known) or _is_within(day, known.stretches) for day in quantity.days)
        or any(_is_year_within(number, known.stretches) for number in quantity.numbers)
    )


def _is_within(day: DayOfYear, stretches: Sequence[Stretch]) -> bool:
    """Whether an expression of time stands for a day, of any year where it names none."""
    for first, last in stretches:
        for year in range(first.year, last.year + 1) if day.year is None else (day.year,):
            try:
                if first <= date(year, day.month, day.day) <= last and (last - first).days <= _MOST_DAYS:
                    return True
            except ValueError:
                continue
    return False


def _is_year_within(number: Decimal, stretches: Sequence[Stretch]) -> bool:
    return any(first.year <= number <= last.year and (last - first).days <= _MOST_DAYS for first, last in stretches)


def _is_known(day: DayOfYear, known: TextQuantities) -> bool:
    for other in known.days:
        if (other.month, other.day) == (day.month, day.day):
            if day.year is None or day.year == other.year:
                return True
            if other.year is None and day.year in known.numbers:
                return True
    year_is_known = day.year is None or day.year in known.numbers
    # "From 2 to 5 March" names two days with one month.
    return year_is_known and day.month in known.months and day.day in known.numbers


def read_text_quantities(text: str, language: str = DEFAULT) -> TextQuantities:
    """Read the numbers, dates and months of a text.

    Args:
        text: Any text.
        language: The language that it is taken for.
    """
    source = TextQuantities(numbers={Decimal(0)})
    plain = _plain(text)
    for quantity in _in_order(plain):
        source.numbers |= quantity.numbers
        source.days |= quantity.days
        for day in quantity.days:
            source.numbers |= {Decimal(each) for each in (day.year, day.day) if each is not None}
    words = set(_WORDS.findall(plain))
    source.months = {MONTHS[word] for word in words if word in MONTHS} | {
        int(one) for one in _MONTH_FIGURE.findall(plain)
    }
    source.months |= further_months(text)
    source.numbers |= set(map(Decimal, further_numbers(text, language)))
    # Each word for itself as well: a number in one language may be another word in the next.
    source.numbers |= {Decimal(number) for word in words if (number := NUMBER_WORDS.get(word, MULTIPLIERS.get(word)))}
    source.numbers |= {Decimal(number) for word in words if (number := ORDINALS.get(word) or _begins_with_number(word))}
    source.numbers |= {Decimal(_of_signs(signs)) for signs in _ANY_SIGNS.findall(plain)}
    _hold_hidden(source, plain, words)
    return source


def _hold_hidden(source: TextQuantities, plain: str, words: AbstractSet[str]) -> None:
    """Add the numbers that words hold without naming them: an article, a pair, halves of hours, hours after noon."""
    if words & _ONE or "一" in plain or "1" in plain:
        source.numbers.add(Decimal(1))
    if words & _TWO or _SIGNS_OF_TWO.search(plain):
        source.numbers.add(Decimal(LEAST_COUNTED))
    hours = {number for number in source.numbers if 0 < number <= _NOON and number == int(number)}
    if minutes := {Decimal(minute) for word in words for minute in _MINUTES.get(word, ())}:
        source.numbers |= minutes | {hour - 1 for hour in hours}
    for year in _SHORT_YEAR.findall(plain):
        source.numbers |= {Decimal(century + int(year)) for century in (1900, 2000)}
    if _SIGNS_OF_HALF.search(plain):
        source.numbers.add(Decimal(30))
    if words & _AFTERNOON or _SIGNS_OF_AFTERNOON.search(plain):
        source.numbers |= {hour + _NOON for hour in hours}


def _begins_with_number(word: str) -> int | None:
    if word.endswith("ties"):
        # "in her thirties"
        return NUMBER_WORDS.get(f"{word[:-3]}y")
    # Most words have none of the endings: this check is fast.
    cuts = [cut for cut in (word, word[:-1], word[:-2]) if cut.endswith(_GERMAN_ENDINGS)]
    for ending in _GERMAN_ENDINGS if cuts else ():
        for cut in cuts:
            if cut.endswith(ending) and (number := NUMBER_WORDS.get(cut.removesuffix(ending))):
                return number
    return None


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _in_order(plain: str) -> list[Quantity]:
    found: list[tuple[int, Quantity]] = []
    has_figures = _FIGURE.search(plain)
    names_month = not MONTHS.keys().isdisjoint(_WORDS.findall(plain)) or (has_figures and further_months(plain))
    for form in (*(_DATES_IN_FIGURES if has_figures else ()), *(_DATES_WITH_NAMES if names_month else ())):
        for match in form.finditer(plain):
            if days := frozenset(_days(match)):
                found.append((match.start(), Quantity("date", days=days)))
                end = max(match.end(group) for group in match.re.groupindex)
                plain = plain[: match.start()] + "|" * (end - match.start()) + plain[end:]
    found += [
        (match.start(), Quantity("number", numbers=frozenset(_readings(match)))) for match in _NUMBERS.finditer(plain)
    ]
    found += _in_words(plain)
    return [quantity for _, quantity in sorted(found, key=lambda each: each[0])]


def _days(match: re.Match[str]) -> Iterator[DayOfYear]:
    parts = match.groupdict()
    written, ordinal, name = parts.get("year"), parts.get("ordinal"), parts.get("name")
    named = _month(name, match) if name else None
    if (ordinal and ordinal not in ORDINALS) or (name and named is None):
        return
    year = (int(written) if len(written) > len("26") else 2000 + int(written)) if written else None
    first = ORDINALS[ordinal] if ordinal else int(parts["day"])
    second = named or int(parts["month"])
    either_way = parts.get("sign") in {"/", "-"}
    for day, month in {(first, second), (second, first)} if either_way else {(first, second)}:
        if 1 <= month <= _LAST_MONTH and 1 <= day <= _LAST_DAY:
            yield DayOfYear(year, month, day)


def _month(name: str, match: re.Match[str]) -> int | None:
    """The month that a name in a date stands for; in the further languages the day stands before it."""
    return MONTHS.get(name) or (further_month(name) if match.re is _DATES_WITH_NAMES[0] else None)


def _readings(match: re.Match[str]) -> Iterator[Decimal]:
    if match["signs"]:
        yield Decimal(_of_signs(match["signs"]))
        return
    times = Decimal(MULTIPLIERS.get(match["times"] or "", 1))
    for number in _of_digits(match["digits"]):
        yield number * times
        if match["times"] in _UNITS_OR_THOUSANDS:
            yield number
        if match["noon"] and match["noon"].startswith("p"):
            yield number + _LAST_MONTH


def _in_words(plain: str) -> Iterator[tuple[int, Quantity]]:
    """The numbers that are written in words, each with its place."""
    words = list(_WORDS.finditer(plain))
    place = 0
    while place < len(words):
        run: list[str] = []
        at = place
        while phrase := _phrase(plain, words, at):
            run.append(phrase)
            at += len(phrase.split())
            if phrase in _ARTICLES and _phrase(plain, words, at) not in MULTIPLIERS:
                break
            joined = at + 1 < len(words) and words[at][0] in _JOINING and _phrase(plain, words, at + 1)
            at += bool(joined)
            if not joined and at < len(words) and plain[words[at - 1].end() : words[at].start()] not in {" ", "-"}:
                break
        start = words[place].start()
        if run and not (len(run) == 1 and run[0] in AMBIGUOUS) and not _multiplies(run[0], plain[:start]):
            yield start, Quantity("number", frozenset({Decimal(_of_words(run))}), in_words=True)
        place = max(at, place + 1)


def _multiplies(word: str, before: str) -> bool:
    """Whether a word multiplies the digits before it."""
    return word in MULTIPLIERS and before[-2:].rstrip()[-1:].isdigit()


def _phrase(plain: str, words: Sequence[re.Match[str]], place: int) -> str | None:
    """The longest number word, of up to four words, that begins at a place."""
    if place >= len(words) or words[place][0] not in _BEGIN_NUMBERS:
        return None
    for length in range(min(_LONGEST_PHRASE, len(words) - place), 0, -1):
        some = words[place : place + length]
        phrase = " ".join(word[0] for word in some)
        apart = {plain[one.end() : other.start()] for one, other in pairwise(some)}
        if apart <= {" ", "-"} and (phrase in NUMBER_WORDS or phrase in MULTIPLIERS):
            return phrase
    return None


def _of_digits(digits: str) -> Iterator[Decimal]:
    groups = re.split(_SEPARATOR, digits)
    if len(groups) == 1:
        yield Decimal(digits)
        return
    # The last separator begins a fraction, or, before three digits, perhaps another thousand.
    if all(len(group) == _GROUP for group in groups[1:]):
        yield Decimal("".join(groups))
    if digits[-len(groups[-1]) - 1] in ".,":
        yield Decimal("".join(groups[:-1]) + "." + groups[-1])


def _of_words(words: Sequence[str]) -> int:
    total = current = 0
    for word in words:
        if (times := MULTIPLIERS.get(word)) is None:
            current += NUMBER_WORDS[word]
        elif times < _THOUSAND:
            current = max(1, current) * times
        else:
            total, current = total + max(1, current) * times, 0
    return total + current


def _of_signs(signs: str) -> int:
    figures = {sign: number for number, sign in enumerate("〇一二三四五六七八九")}
    steps = {"十": 10, "百": 100, "千": 1000}
    total = current = 0
    figure: int | None = None
    for sign in signs:
        if sign in figures:
            figure = figures[sign] + 10 * (figure or 0)
        elif sign in steps:
            current += (1 if figure is None else figure) * steps[sign]
            figure = None
        else:
            total += max(1, current + (figure or 0)) * 10_000
            current, figure = 0, None
    return total + current + (figure or 0)
