"""Counts each user's running requests and used database time in this process.

It earns no time: without it the requests of one user could take all threads, and the database from the others.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from uuid import UUID

# The database time that a user may use in advance of the share, in seconds.
AHEAD_SECONDS = 20.0
RETRY_SECONDS = 1.0
# Above this number, users without requests and without debt are dropped.
MOST_USERS = 1000


@dataclass
class _Load:
    running: Counter[bool] = field(default_factory=Counter)
    debt: float = 0.0
    at: float = 0.0


@dataclass(frozen=True)
class Excess:
    """A request exceeds its user's limits: the reason, and after how many seconds to retry."""

    reason: str
    retry_after: float


class UserLoads:
    """Counts each user's requests, and their database time as a debt that decreases at a constant rate.

    Args:
        requests: The most concurrent requests of one user; large requests have a limit of their own of that size.
        database_time: By how many seconds the debt decreases per second.
        now: A monotonic clock, in seconds.
    """

    def __init__(self, requests: int, database_time: float, now: Callable[[], float] = monotonic) -> None:
        self._requests = requests
        self._database_time = database_time
        self._now = now
        self._loads: dict[UUID, _Load] = {}
        self._lock = Lock()

    def begin(self, user_id: UUID, *, large: bool) -> Excess | None:
        """Count a request that begins, or return by what it exceeds the limits, without counting it."""
        with self._lock:
            load = self._load(user_id)
            if load.running[large] >= self._requests:
                return Excess(
                    f"You have {self._requests} concurrent requests, the limit: send fewer at a time.",
                    RETRY_SECONDS,
                )
            if not large and (excess := self._excess(load)):
                return excess
            load.running[large] += 1
            return None

    def time_excess(self, user_id: UUID) -> Excess | None:
        """Return by how much a user has exceeded the share of database time; the request is counted elsewhere."""
        with self._lock:
            return self._excess(self._load(user_id))

    def end(self, user_id: UUID, *, large: bool) -> None:
        """Count a request that has ended."""
        with self._lock:
            self._load(user_id).running[large] -= 1
            if len(self._loads) > MOST_USERS:
                self._remove_idle()

    def charge(self, user_id: UUID, seconds: float) -> None:
        """Add database time to a user's debt."""
        with self._lock:
            self._load(user_id).debt += seconds

    def _excess(self, load: _Load) -> Excess | None:
        if load.debt <= AHEAD_SECONDS:
            return None
        return Excess(
            "Your requests have used more database time than one user's share: send fewer, or smaller ones.",
            (load.debt - AHEAD_SECONDS) / self._database_time,
        )

    def _load(self, user_id: UUID) -> _Load:
        """Return a user's load, with its debt decreased for the time since the last call."""
        load = self._loads.setdefault(user_id, _Load())
        now = self._now()
        load.debt = max(0.0, load.debt - (now - load.at) * self._database_time)
        load.at = now
        return load

    def _remove_idle(self) -> None:
        for user_id in list(self._loads):
            load = self._load(user_id)
            if not load.debt and not load.running.total():
                del self._loads[user_id]
