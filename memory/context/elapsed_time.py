"""Times in contexts: the user's present, pauses, and days of messages."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from memory.context.regions import Entry
from schemas.context.context import WorkingMemoryEntry

# A session ends after so long (sql/functions/90_talk/10_sessions.sql).
PAUSE = timedelta(minutes=30)
_UNITS = (
    ("year", timedelta(days=365)),
    ("month", timedelta(days=30)),
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)


def present_time(now: datetime, zone: str, before: datetime | None) -> Entry:
    """Return the entry with the user's day and time, and with how long ago the message before was.

    Args:
        now: The time, in the user's time zone.
        zone: That zone's name.
        before: When the last message was said that did not come in with the one to be answered; None: there is none.
    """
    line = f"It is {now:%A}, {now.day} {now:%B} {now.year}, {now:%H:%M} ({zone})."
    if before is not None:
        line += f" The message before this was {in_words(now - before)} ago."
    return Entry("user", f"<now>\n{line}\n</now>")


def last_said_before(entries: Sequence[WorkingMemoryEntry], present: WorkingMemoryEntry | None) -> datetime | None:
    """When the last message was said before the one to be answered, which is not among `entries`.

    Messages that came in together with that one, without times of their own, carry its time and do not count: a
    program may hand in the answer of the turn before only with the user's next message.
    """
    return max((entry.said_at for entry in entries if present is None or entry.said_at < present.said_at), default=None)


def pauses(entries: Sequence[WorkingMemoryEntry]) -> list[str | None]:
    """For each message, the pause of 30 minutes or more before it in words; None: there was none."""
    lengths = [later.said_at - earlier.said_at for earlier, later in pairwise(entries)]
    return [None, *(in_words(length) if length >= PAUSE else None for length in lengths)][: len(entries)]


def in_words(length: timedelta) -> str:
    """A length of time in the largest unit of which it has at least two, as `90 minutes` or `3 days`; rounded down."""
    for name, unit in _UNITS:
        if length >= 2 * unit:
            return f"{length // unit} {name}s"
    return "a minute" if length >= timedelta(minutes=1) else "less than a minute"


def day(moment: datetime, now: datetime) -> str:
    """The day of a moment, in the time zone of `now`."""
    return f"{moment.astimezone(now.tzinfo):%Y-%m-%d}"


def spoken_span(starts_at: datetime | None, ends_at: datetime | None, now: datetime) -> str | None:
    """The time that words name, in the time zone of `now`: a day, a first and a last day, or a time of day."""
    if starts_at is None or ends_at is None:
        return None
    first, last = day(starts_at, now), day(ends_at - timedelta(seconds=1), now)
    if first != last:
        return f"{first} to {last}"
    whole = ends_at - starts_at >= timedelta(hours=23)
    return first if whole else f"{starts_at.astimezone(now.tzinfo):%Y-%m-%d %H:%M}"
