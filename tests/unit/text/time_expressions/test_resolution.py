"""Expressions of time become intervals, and words that only look like some are left alone.

Each language has a table in this folder, named after its code: `expression | interval; interval`, with local times,
below the moment at which the expressions are asked.
"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.time_expressions.resolution import LANGUAGES, resolve_time_expressions

TABLES = sorted(Path(__file__).parent.glob("*.txt"))
BERLIN = ZoneInfo("Europe/Berlin")
ASKED = "## asked "


def rows(table):
    """The expressions of a table, each with the moment at which it is asked, and what it stands for."""
    for line in table.read_text(encoding="utf-8").splitlines():
        if line.startswith(ASKED):
            day, hour, zone = line.removeprefix(ASKED).split()
            asked_at = datetime.fromisoformat(f"{day} {hour}").replace(tzinfo=ZoneInfo(zone))
        elif " | " in line:
            expression, expected = line.rsplit(" | ", 1)
            yield asked_at, expression, expected


def resolved(expression, asked_at, language):
    """The meaning of an expression, written as in the tables."""

    def local(moment):
        return moment.astimezone(asked_at.tzinfo).strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")

    found = resolve_time_expressions(expression, asked_at, asked_at.tzinfo.key, language)
    return "; ".join(f"{local(each.start)} .. {local(each.end)}" for each in found) or "-"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_expressions_stand_for_the_intervals_of_the_table(table):
    wrong = {
        (str(asked_at), expression): (found, expected)
        for asked_at, expression, expected in rows(table)
        if (found := resolved(expression, asked_at, table.stem)) != expected
    }
    assert wrong == {}


def test_each_language_has_a_table_and_english_a_long_one():
    assert {table.stem for table in TABLES} == set(LANGUAGES)
    english = next(list(rows(table)) for table in TABLES if table.stem == "en")
    assert len(english) >= 150


def test_an_interval_has_the_words_that_it_was_read_from():
    asked_at = datetime(2023, 8, 16, tzinfo=UTC)
    found = resolve_time_expressions(
        "Did we meet in the first week of May, or since last Friday?", asked_at, "UTC", "en"
    )
    assert [each.text for each in found] == ["in the first week of May", "since last Friday"]


def test_a_day_on_which_clocks_change_has_23_or_25_hours():
    for day, hours in (("2024-03-31", 23), ("2024-10-27", 25)):
        asked_at = datetime.fromisoformat(f"{day} 12:00").replace(tzinfo=BERLIN)
        [today] = resolve_time_expressions("today", asked_at, "Europe/Berlin", "en")
        assert today.end - today.start == timedelta(hours=hours)


def test_the_asking_moment_is_read_in_the_users_time_zone():
    late_in_utc = datetime(2023, 8, 16, 23, tzinfo=UTC)
    [today] = resolve_time_expressions("今日", late_in_utc, "Asia/Tokyo", "ja")
    assert today.start == datetime(2023, 8, 17, tzinfo=ZoneInfo("Asia/Tokyo"))


@pytest.mark.parametrize("language", ["en", "EN", "en-GB", "en_US", "xx", "", "auto"])
def test_unknown_languages_are_read_as_english(language):
    assert (
        resolved("What did I do last week?", datetime(2023, 8, 16, tzinfo=BERLIN), language)
        == "2023-08-07 .. 2023-08-14"
    )


@pytest.mark.parametrize("zone", ["Nowhere/Atall", "", "../../etc", "Europe", "\0", "\ud800"])
def test_an_unknown_time_zone_is_utc(zone):
    [today] = resolve_time_expressions("today", datetime(2023, 8, 16, 12, tzinfo=UTC), zone, "en")
    assert (today.start, today.end) == (datetime(2023, 8, 16, tzinfo=UTC), datetime(2023, 8, 17, tzinfo=UTC))


FRAGMENTS = sorted(
    {fragment for table in TABLES for _, expression, _ in rows(table) for fragment in (expression, *expression.split())}
)


@given(
    query=st.one_of(
        st.text(max_size=80),
        st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.integers(0, 99999).map(str)), max_size=8).map(" ".join),
    ),
    asked_at=st.datetimes(timezones=st.timezones()),
    zone=st.timezone_keys(),
    language=st.sampled_from([*LANGUAGES, "xx"]),
)
def test_any_text_at_any_moment_gives_ordered_intervals_of_sane_years(query, asked_at, zone, language):
    found = resolve_time_expressions(query, asked_at, zone, language)
    assert all(each.start < each.end and each.text for each in found)
    assert all(each.start.year >= 1899 and each.end.year <= 2200 for each in found)
    assert all(each.start.tzinfo is UTC and each.end.tzinfo is UTC for each in found)
    places = [query.find(each.text) for each in found if query.count(each.text) == 1]
    assert all(one < other for one, other in pairwise(places))
