"""Times as other programs write them."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

# From here on a number counts milliseconds: in seconds it would be the year 5138.
MILLISECONDS_FROM = 1e11
_HUMANIZED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?$")
_SPELLED = ("%B %d, %Y %I:%M%p", "%B %d, %Y %I:%M %p")


def moment(value: Any, zone: tzinfo = UTC) -> datetime | None:
    """Parse a time.

    Args:
        value: Seconds or milliseconds since 1970, ISO 8601, or one of the forms that SillyTavern has written:
            "March 1, 2024 9:05pm", "2024-3-1 @21h 05m 17s 123ms".
        zone: The zone of a time that names none.

    Returns:
        The time; None if it is none, or out of range.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) >= MILLISECONDS_FROM else value, UTC)
        if not isinstance(value, str):
            return None
        text = value.strip()
        if text.isdecimal():
            return moment(int(text), zone)
        return _in_zone(_read(text), zone)
    except (ValueError, OverflowError, OSError):
        return None


def _read(text: str) -> datetime:
    if found := _HUMANIZED.match(text):
        *parts, milliseconds = (int(part or 0) for part in found.groups())
        return datetime(*parts) + timedelta(milliseconds=milliseconds)  # type: ignore[arg-type]  # noqa: DTZ001  # the zone is set by the caller
    for form in _SPELLED:
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007  # likewise
        except ValueError:
            continue
    return datetime.fromisoformat(text)


def _in_zone(read: datetime, zone: tzinfo) -> datetime:
    return read if read.tzinfo else read.replace(tzinfo=zone)


def filled(times: Sequence[datetime | None], begin: datetime | None) -> list[datetime | None]:
    """Give each message without a time that of the message before, or of the conversation's begin, plus a second.

    Args:
        times: The times of a conversation's messages, in its order.
        begin: When the conversation began, if that is known.

    Returns:
        The times; None only where neither is known.
    """
    known = next((time for time in times if time is not None), None)
    last = begin or known
    found: list[datetime | None] = []
    for time in times:
        if time is None and last is not None:
            last += timedelta(seconds=1)
        else:
            last = time or last
        found.append(last)
    return found
