"""Calendar arithmetic on local time: days, weeks, months, seasons, and the windows around a distance from now."""

from calendar import monthrange
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from enum import IntEnum
from typing import NamedTuple

MONTHS_OF_YEAR = 12
MONTHS_OF_QUARTER = 3
YEARS_OF_DECADE = 10
SATURDAY = 5
DAYS_OF_WEEK = 7


class Span(NamedTuple):
    """A half-open interval of local time, without a time zone."""

    start: datetime
    end: datetime


class Unit(IntEnum):
    """Units of time that expressions count in."""

    MINUTE = 1
    HOUR = 2
    DAY = 3
    WEEK = 4
    WEEKEND = 5
    MONTH = 6
    QUARTER = 7
    YEAR = 8
    DECADE = 9


class Season(IntEnum):
    """Meteorological seasons, which begin with a month; a winter carries the year of its December."""

    SPRING = 0
    SUMMER = 1
    AUTUMN = 2
    WINTER = 3


class Part(IntEnum):
    """Parts of a day."""

    MORNING = 1
    AFTERNOON = 2
    EVENING = 3
    NIGHT = 4


class Holiday(IntEnum):
    """Feasts on fixed days of the Gregorian calendar."""

    CHRISTMAS = 1
    CHRISTMAS_EVE = 2
    CHRISTMAS_DAY = 3
    BOXING_DAY = 8
    NEW_YEARS_EVE = 4
    NEW_YEAR = 5
    HALLOWEEN = 6
    VALENTINE = 7


class AskingMoment(NamedTuple):
    """When a question is asked.

    Attributes:
        local: The local time, without a time zone.
        southern: True where the seasons are those of the southern hemisphere.
        ahead: True where recurring times mean the next ones, as in plans; the latest, as in questions to a memory.
    """

    local: datetime
    southern: bool
    ahead: bool = False

    @property
    def today(self) -> date:
        """The local date."""
        return self.local.date()


# From which hour of a day to which hour counted from the same midnight.
_HOURS = {Part.MORNING: (5, 12), Part.AFTERNOON: (12, 18), Part.EVENING: (17, 24), Part.NIGHT: (18, 30)}
# First month, first day, number of days.
_HOLIDAYS = {
    Holiday.CHRISTMAS: (12, 24, 3),
    Holiday.CHRISTMAS_EVE: (12, 24, 1),
    Holiday.CHRISTMAS_DAY: (12, 25, 1),
    Holiday.BOXING_DAY: (12, 26, 1),
    Holiday.NEW_YEARS_EVE: (12, 31, 1),
    Holiday.NEW_YEAR: (1, 1, 1),
    Holiday.HALLOWEEN: (10, 31, 1),
    Holiday.VALENTINE: (2, 14, 1),
}
# Half a unit in days, to either side of the day at a distance of whole units.
_DAYS_AROUND = {Unit.WEEK: 3, Unit.MONTH: 15, Unit.QUARTER: 45, Unit.YEAR: 182, Unit.DECADE: 1826}
_FIRST_MONTH_OF_SPRING = 3
_HALF_A_YEAR = 6


def days(first: date, count: int = 1) -> Span:
    """Whole days from the first one on."""
    start = datetime.combine(first, time())
    return Span(start, start + timedelta(days=count))


def part_of_day(day: date, part: int) -> Span:
    """A part of a day; the night ends at six the next morning."""
    begins, ends = _HOURS[Part(part)]
    midnight = datetime.combine(day, time())
    return Span(midnight + timedelta(hours=begins), midnight + timedelta(hours=ends))


def months(year: int, month: int, count: int = 1) -> Span:
    """Whole months; a month before January or past December counts on into other years."""
    return Span(_first_of_month(year, month), _first_of_month(year, month + count))


def season(year: int, which: int, *, southern: bool) -> Span:
    """A season of a year."""
    opposite = _HALF_A_YEAR if southern else 0
    first_month = (_FIRST_MONTH_OF_SPRING + MONTHS_OF_QUARTER * which + opposite - 1) % MONTHS_OF_YEAR + 1
    return months(year, first_month, MONTHS_OF_QUARTER)


def holiday(year: int, which: int) -> Span:
    """A feast in a year."""
    month, day, count = _HOLIDAYS[Holiday(which)]
    return days(date(year, month, day), count)


def unit_containing(day: date, unit: int, offset: int = 0) -> Span:  # noqa: PLR0911 - one for each unit
    """The calendar unit that contains a day, or one that lies `offset` units later; weeks begin on Monday.

    Raises:
        ValueError: The unit is shorter than a day, or lies outside the calendar.
        OverflowError: It lies outside the calendar.
    """
    monday = day - timedelta(days=day.weekday()) + timedelta(weeks=offset)
    match unit:
        case Unit.DAY:
            return days(day + timedelta(days=offset))
        case Unit.WEEK:
            return days(monday, DAYS_OF_WEEK)
        case Unit.WEEKEND:
            return days(monday + timedelta(days=SATURDAY), DAYS_OF_WEEK - SATURDAY)
        case Unit.MONTH:
            return months(day.year, day.month + offset)
        case Unit.QUARTER:
            return months(day.year, day.month - (day.month - 1) % MONTHS_OF_QUARTER + MONTHS_OF_QUARTER * offset, 3)
        case Unit.YEAR:
            return months(day.year + offset, 1, MONTHS_OF_YEAR)
        case Unit.DECADE:
            first = day.year - day.year % YEARS_OF_DECADE + YEARS_OF_DECADE * offset
            return months(first, 1, MONTHS_OF_YEAR * YEARS_OF_DECADE)
        case _:
            raise ValueError("Minutes and hours are no calendar units.")


def shifted(moment: datetime, unit: int, count: int) -> datetime:
    """The same time of day `count` units later; a day that a month lacks becomes its last one.

    Raises:
        ValueError: The result lies outside the calendar.
        OverflowError: It lies outside the calendar.
    """
    match unit:
        case Unit.MINUTE:
            return moment + timedelta(minutes=count)
        case Unit.HOUR:
            return moment + timedelta(hours=count)
        case Unit.DAY:
            return moment + timedelta(days=count)
        case Unit.WEEK | Unit.WEEKEND:
            return moment + timedelta(weeks=count)
        case _:
            in_months = {Unit.MONTH: 1, Unit.QUARTER: MONTHS_OF_QUARTER, Unit.YEAR: MONTHS_OF_YEAR}
            first = _first_of_month(moment.year, moment.month + count * in_months.get(Unit(unit), 120))
            return moment.replace(
                year=first.year, month=first.month, day=min(moment.day, monthrange(first.year, first.month)[1])
            )


def window_at_distance(moment: datetime, unit: int, count: int) -> Span:
    """The span of "`count` units from here": a window around that distance which is about one unit wide.

    Days and weekends are those of the calendar. Ten minutes stand for a minute, as people round them.
    """
    there = shifted(moment, unit, count)
    if unit in _DAYS_AROUND:
        around = _DAYS_AROUND[Unit(unit)]
        return days(there.date() - timedelta(days=around), 2 * around + 1)
    match unit:
        case Unit.MINUTE:
            return Span(there - timedelta(minutes=5), there + timedelta(minutes=5))
        case Unit.HOUR:
            return Span(there - timedelta(minutes=30), there + timedelta(minutes=30))
        case _:
            return unit_containing(there.date(), unit)


def third(span: Span, which: int) -> Span:
    """The first, second or third third of a span (0, 1, 2), in whole months or days where it has as many."""
    return _fraction(span, which, 3)


def half(span: Span, which: int) -> Span:
    """The first or second half of a span (0, 1), in whole months or days where it has as many."""
    return _fraction(span, which, 2)


def usual(at: AskingMoment, of_year: Callable[[int], Span | None]) -> Span | None:
    """Of something that comes once a year, the latest that has begun; ahead, the one that is on, or the next."""
    return on_or_next(at, of_year) if at.ahead else latest_started(at, of_year)


def on_or_next(at: AskingMoment, of_year: Callable[[int], Span | None]) -> Span | None:
    """Of something that comes once a year, the one that is on, or else the first that has not begun."""
    return min((span for span in _around(at, of_year) if span.end > at.local), default=None)


def latest_started(at: AskingMoment, of_year: Callable[[int], Span | None]) -> Span | None:
    """Of something that comes once a year, the latest that has begun."""
    return max((span for span in _around(at, of_year) if span.start <= at.local), default=None)


def latest_ended(at: AskingMoment, of_year: Callable[[int], Span | None]) -> Span | None:
    """Of something that comes once a year, the latest that was over when today began."""
    midnight = datetime.combine(at.today, time())
    return max((span for span in _around(at, of_year) if span.end <= midnight), default=None)


def next_to_start(at: AskingMoment, of_year: Callable[[int], Span | None]) -> Span | None:
    """Of something that comes once a year, the first that has not begun."""
    return min((span for span in _around(at, of_year) if span.start > at.local), default=None)


def nearest(at: AskingMoment, of_year: Callable[[int], Span | None]) -> Span | None:
    """Of something that comes once a year, the one that is on, or else the nearest."""

    def distance(span: Span) -> timedelta:
        return max(span.start - at.local, at.local - span.end, timedelta())

    return min(_around(at, of_year), key=distance, default=None)


def _around(at: AskingMoment, of_year: Callable[[int], Span | None]) -> list[Span]:
    # Eight years back and forth hold a 29 February even around 1900 and 2100.
    return [span for year in range(at.local.year - 8, at.local.year + 9) if (span := of_year(year))]


def _first_of_month(year: int, month: int) -> datetime:
    years, zero_based = divmod(month - 1, MONTHS_OF_YEAR)
    # Times of day are naive here: `resolution` alone attaches the zone.
    return datetime(year + years, zero_based + 1, 1)  # noqa: DTZ001


def _month_number(moment: datetime) -> int:
    return moment.year * MONTHS_OF_YEAR + moment.month


def _fraction(span: Span, which: int, count: int) -> Span:
    in_months = _month_number(span.end) - _month_number(span.start)
    length = span.end - span.start
    if span.start.day == span.end.day == 1 and in_months % count == 0:
        part = in_months // count
        return months(span.start.year, span.start.month + which * part, part)
    if length.days >= count:
        edges = [span.start + timedelta(days=length.days * edge // count) for edge in range(count)]
    else:
        edges = [span.start + length * edge / count for edge in range(count)]
    return Span(edges[which], [*edges, span.end][which + 1])
