"""Pages of long lists: what each shows, and the cursors that lead from one to the next."""

from datetime import UTC, date, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.errors import InvalidRequest
from memory.text.pages import count_and_id, cut_page, parse_cursor, time_and_id, to_cursor, version

ROW = UUID("0199d6a8-5c00-7000-8000-000000000001")


@given(st.lists(st.integers(), max_size=6), st.integers(min_value=1, max_value=6))
def test_a_page_has_a_cursor_where_one_row_more_was_found(rows, limit):
    shown, end = cut_page(rows[: limit + 1], limit, int)

    assert shown == rows[:limit]
    assert end == (str(rows[limit - 1]) if len(rows) > limit else None)


@given(st.datetimes(timezones=st.just(UTC)), st.uuids())
def test_a_moment_is_read_as_it_was_written(moment, row_id):
    assert parse_cursor(to_cursor((moment, row_id)), time_and_id) == (moment, row_id)


@given(st.integers(min_value=0, max_value=10**18 - 1), st.uuids())
def test_a_count_is_read_as_it_was_written(count, row_id):
    assert parse_cursor(to_cursor((count, row_id)), count_and_id) == (count, row_id)


def test_an_id_is_its_own_cursor():
    assert parse_cursor(str(ROW), UUID) == ROW


@pytest.mark.parametrize("key", [time_and_id, count_and_id, UUID, version, date.fromisoformat])
def test_the_first_page_needs_no_cursor(key):
    assert parse_cursor(None, key) is None


@pytest.mark.parametrize(
    ("key", "cursor"),
    [
        (time_and_id, to_cursor((datetime(2026, 3, 2, tzinfo=UTC), ROW))[:-8]),
        (time_and_id, "☺"),
        (count_and_id, str(ROW)),
        (count_and_id, "7/7"),
        (UUID, "yesterday"),
        (UUID, ""),
        (version, "-1"),
        (version, "2147483648"),
        (version, "٣"),
        (date.fromisoformat, "2026-13-01"),
        (date.fromisoformat, "yesterday"),
    ],
)
def test_what_was_never_given_out_is_refused(key, cursor):
    with pytest.raises(InvalidRequest, match="Omit it to start"):
        parse_cursor(cursor, key)
