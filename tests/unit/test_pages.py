"""Pages of long lists: what each shows, and the cursors that lead from one to the next."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.pages import cut, read_count, read_id, read_moment, write_count, write_moment
from memory.questions import BadQuestion

ROW = UUID("0199d6a8-5c00-7000-8000-000000000001")


@given(st.lists(st.integers(), max_size=6), st.integers(min_value=1, max_value=6))
def test_a_page_has_a_cursor_where_one_row_more_was_found(rows, limit):
    shown, end = cut(rows[: limit + 1], limit, str)

    assert shown == rows[:limit]
    assert end == (str(rows[limit - 1]) if len(rows) > limit else None)


@given(st.datetimes(timezones=st.just(UTC)), st.uuids())
def test_a_moment_is_read_as_it_was_written(moment, row_id):
    assert read_moment(write_moment(moment, row_id)) == (moment, row_id)


@given(st.integers(min_value=0, max_value=10**18 - 1), st.uuids())
def test_a_count_is_read_as_it_was_written(count, row_id):
    assert read_count(write_count(count, row_id)) == (count, row_id)


def test_an_id_is_its_own_cursor():
    assert read_id(str(ROW)) == ROW


@pytest.mark.parametrize("read", [read_moment, read_count, read_id])
def test_the_first_page_needs_no_cursor(read):
    assert read(None) is None


@pytest.mark.parametrize(
    ("read", "cursor"),
    [
        (read_moment, write_moment(datetime(2026, 3, 2, tzinfo=UTC), ROW)[:-8]),
        (read_moment, "☺"),
        (read_count, str(ROW)),
        (read_count, "7/7"),
        (read_id, "yesterday"),
        (read_id, ""),
    ],
)
def test_what_was_never_given_out_is_refused(read, cursor):
    with pytest.raises(BadQuestion, match="none that was given out"):
        read(cursor)
