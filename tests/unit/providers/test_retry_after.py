"""How long a provider asks to wait is read from each of the forms in use."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.sdk.sdk_errors import retry_after

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "when it rains"}, None),
        ({"retry-after": "Sat, 14 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sat, 14 Mar 2026 12:00:30 -0000"}, 30.0),
        ({"retry-after": "Sat, 14 Mar 2026 11:00:00 GMT"}, 0.0),
    ],
)
def test_every_form_is_read(headers, seconds):
    assert retry_after(headers, NOW) == seconds


@given(st.integers(0, 10**6))
def test_a_date_says_the_seconds_until_then_up_to_an_hour(seconds):
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert retry_after({"retry-after": date}, NOW) == min(seconds, 3600)


@given(st.text())
def test_nonsense_never_raises(value):
    found = retry_after({"retry-after": value, "retry-after-ms": value}, NOW)
    assert found is None or 0 <= found <= 3600
