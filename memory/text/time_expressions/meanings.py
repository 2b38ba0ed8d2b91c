"""The meanings of time expressions: functions from a match's values and the asking moment to a span.

A table names them beside its patterns. Each public function here makes a meaning. The slots that a meaning reads are
named in its docstring; they must be in its pattern.
"""

from collections.abc import Callable
from datetime import date, timedelta

from memory.text.time_expressions import periods
from memory.text.time_expressions.language import Meaning, Values
from memory.text.time_expressions.periods import (
    DAYS_OF_WEEK,
    MONTHS_OF_QUARTER,
    MONTHS_OF_YEAR,
    YEARS_OF_DECADE,
    AskingMoment,
    Span,
    Unit,
)

# Chooses among the yearly occurrences of something.
Choice = Callable[[AskingMoment, Callable[[int], Span | None]], Span | None]
# A match's something in one year; None if that year has none.
Yearly = Callable[[Values, AskingMoment, int], Span | None]

_LATEST_CENTURY = 100


def day(offset: int, part: int | None = None) -> Meaning:
    """A day counted from today, whole or a part of it; reads `part` if the pattern has it."""

    def meaning(values: Values, at: AskingMoment) -> Span:
        that = at.today + timedelta(days=offset)
        which = values.get("part", part)
        return periods.days(that) if which is None else periods.part_of_day(that, which)

    return meaning


def days(first: int, last: int) -> Meaning:
    """Whole days counted from today, both included."""
    return lambda _values, at: periods.days(at.today + timedelta(days=first), last - first + 1)


def calendar_unit(offset: int, unit: int | None = None) -> Meaning:
    """The calendar unit `offset` ones from the current; reads `unit` if not given."""
    return lambda values, at: periods.unit_containing(at.today, unit or values["unit"], offset)


def usual_weekend(_values: Values, at: AskingMoment) -> Span:
    """The weekend that is on, or else the latest; ahead, the next."""
    is_on = at.today.weekday() >= periods.SATURDAY
    return periods.unit_containing(at.today, Unit.WEEKEND, 0 if is_on or at.ahead else -1)


def only_ahead(meaning: Meaning) -> Meaning:
    """The meaning of expressions that name a time in plans alone: "in two weeks" is a duration elsewhere."""
    return lambda values, at: meaning(values, at) if at.ahead else None


def ago(direction: int = -1, number: int = 1, unit: int | None = None) -> Meaning:
    """Some units before now, or after now with `direction` 1; reads `number` and `unit` where the pattern has them."""

    def meaning(values: Values, at: AskingMoment) -> Span:
        counted = unit or values["unit"]
        counts = (values.get("number", number), values.get("most", number))
        if at.ahead and direction > 0:
            # Plans mean the day itself, or the minute.
            there = [periods.shifted(at.local, counted, count) for count in counts]
            windows = [
                periods.days(each.date()) if counted >= Unit.DAY else Span(each, each + timedelta(minutes=1))
                for each in there
            ]
        else:
            windows = [periods.window_at_distance(at.local, counted, direction * count) for count in counts]
        return Span(min(windows).start, max(windows).end)

    return meaning


def rolling(direction: int) -> Meaning:
    """The last (-1) or next (1) `number` `unit`s up to or from now; whole days for units of a day or more."""

    def meaning(values: Values, at: AskingMoment) -> Span:
        unit = values["unit"]
        edge = periods.shifted(at.local, unit, direction * values.get("most", 1))
        if unit >= Unit.DAY:
            edge = periods.days(edge.date()).start if direction < 0 else periods.days(edge.date()).end
        return Span(edge, at.local) if direction < 0 else Span(at.local, edge)

    return meaning


def same_time_ago(values: Values, at: AskingMoment) -> Span:
    """Around this day one `unit` ago: 15 days before and after it for a year, else one day."""
    there = periods.shifted(at.local, values["unit"], -1).date()
    around = 15 if values["unit"] == Unit.YEAR else 1
    return periods.days(there - timedelta(days=around), 2 * around + 1)


def day_ago(values: Values, at: AskingMoment) -> Span:
    """The day exactly `number` `unit`s ago."""
    return periods.days(periods.shifted(at.local, values["unit"], -values.get("number", 1)).date())


def earlier(unit: int | None = None) -> Meaning:
    """The part of the current unit that has passed; reads `unit` if not given."""
    return lambda values, at: Span(periods.unit_containing(at.today, unit or values["unit"]).start, at.local)


def later(unit: int | None = None) -> Meaning:
    """The part of the current unit that is left; reads `unit` if not given."""
    return lambda values, at: Span(at.local, periods.unit_containing(at.today, unit or values["unit"]).end)


def last_weekday(weeks_more: int = 0) -> Meaning:
    """The latest `weekday` before today, or one `weeks_more` weeks earlier; reads `part` if the pattern has it."""

    def meaning(values: Values, at: AskingMoment) -> Span:
        back = (at.today.weekday() - values["weekday"] - 1) % DAYS_OF_WEEK + 1
        return _whole_or_part(at.today - timedelta(days=back + DAYS_OF_WEEK * weeks_more), values)

    return meaning


def usual_weekday(values: Values, at: AskingMoment) -> Span | None:
    """The latest `weekday` before today; ahead, the first after today. Reads `part` if the pattern has it."""
    return (coming_weekday if at.ahead else last_weekday())(values, at)


def weekdays_ago(values: Values, at: AskingMoment) -> Span:
    """The `number`th last `weekday`."""
    return last_weekday(values["number"] - 1)(values, at) or periods.days(at.today)


def weekday_of_week(offset: int) -> Meaning:
    """The `weekday` of the week `offset` weeks from the current one; reads `part` if the pattern has it."""

    def meaning(values: Values, at: AskingMoment) -> Span:
        monday = periods.unit_containing(at.today, Unit.WEEK, offset).start.date()
        return _whole_or_part(monday + timedelta(days=values["weekday"]), values)

    return meaning


def coming_weekday(values: Values, at: AskingMoment) -> Span:
    """The first `weekday` after today."""
    ahead = (values["weekday"] - at.today.weekday() - 1) % DAYS_OF_WEEK + 1
    return _whole_or_part(at.today + timedelta(days=ahead), values)


def yearly(what: Yearly, choice: Choice = periods.usual, years_back: int = 0) -> Meaning:
    """Something that comes once a year: of `year` if the pattern has it, else the one that is chosen.

    Args:
        what: One of the functions below with the type `Yearly`.
        choice: `usual`, or one of `latest_started`, `latest_ended`, `next_to_start`, `nearest` of `periods`.
        years_back: How many years before the chosen one the meant one lies.
    """

    def meaning(values: Values, at: AskingMoment) -> Span | None:
        if "year" in values:
            return what(values, at, values["year"])
        return choice(_years_before(at, years_back), lambda year: what(values, at, year))

    return meaning


def yearly_in(what: Yearly, offset: int) -> Meaning:
    """Something that comes once a year, in the calendar year `offset` years from the current one."""
    return lambda values, at: what(values, at, at.local.year + offset)


def yearly_ago(what: Yearly) -> Meaning:
    """The `number`th last of something that comes once a year."""

    def meaning(values: Values, at: AskingMoment) -> Span | None:
        return periods.latest_ended(_years_before(at, values["number"] - 1), lambda year: what(values, at, year))

    return meaning


def month(values: Values, _at: AskingMoment, year: int) -> Span:
    """Yearly: the `month`."""
    return periods.months(year, values["month"])


def month_day(values: Values, _at: AskingMoment, year: int) -> Span | None:
    """Yearly: the `day` or `ordinal` of `month`, up to `day2` if the pattern has it."""
    first = values.get("day", values.get("ordinal", 0))
    last = values.get("day2", first)
    if not 1 <= first <= last:
        return None
    begin, end = _date(year, values["month"], first), _date(year, values["month"], last)
    return periods.days(begin, last - first + 1) if begin and end else None


# The date of a year, or the dates of a stretch of days.
yearly_date = yearly(month_day)


def season(values: Values, at: AskingMoment, year: int) -> Span:
    """Yearly: the `season`."""
    return periods.season(year, values["season"], southern=at.southern)


def holiday(values: Values, _at: AskingMoment, year: int) -> Span:
    """Yearly: the `holiday`."""
    return periods.holiday(year, values["holiday"])


def week_of_month(values: Values, _at: AskingMoment, year: int) -> Span | None:
    """Yearly: seven days of `month`, by `ordinal` from its first day, or its last seven with ordinal 0."""
    whole = periods.months(year, values["month"])
    if values["ordinal"] == 0:
        return Span(whole.end - timedelta(days=DAYS_OF_WEEK), whole.end)
    start = whole.start + timedelta(days=DAYS_OF_WEEK * (values["ordinal"] - 1))
    return Span(start, min(start + timedelta(days=DAYS_OF_WEEK), whole.end)) if start < whole.end else None


def weekday_of_month(values: Values, _at: AskingMoment, year: int) -> Span | None:
    """Yearly: the `weekday` of `month` by `ordinal`, or its last one with ordinal 0."""
    whole = periods.months(year, values["month"])
    if values["ordinal"] == 0:
        last = whole.end - timedelta(days=1)
        return periods.days(last.date() - timedelta(days=(last.weekday() - values["weekday"]) % DAYS_OF_WEEK))
    to_first = (values["weekday"] - whole.start.weekday()) % DAYS_OF_WEEK
    found = whole.start + timedelta(days=to_first + DAYS_OF_WEEK * (values["ordinal"] - 1))
    return periods.days(found.date()) if found < whole.end else None


def quarter(values: Values, _at: AskingMoment, year: int) -> Span | None:
    """Yearly: the quarter by `figure` or `ordinal`."""
    which = values.get("figure", values.get("ordinal", 0))
    first = MONTHS_OF_QUARTER * (which - 1) + 1
    return periods.months(year, first, MONTHS_OF_QUARTER) if 1 <= first <= MONTHS_OF_YEAR else None


def week_of_year(values: Values, _at: AskingMoment, year: int) -> Span | None:
    """Yearly: the ISO week by `figure`."""
    try:
        return periods.days(date.fromisocalendar(year, values["figure"], 1), DAYS_OF_WEEK)
    except ValueError:
        return None


def year(values: Values, _at: AskingMoment) -> Span:
    """The `year`."""
    return periods.months(values["year"], 1, MONTHS_OF_YEAR)


def decade(values: Values, at: AskingMoment) -> Span | None:
    """The ten years from `year`, or from the latest past year that ends in the two digits of `figure`."""
    first = values.get("year")
    if first is None:
        first = at.local.year - (at.local.year - values["figure"]) % _LATEST_CENTURY
    return periods.months(first, 1, MONTHS_OF_YEAR * YEARS_OF_DECADE) if first % YEARS_OF_DECADE == 0 else None


def full_date(values: Values, _at: AskingMoment) -> Span | None:
    """The date of `year`, `figure` (the month) and `day`; without a day the month."""
    if not 1 <= values["figure"] <= MONTHS_OF_YEAR:
        return None
    if "day" not in values:
        return periods.months(values["year"], values["figure"])
    found = _date(values["year"], values["figure"], values["day"])
    return periods.days(found) if found else None


def either_order_date(values: Values, at: AskingMoment) -> Span | None:
    """A date of `day`, `day2` and `year`, of which one is the month; None where both orders are dates."""
    one, other = values["day"], values["day2"]
    orders = {(one, other), (other, one)}
    found = {full_date({"year": values["year"], "figure": month, "day": day}, at) for month, day in orders} - {None}
    return found.pop() if len(found) == 1 else None


def day_first_date(values: Values, at: AskingMoment) -> Span | None:
    """A date of `day`, `day2` (the month) and, if the pattern has it, `year`; else the latest, or ahead the next."""
    if "year" in values:
        return full_date({"year": values["year"], "figure": values["day2"], "day": values["day"]}, at)
    if not 1 <= values["day2"] <= MONTHS_OF_YEAR:
        return None
    of_month = {"month": values["day2"], "day": values["day"]}
    return periods.usual(at, lambda year: month_day(of_month, at, year))


def day_of_month(offset: int | None = None) -> Meaning:
    """The `day` of the month `offset` months from the current one.

    If no offset is given, it is the latest such day, or ahead the next.
    """

    def meaning(values: Values, at: AskingMoment) -> Span | None:
        towards = 1 if at.ahead else -1
        for months in range(12) if offset is None else (offset * towards,):
            first = periods.unit_containing(at.today, Unit.MONTH, months * towards).start
            found = _date(first.year, first.month, values["day"])
            if found and (offset is not None or (found >= at.today if at.ahead else found <= at.today)):
                return periods.days(found)
        return None

    return meaning


def _whole_or_part(that: date, values: Values) -> Span:
    return periods.part_of_day(that, values["part"]) if "part" in values else periods.days(that)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _years_before(at: AskingMoment, count: int) -> AskingMoment:
    return at._replace(local=periods.shifted(at.local, Unit.YEAR, -count))
