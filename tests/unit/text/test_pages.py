"""Pages of long lists: what each shows, and the cursors that lead from one to the next."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.errors import InvalidRequest
from memory.text.pages import (
    cut_page,
    pair_cursor,
    parse_count_cursor,
    parse_day_cursor,
    parse_id_cursor,
    parse_time_cursor,
    parse_version_cursor,
)

ROW = UUID("0199d6a8-5c00-7000-8000-000000000001")


@given(st.lists(st.integers(), max_size=6), st.integers(min_value=1, max_value=6))
def test_a_page_has_a_cursor_where_one_row_more_was_found(rows, limit):
    shown, end = cut_page(rows[: limit + 1], limit, str)

    assert shown == rows[:limit]
    assert end == (str(rows[limit - 1]) if len(rows) > limit else None)


@given(st.datetimes(timezones=st.just(UTC)), st.uuids())
def test_a_moment_is_read_as_it_was_written(moment, row_id):
    assert parse_time_cursor(pair_cursor(moment, row_id)) == (moment, row_id)


@given(st.integers(min_value=0, max_value=10**18 - 1), st.uuids())
def test_a_count_is_read_as_it_was_written(count, row_id):
    assert parse_count_cursor(pair_cursor(count, row_id)) == (count, row_id)


def test_an_id_is_its_own_cursor():
    assert parse_id_cursor(str(ROW)) == ROW


@pytest.mark.parametrize(
    "read", [parse_time_cursor, parse_count_cursor, parse_id_cursor, parse_version_cursor, parse_day_cursor]
)
def test_the_first_page_needs_no_cursor(read):
    assert read(None) is None


@pytest.mark.parametrize(
    ("read", "cursor"),
    [
        (parse_time_cursor, pair_cursor(datetime(2026, 3, 2, tzinfo=UTC), ROW)[:-8]),
        (parse_time_cursor, "☺"),
        (parse_count_cursor, str(ROW)),
        (parse_count_cursor, "7/7"),
        (parse_id_cursor, "yesterday"),
        (parse_id_cursor, ""),
        (parse_version_cursor, "-1"),
        (parse_version_cursor, "2147483648"),
        (parse_version_cursor, "٣"),
        (parse_day_cursor, "2026-13-01"),
        (parse_day_cursor, "yesterday"),
    ],
)
def test_what_was_never_given_out_is_refused(read, cursor):
    with pytest.raises(InvalidRequest, match="Omit it to start"):
        read(cursor)
