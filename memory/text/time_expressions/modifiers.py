"""Words beside an expression that change its span: "since", "early", "the end of", "in the evening"."""

from datetime import datetime, timedelta

from memory.text.time_expressions import periods
from memory.text.time_expressions.language import Modification, Values
from memory.text.time_expressions.periods import DAYS_OF_WEEK, AskingMoment, Span

EARLIEST = datetime(1900, 1, 1)  # noqa: DTZ001 - local times have no zone here


def same(span: Span, _values: Values, _at: AskingMoment) -> Span:
    """Return the span unchanged; for words that only mark a time."""
    return span


def since(span: Span, _values: Values, at: AskingMoment) -> Span | None:
    """From the beginning of the span until now; None if it has not begun."""
    return Span(span.start, at.local) if span.start < at.local else None


def following(span: Span, _values: Values, at: AskingMoment) -> Span | None:
    """From the end of the span until now; None if it has not ended."""
    return Span(span.end, at.local) if span.end < at.local else None


def preceding(span: Span, _values: Values, _at: AskingMoment) -> Span | None:
    """Everything before the span."""
    return Span(EARLIEST, span.start)


def until(span: Span, _values: Values, _at: AskingMoment) -> Span | None:
    """Everything up to the end of the span."""
    return Span(EARLIEST, span.end)


def third(which: int) -> Modification:
    """A third of a span of three days or more, counted from 0."""
    return lambda span, _values, _at: periods.third(span, which) if span.end - span.start >= timedelta(3) else None


def half(which: int) -> Modification:
    """A half of a span of two days or more, counted from 0."""
    return lambda span, _values, _at: periods.half(span, which) if span.end - span.start >= timedelta(2) else None


def part_of_day(span: Span, values: Values, _at: AskingMoment) -> Span | None:
    """The `part` of a day. None beside anything but one whole day."""
    return periods.part_of_day(span.start.date(), values["part"]) if span.end - span.start == timedelta(1) else None


def distance(direction: int) -> Modification:
    """The time `number` `unit`s before (-1) or after (1) the span: "the day after", "two weeks before"."""

    def modification(span: Span, values: Values, _at: AskingMoment) -> Span | None:
        count, unit = values.get("number", 1), values["unit"]
        if direction < 0:
            start = periods.shifted(span.start, unit, -count)
            return Span(start, periods.shifted(start, unit, 1))
        end = periods.shifted(span.end, unit, count)
        return Span(periods.shifted(end, unit, -1), end)

    return modification


def weekday_beside(direction: int) -> Modification:
    """The last `weekday` before the span (-1) or the first one after it (1)."""

    def modification(span: Span, values: Values, _at: AskingMoment) -> Span:
        if direction > 0:
            first = span.end.date()
            return periods.days(first + timedelta(days=(values["weekday"] - first.weekday()) % DAYS_OF_WEEK))
        last = span.start.date() - timedelta(days=1)
        return periods.days(last - timedelta(days=(last.weekday() - values["weekday"]) % DAYS_OF_WEEK))

    return modification


def containing(unit: int) -> Modification:
    """The calendar unit in which the span begins: "the week of 3 May"."""
    return lambda span, _values, _at: periods.unit_containing(span.start.date(), unit)
