"""Expressions of time in languages of which only the usual words are known (`further.toml`)."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory.text.time_expressions import meanings, modifiers
from memory.text.time_expressions.language import Count, Language, Meaning, Modifier, Phrase, numbered
from memory.text.time_expressions.periods import Unit

FURTHER: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
"""The words of each further language, by its code."""

_FIRST_DAY, _FIRST_TENS = -2, 20
_UNITS = (Unit.HOUR, Unit.DAY, Unit.WEEK, Unit.WEEKEND, Unit.MONTH, Unit.YEAR)
_PART_OF_A_WORD = "-"


def _days_away(count: int) -> Meaning:
    """The day `count` days ago, or in a plan `count` days ahead: Hindi has one word for both."""
    return lambda values, at: meanings.day(count if at.ahead else -count)(values, at)


_MEANINGS: Mapping[str, Meaning] = {
    "today": meanings.day(0),
    "one_day_away": _days_away(1),
    "two_days_away": _days_away(2),
    "ago": meanings.ago(),
    "ahead": meanings.only_ahead(meanings.ago(1)),
    "last_unit": meanings.calendar_unit(-1),
    "this_unit": meanings.calendar_unit(0),
    "next_unit": meanings.calendar_unit(1),
    "next_week": meanings.calendar_unit(1, Unit.WEEK),
    "last_year": meanings.calendar_unit(-1, Unit.YEAR),
    "this_year": meanings.calendar_unit(0, Unit.YEAR),
    "next_year": meanings.calendar_unit(1, Unit.YEAR),
    "weekday": meanings.usual_weekday,
    "last_weekday": meanings.last_weekday(),
    "next_weekday": meanings.coming_weekday,
    "weekday_of_last_week": meanings.weekday_of_week(-1),
    "weekday_of_this_week": meanings.weekday_of_week(0),
    "weekday_of_next_week": meanings.weekday_of_week(1),
    "date": meanings.yearly_date,
}


def _language(table: Mapping[str, Any]) -> Language:
    def words(kind: str, first: int, step: int = 1) -> dict[str, int]:
        return {
            word.replace("_", " "): number
            for word, number in numbered(table.get(kind, ""), first, step).items()
            if not word.endswith(_PART_OF_A_WORD)
        }

    units = {word: int(_UNITS[place]) for word, place in words("units", 0).items()}
    days = [(word, meanings.day(offset)) for word, offset in words("days", _FIRST_DAY).items()]
    return Language(
        words={
            "month": words("months", 1),
            "weekday": words("weekdays", 0),
            "unit": units,
            "calendarunit": units,
        },
        numbers={
            word: Count(number, number)
            for word, number in (words("numbers", 1) | words("tens", _FIRST_TENS, 10)).items()
        },
        phrases=(
            *(Phrase(word, meaning) for word, meaning in days),
            *(Phrase(one, _MEANINGS[name]) for name, patterns in table["times"].items() for one in patterns),
            Phrase("{day}[/.-]{day2}[/.-]{year}", meanings.day_first_date),
            Phrase("{year}-{figure}-{day}", meanings.full_date),
            Phrase("{month} {year}", meanings.yearly(meanings.month)),
        ),
        cued_phrases=(Phrase("{month}", meanings.yearly(meanings.month)), Phrase("{year}", meanings.year)),
        before=tuple(Modifier(words, modifiers.same) for words in table.get("in", ())),
        after=tuple(Modifier(words, modifiers.same) for words in table.get("behind", ())),
        ranges=(),
        left_alone=tuple(table.get("not", ())),
        spaced=table.get("spaced", True),
    )


LANGUAGES: Mapping[str, Language] = {code: _language(table) for code, table in FURTHER.items()}
