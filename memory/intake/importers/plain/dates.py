"""Times of a chat in forms with an ambiguous day or unit: all of them together decide.

So `25/4/2024 18:30` shows that `4/5/2024 18:31` behind it is in May. A form that stays ambiguous is no time.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Any

from memory.intake.importers.times import EARLIEST, NOON, WRITTEN_CHARACTERS, moment, number
from schemas.text.visible_text import BIDIRECTIONAL

DIRECTIONS = f"[{BIDIRECTIONAL}]"
# Marks of the direction of writing, and blanks that are no line breaks.
_DIRECTIONS = re.compile(DIRECTIONS)
_BLANKS = re.compile(r"[^\S\n]")
# How halves of the day, and parts of them, are written, without full stops and blanks.
_MORNING = "am a π ص rano de öö sa pd fm vm ap pg পূর্বাহ্ণ पूर्वाह्न קזמ לפנהצ قظ 上午 午前 早上 凌晨 清晨 오전"
_AFTERNOON = "pm p μμ μ م du ös ch md em nm ip ptg অপরাহ্ণ अपराह्न अपराह्ण אחהצ بظ 下午 午後 晚上 傍晚 中午 오후"
_OF_AFTERNOON = frozenset(_AFTERNOON.split())
_APART = r"[.\u05f4\"'\s]{0,2}"
_HALVES = ("πμ", *_MORNING.split(), *_AFTERNOON.split())
_HALF = "|".join(_APART.join(map(re.escape, one)) + _APART for one in sorted(_HALVES, key=len, reverse=True))
_CLOCK = (
    rf"(?:(?P<before>{_HALF})\s?)?(?P<hour>\d{{1,2}})[:.h](?P<minute>\d{{2}})(?:[:.](?P<second>\d{{2}})(?:[.,]\d{{1,9}})?)?"
    rf"(?:\s?(?P<behind>{_HALF}))?"
)
_DATE = r"(?P<first>\d{1,4})(?P<mark>[/.-])\s?(?P<middle>\d{1,2})(?P=mark)\s?(?P<last>\d{4}|\d{2})\.?"
_WEEKDAY = r"(?:\(?[^\W\d]{1,15}\)?[.,]{0,2}\s)?"
# Words between a date and a clock, as in `um`, `kl.`, `a las`.
_BETWEEN = r"(?:\s?\([^\W\d]{1,10}\))?[,،]?\s(?:[^\W\d]{1,4}\.?\s){0,2}?"
_DATE_FIRST = re.compile(rf"{_WEEKDAY}{_DATE}(?:{_BETWEEN}{_CLOCK})?", re.IGNORECASE)
_CLOCK_FIRST = re.compile(rf"{_CLOCK}[,،]?\s{_WEEKDAY}{_DATE}", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"\A(\d{1,2}[- ][^\W\d]{3,12}\.?[- ])(\d{2})\b(?![:.]\d)")
# By how many years the Buddhist calendar, as phones in Thailand write it, is ahead, and its first year here.
_BUDDHIST, _BUDDHIST_FROM = 543, 2400
# The orders of day, month and year.
_MONTH_FIRST = "mdy"
_ORDERS = ("dmy", _MONTH_FIRST, "ymd")
# The least number of dates, and how many times nearer together one order's times lie, that also decide the order.
_DATES_TELL, _NEARER = 3, 5
# Seconds that Apple's programs count, from their own beginning.
_APPLE, _APPLE_FROM = datetime(2001, 1, 1, tzinfo=UTC), 150_000_000


@dataclass(frozen=True, slots=True)
class _AmbiguousDate:
    """A time of which the order of the numbers of its date is open."""

    date: tuple[str, str, str]
    mark: str
    clock: timedelta


def plain(text: str) -> str:
    """Return a text without marks of direction, and with one kind of blank."""
    return _BLANKS.sub(" ", _DIRECTIONS.sub("", text))


def is_time(text: str) -> bool:
    """Whether a text may be a time of a day."""
    return _opened(text) is not None or _named(text, UTC) is not None


def moments(written: Sequence[Any], zone: tzinfo) -> list[datetime | None]:
    """Read the times of a chat's messages together, in their order.

    Args:
        written: Each as written; None where there is none to be read here.
        zone: The zone of times that name none.

    Returns:
        The times in UTC; None for each that is none, or stays open.
    """
    opened = [_opened(one) for one in written]
    order = _order([one for one in opened if one is not None])
    read = [None if one is None or order is None else _at(one, order) for one in opened]
    local = [one or counted for one, counted in zip(read, _of_apple(written), strict=True)]
    return [
        _named(text, zone) if one is None else (one if one.tzinfo else one.replace(tzinfo=zone)).astimezone(UTC)
        for one, text in zip(local, written, strict=True)
    ]


def _named(value: Any, zone: tzinfo) -> datetime | None:
    """Read a time by itself, also one with two digits of its year behind the name of a month."""
    if isinstance(value, str):
        value = _SHORT_YEAR.sub(r"\g<1>20\2", _compared(value))
    return moment(value, zone)


def _compared(written: str) -> str:
    return plain(written[:WRITTEN_CHARACTERS]).strip()


def _opened(value: Any) -> _AmbiguousDate | None:
    if not isinstance(value, str):
        return None
    text = _compared(value)
    found = _DATE_FIRST.fullmatch(text) or _CLOCK_FIRST.fullmatch(text)
    if found is None:
        return None
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if half := found["before"] or found["behind"]:
        spoken = re.sub(r"\W|_", "", half.casefold())
        is_late = spoken in _OF_AFTERNOON
        hour = hour % NOON + NOON * is_late
    clock = timedelta(hours=hour, minutes=minute, seconds=second)
    date = (found["first"], found["middle"], found["last"])
    return _AmbiguousDate(date, found["mark"], clock) if clock < timedelta(days=1) else None


def _at(one: _AmbiguousDate, order: str) -> datetime | None:
    if one.mark == "." and order == _MONTH_FIRST:
        return None
    numbers = dict(zip(order, one.date, strict=True))
    year = int(numbers["y"])
    if len(numbers["y"]) == 3 or max(len(numbers["d"]), len(numbers["m"])) > 2:  # noqa: PLR2004  # digits
        return None
    year += 2000 if len(numbers["y"]) <= 2 else -_BUDDHIST if year > _BUDDHIST_FROM else 0  # noqa: PLR2004  # digits
    try:
        return datetime(year, int(numbers["m"]), int(numbers["d"])) + one.clock  # noqa: DTZ001  # the caller sets the zone
    except ValueError:
        return None


def _order(times: Sequence[_AmbiguousDate]) -> str | None:
    """Return the order by which most of the times are some, and rise or fall, if no other one is as likely."""
    if not times:
        return None
    now = datetime.now() + timedelta(days=1)  # noqa: DTZ005  # of any zone
    scored: list[tuple[tuple[int, int], str, list[datetime]]] = []
    for order in _ORDERS:
        read = [_at(one, order) for one in times]
        fit = [one for one in read if one is not None and EARLIEST.replace(tzinfo=None) <= one <= now]
        falls = sum(before > behind for before, behind in pairwise(fit))
        rises = sum(before < behind for before, behind in pairwise(fit))
        scored.append(((len(times) - len(fit), min(falls, rises)), order, fit))
    best = min(score for score, _, _ in scored)
    likely = [(order, fit) for score, order, fit in scored if score == best and fit]
    if len(likely) > 1:
        # Of two digits each, the year stands last nearly everywhere.
        likely = [(order, fit) for order, fit in likely if order != _ORDERS[-1]]
    if len(likely) == 1 or len({tuple(fit) for _, fit in likely}) == 1:
        return likely[0][0]
    if not likely or len({one.date for one in times}) < _DATES_TELL:
        return None
    (near, order), (further, _), *_ = sorted((max(fit) - min(fit), order) for order, fit in likely)
    return order if near * _NEARER <= further else None


def _of_apple(values: Sequence[Any]) -> list[datetime | None]:
    """Read numbers that count seconds, or parts of them, from Apple's beginning, if all do."""
    seconds = [number(one) for one in values]
    most = (datetime.now(UTC) - _APPLE).total_seconds()
    if not all(_APPLE_FROM <= one <= most for one in seconds if one is not None):
        return [None] * len(values)
    return [None if one is None else _APPLE + timedelta(seconds=one) for one in seconds]
