"""Times are read in every form that exports have them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory.intake.importers.times import filled, moment

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


def test_a_missing_time_follows_the_message_before():
    ten = datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert filled([None, ten.replace(hour=11), None], ten) == [
        ten.replace(second=1),
        ten.replace(hour=11),
        ten.replace(hour=11, second=1),
    ]
    assert filled([None, None], None) == [None, None]
