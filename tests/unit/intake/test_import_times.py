"""Times are read in every form that exports have them."""

# ruff: noqa: RUF001  # letters of other languages

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.intake.importers.times import clock_time, moment, risen

LISBON = ZoneInfo("Europe/Lisbon")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (1772445600.5, "2026-03-02T10:00:00.500000+00:00"),
        (1772445600500, "2026-03-02T10:00:00.500000+00:00"),
        ("1772445600500", "2026-03-02T10:00:00.500000+00:00"),
        ("2026-03-02T10:00:00.000Z", "2026-03-02T10:00:00+00:00"),
        ("July 2, 2026 9:05pm", "2026-07-02T20:05:00+00:00"),
        ("2026-7-2 @21h 05m 17s 123ms", "2026-07-02T20:05:17.123000+00:00"),
        ("2026-7-2@21h05m17s", "2026-07-02T20:05:17+00:00"),
    ],
)
def test_a_time_is_read_in_the_zone_of_the_user(written, meant):
    assert moment(written, LISBON).astimezone(UTC).isoformat() == meant


@pytest.mark.parametrize("written", [None, True, "", "soon", 1e300, -1e300, float("nan"), {}, "2026-13-01"])
def test_what_is_no_time_is_none(written):
    assert moment(written) is None


@pytest.mark.parametrize("written", [0, "0", "1970-01-01T00:00:00Z", "1.5e3", "25/4/2024 18:30", 1e400])
def test_what_stands_for_no_time_is_none(written):
    assert moment(written) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1714069810.123", "2024-04-25T18:30:10.123000+00:00"),
        ("2024年4月25日 18:30", "2024-04-25T17:30:00+00:00"),
        ("2024年04月25日18时30分05秒", "2024-04-25T17:30:05+00:00"),
        ("4/25/2024, 6:30:05\u202fPM", "2024-04-25T17:30:05+00:00"),
        ("4/5/2024, 6:30 PM", "2024-04-05T17:30:00+00:00"),
        ("Thu Apr 25 18:30:05 2024", "2024-04-25T17:30:05+00:00"),
        ("Thu Apr 25 18:30:05 +0000 2024", "2024-04-25T18:30:05+00:00"),
        ("6:30 PM · Apr 25, 2024", "2024-04-25T17:30:00+00:00"),
        ("25-Apr-2024 18:30", "2024-04-25T17:30:00+00:00"),
        ("25 tháng 4, 2024 18:30", "2024-04-25T17:30:00+00:00"),
        ("April 25, 2024", "2024-04-24T23:00:00+00:00"),
        ("/Date(1714069810000)/", "2024-04-25T18:30:10+00:00"),
        ("2024年4月25日 下午6:30", "2024-04-25T17:30:00+00:00"),
        ("2024年4月25日 午前12:05", "2024-04-24T23:05:00+00:00"),
        ("2024년 4월 25일 오후 6:30", "2024-04-25T17:30:00+00:00"),
        ("2024/4/25 18:30:05", "2024-04-25T17:30:05+00:00"),
        ("Apr 25, 2024 6:30 PM", "2024-04-25T17:30:00+00:00"),
        ("April 25, 2024 6:30:05pm", "2024-04-25T17:30:05+00:00"),
        ("25. April 2024 18:30", "2024-04-25T17:30:00+00:00"),
        ("1er août 2024 18:30", "2024-08-01T17:30:00+00:00"),
        ("25 de maio de 2024 às 18:30", "2024-05-25T17:30:00+00:00"),
        ("25 мая 2024 г. 18:30", "2024-05-25T17:30:00+00:00"),
        ("25 квітня 2024 р. 18:30", "2024-04-25T17:30:00+00:00"),
        ("25 tháng 4 năm 2024 18:30", "2024-04-25T17:30:00+00:00"),
        ("٢٥ أبريل ٢٠٢٤ ١٨:٣٠", "2024-04-25T17:30:00+00:00"),
        ("25 listopada 2024 18:30", "2024-11-25T18:30:00+00:00"),
        ("25. listopada 2024 18:30", "2024-10-25T17:30:00+00:00"),
        ("25. lis 2024. 18:30", "2024-10-25T17:30:00+00:00"),
        ("25. lis 2024 18:30", "2024-11-25T18:30:00+00:00"),
        ("25. srp 2024. 18:30", "2024-07-25T17:30:00+00:00"),
        ("25. června 2024 18:30", "2024-06-25T17:30:00+00:00"),
        ("25. července 2024 18:30", "2024-07-25T17:30:00+00:00"),
        ("25 Mayıs 2024 18:30", "2024-05-25T17:30:00+00:00"),
        ("25. marraskuuta 2024 klo 18.30", "2024-11-25T18:30:00+00:00"),
        ("2024. április 25. 18:30", "2024-04-25T17:30:00+00:00"),
        ("25 Μαΐου 2024 6:30 ΜΜ", "2024-05-25T17:30:00+00:00"),
        ("25 d’abril de 2024 18:30", "2024-04-25T17:30:00+00:00"),
        ("25 בינואר 2024 18:30", "2024-01-25T18:30:00+00:00"),
        ("2024-04-25T18:30:05Z[UTC]", "2024-04-25T18:30:05+00:00"),
        ("25.04.2024, 18:30:05", "2024-04-25T17:30:05+00:00"),
        ("2024-4-25 18:30", "2024-04-25T17:30:00+00:00"),
        ("Thursday, April 25, 2024 at 6:30\u202fPM", "2024-04-25T17:30:00+00:00"),
        ("Thu, 25 Apr 2024 18:30:00 GMT", "2024-04-25T18:30:00+00:00"),
        ("Thu Apr 25 2024 18:30:00 GMT+0200 (Central European Summer Time)", "2024-04-25T16:30:00+00:00"),
        ("2024-04-25 18:30:00.123 +0000 UTC", "2024-04-25T18:30:00+00:00"),
        (1714069810123456, "2024-04-25T18:30:10.123456+00:00"),
    ],
)
def test_times_are_read_as_frontends_of_other_languages_write_them(written, meant):
    assert moment(written, LISBON).isoformat() == meant


def test_of_an_hour_that_the_clock_showed_twice_the_second_is_told_apart():
    berlin = ZoneInfo("Europe/Berlin")
    assert moment("October 27, 2024 2:01am", berlin).isoformat() == "2024-10-27T00:01:00+00:00"
    assert clock_time("October 27, 2024 2:01am", berlin).again.isoformat() == "2024-10-27T01:01:00+00:00"
    assert clock_time("October 27, 2024 3:01am", berlin).again is None
    assert clock_time("2024-10-27T02:01:00Z", berlin).again is None


TEN = datetime(2026, 3, 2, 10, tzinfo=UTC)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def seconds(*given, begins=None, latest=NOON):
    """Times in seconds after ten."""
    times = [None if one is None else TEN + timedelta(seconds=one) for one in given]
    start = None if begins is None else TEN + timedelta(seconds=begins)
    return [(time - TEN).total_seconds() for time in risen(times, start, latest)]


def test_a_missing_time_follows_the_message_before():
    assert seconds(None, 60, None, begins=0) == [1, 60, 61]
    assert seconds(60, None, 62) == [60, 61, 62]
    assert seconds(60, None, 61) == [60, 60.999, 61]
    assert seconds(None, None, begins=5) == [6, 7]
    assert seconds(None, None, 10, begins=500) == [8, 9, 10], "a chat can not begin behind its messages"


def test_where_no_time_is_known_the_messages_end_with_the_file_or_now():
    assert seconds(None, None) == [7199, 7200]
    assert seconds(None, None, begins=7200) == [7199, 7200]


def test_times_rise_and_as_few_as_possible_are_moved():
    assert seconds(0, 0, 0) == [0, 0.001, 0.002]
    assert seconds(0.102, 0.023, 9, 8.5) == [0.022, 0.023, 8.499, 8.5]
    assert seconds(1, 2, 5000, 3, 4) == [1, 2, 2.999, 3, 4], "one clock that was wrong once"
    assert seconds(300, 30, 360, 90, 420, 150) == [29.999, 30, 89.999, 90, 149.999, 150], "two clocks"
    assert seconds(1, 99_999_999, 3) == [1, 2, 3], "what lies ahead is no time"
    assert seconds(7200, None, None)[-1] == 7200


@given(st.lists(st.none() | st.integers(-9, 9) | st.integers(-(10**9), 10**9), max_size=30), st.integers(-9, 9000))
def test_times_always_rise_and_never_lie_ahead(given_times, begins):
    found = seconds(*given_times, begins=begins)
    assert all(before < behind for before, behind in pairwise(found))
    assert all(time <= 7200 for time in found)
