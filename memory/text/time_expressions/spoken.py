"""The time of a message's event: expressions of time relative to the message's date, in the user's zone and language.

The words stay beside their time; an expression that depends on something else than the calendar has no time.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from memory.text.time_expressions import modifiers
from memory.text.time_expressions.clock import time_of_day
from memory.text.time_expressions.further import FURTHER
from memory.text.time_expressions.language import LETTER
from memory.text.time_expressions.resolution import named_zone, resolve_time_expressions, table_of


def _forms(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!{LETTER})(?:{pattern})(?!{LETTER})", re.IGNORECASE)


# Forms of verbs in the past, by the codes of the tables; those with an auxiliary stand apart.
_PAST = {
    code: re.compile(pattern, re.IGNORECASE)
    for code, pattern in {
        "en": r"\b(?:was|were|had|did|went|came|met|saw|got|took|made|left|lost|won|bought|told|felt|slept|ate|ran"
        r"|broke|began|been|ago|yesterday|\w{2,}ed)\b",
        "de": r"\b(?:war|waren|hatten?|wurden?|gingen?|kam|kamen|gestern)\b",
        "fr": r"\b(?:étais|était|étaient|avais|avait|avaient|hier)\b",
        "es": r"\b(?:\w{3,}(?:é|ó|aron|ieron|aba|ía|aste|iste)|comí|salí|viví|vi|fui|fue|hice|estuve|tuve|ayer)\b",
        "ru": r"\b(?!если\b|или\b)\w{2,}(?:ла|ло|ли|лся|лась|ал|ел|ил|ыл|ял)\b|вчера",
        "ja": r"ました|でした|だった|かった|た(?:[。よね]|$)|昨日",
        "zh": r"了|过|昨",
    }.items()
} | {code: _forms(table["past"]) for code, table in FURTHER.items()}
_AUXILIARY = {
    "de": re.compile(r"\b(?:habe|hab|hat|haben|bin|ist|sind)\b", re.IGNORECASE),
    "fr": re.compile(r"\b(?:ai|as|a|avons|avez|ont|suis|est|sommes|sont)\b", re.IGNORECASE),
} | {code: _forms(table["auxiliary"]) for code, table in FURTHER.items() if "auxiliary" in table}
_PARTICIPLE = {
    "de": re.compile(r"\b(?:ge|ver|be|er|um|an|auf|aus|ein|ab)\w{3,}(?:t|en)\b", re.IGNORECASE),
    "fr": re.compile(r"\b\w{2,}(?:é|ée|és|ées|u|us|is|it|ti|ni)\b", re.IGNORECASE),
} | {code: _forms(table["participle"]) for code, table in FURTHER.items() if "participle" in table}
_OPEN = datetime(modifiers.EARLIEST.year, 1, 3, tzinfo=UTC)
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class SpokenTime:
    """The time of an event.

    Attributes:
        starts_at: The first instant, in UTC.
        ends_at: The instant after the last; a minute later for a time of day.
        words: The words that say it.
    """

    starts_at: datetime
    ends_at: datetime
    words: str


def spoken_time(text: str, at: datetime, zone: str, language: str, *, ahead: bool) -> SpokenTime | None:
    """Resolve the first expression of time in words of a message.

    Args:
        text: The words.
        at: When they were said.
        zone: The user's IANA time zone.
        language: The language that the user talks in; a script that belongs to one language decides it instead.
        ahead: Whether it is a plan, in which "on Friday" is the next one.

    Returns:
        None without one, or if the words name only a time of day and it is not a plan. A deadline ("until Friday") is
        the last day of it.
    """
    local_at = at.astimezone(named_zone(zone))
    clock = time_of_day(text)
    for found in resolve_time_expressions(text, at, zone, language, ahead=ahead):
        starts_at = max(found.start, found.end - _DAY) if found.start < _OPEN else found.start
        day = starts_at.astimezone(local_at.tzinfo).date()
        if clock and (found.end - starts_at) <= _DAY + timedelta(hours=1):
            return _minute(day, clock, local_at, text)
        return SpokenTime(starts_at, found.end, found.text)
    if clock and ahead:
        today = _minute(local_at.date(), clock, local_at, text)
        return today if today.starts_at >= at else _minute(local_at.date() + _DAY, clock, local_at, text)
    return None


def spoken_days(text: str, at: datetime, zone: str, language: str) -> list[tuple[date, date]]:
    """The first and last local days of each expression of time in a text, read as of the past and as of a plan."""
    local = named_zone(zone)
    found = {
        (max(each.start, each.end - _DAY) if each.start < _OPEN else each.start, each.end)
        for ahead in (False, True)
        for each in resolve_time_expressions(text, at, zone, language, ahead=ahead)
    }
    return sorted(
        (start.astimezone(local).date(), (end - timedelta(seconds=1)).astimezone(local).date()) for start, end in found
    )


def tells_the_past(text: str, language: str) -> bool:
    """Whether words are about the past, by the forms of their verbs: then "on Friday" is the last one."""
    code = table_of(text, language)
    if _PAST[code].search(text):
        return True
    if code not in _AUXILIARY:
        return False
    auxiliary = _AUXILIARY[code].search(text)
    return auxiliary is not None and _PARTICIPLE[code].search(text, auxiliary.end()) is not None


def _minute(day: date, clock: time, local_at: datetime, words: str) -> SpokenTime:
    starts_at = datetime.combine(day, clock, tzinfo=local_at.tzinfo).astimezone(UTC)
    return SpokenTime(starts_at, starts_at + timedelta(minutes=1), " ".join(words.split()))
