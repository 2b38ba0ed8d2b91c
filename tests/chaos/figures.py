"""The figures of a run: numbers of faults, times to recover, and results of all input."""

import statistics
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from store.database import Store
from tests.chaos.verdict import Count


@dataclass(frozen=True)
class Event:
    """A fault that was injected.

    Attributes:
        begun: When it began, on the real clock.
        fault: Which kind it was.
        detail: The exact action.
        hit: Whether there was anything to harm.
    """

    begun: datetime
    fault: str
    detail: str
    hit: bool


@dataclass(frozen=True)
class Recovery:
    """The seconds from one kind of fault to the next finished unit of work."""

    fault: str
    times: int
    median: float
    worst: float


# Words in faults' names, by what they count as.
SURVIVED = {"kills": ("killed", "stopped"), "flushes": ("flushed",), "restarts": ("crashes", "restarts")}


def survived(events: Sequence[Event]) -> dict[str, int]:
    """Count killed and suspended processes, flushes of Redis, and restarts of servers."""
    return {
        f"{what} survived": sum(event.hit and any(word in event.fault for word in words) for event in events)
        for what, words in SURVIVED.items()
    }


def finish_times(store: Store) -> list[datetime]:
    """Return the times at which units of work were finished, in order."""
    with store.transaction() as tx:
        rows = tx.execute("select finished_at from memory.work where state = 'done' order by finished_at")
        return [row["finished_at"] for row in rows]


def recoveries(events: Iterable[Event], finished: Sequence[datetime]) -> list[Recovery]:
    """Measure, for each kind of fault, from its beginning to the next finished unit of work."""
    waits: dict[str, list[float]] = {}
    for event in events:
        place = bisect_right(finished, event.begun)
        if event.hit and place < len(finished):
            waits.setdefault(event.fault, []).append((finished[place] - event.begun).total_seconds())
    return [Recovery(fault, len(took), statistics.median(took), max(took)) for fault, took in sorted(waits.items())]


def longest_silence(finished: Sequence[datetime], since: datetime, until: datetime) -> float:
    """The longest time in which no work was finished, in seconds."""
    moments = [since, *(moment for moment in finished if since < moment < until), until]
    return max((after - before).total_seconds() for before, after in pairwise(moments))


def table(recovered: Sequence[Recovery], silence: float, count: Count, tally: dict[str, int]) -> str:
    """Format the figures for people."""
    lines = [f"{'fault':<48}{'times':>6}{'median':>9}{'worst':>9}   seconds until work went on"]
    lines += [f"{row.fault:<48}{row.times:>6}{row.median:>9.2f}{row.worst:>9.2f}" for row in recovered]
    lines += ["", f"{'longest time in which nothing was finished, s':<48}{silence:>6.1f}", ""]
    lines += [f"{what:<48}{number:>6}" for what, number in {**tally, **_named(count)}.items()]
    return "\n".join(lines)


def as_json(recovered: Sequence[Recovery], silence: float, count: Count, tally: dict[str, int]) -> dict[str, Any]:
    """Format the figures as JSON."""
    return {
        "recovery_seconds": [asdict(row) for row in recovered],
        "longest_silence_seconds": silence,
        "items": asdict(count),
        "tally": tally,
    }


def _named(count: Count) -> dict[str, int]:
    return {f"different items {name}": number for name, number in asdict(count).items()}
