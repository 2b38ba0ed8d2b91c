"""The ledger's share for one request, so that neither a user nor an import keeps it from the others.

Three bounds: how long one statement may run, how many of a process's connections one user's requests hold at once, and
how much of a process's time goes to bulk while other requests come in. The first two follow an `Allowance`, which a
door sets for each request.
"""

import os
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fcntl import LOCK_EX, LOCK_SH, LOCK_UN, flock
from pathlib import Path
from struct import Struct
from threading import Condition, Lock
from time import monotonic, sleep
from uuid import UUID

from schemas.errors import Unavailable
from schemas.ledger.allowance import Allowance, allowance, allowed

# A batch that took very long (a lock, a slow disk) is not followed by a rest as long as itself.
LONGEST_REST = 3.0
# How much the latest batch counts in the usual duration of one.
LATEST = 0.3
# The duration assumed for a turn before the first one is over.
FIRST_GUESS = 0.2
# Bulk rests while other requests come in, and for this long after the latest.
LIVE_SECONDS = 10.0
# How often a process writes down that requests come in.
NOTED_EVERY = 0.5
_SECONDS = Struct("d")


@dataclass(frozen=True)
class Limits:
    """The bounds of one process.

    Attributes:
        statement_seconds: How long one statement may run; None: without end.
        bulk_statement_seconds: The same for statements of bulk, and for statements that are known to take long.
        user_connections: How many connections one user's requests hold at once; None: no limit.
        bulk_share: The part of the time that bulk takes at most, above 0 and up to 1.
        bulk_turns: The file by which processes take turns at bulk; None: this process takes turns with no other.
        rests_always: Whether bulk also rests while no other request comes in. False for processes that note live
            requests, with `BulkShare.note_live`.
        connection_seconds: How long a transaction waits for a connection.
    """

    statement_seconds: float | None = None
    bulk_statement_seconds: float | None = None
    user_connections: int | None = None
    bulk_share: float = 1.0
    bulk_turns: Path | None = None
    rests_always: bool = True
    connection_seconds: float = 30.0


class UserShares:
    """Counts the connections that each user's requests hold.

    Args:
        most: How many one user's may be; None: no bound.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._held: Counter[UUID] = Counter()
        self._freed = Condition()

    @contextmanager
    def held(self, user_id: UUID | None, patience: float) -> Iterator[None]:
        """Hold one of a user's connections while the block runs; waits for it behind the user's own requests alone.

        Args:
            user_id: The user; None is not counted.
            patience: Seconds to wait at most.

        Raises:
            Unavailable: The user's other requests held all of them for all this time.
        """
        most = self._most
        if user_id is None or most is None:
            yield
            return
        with self._freed:
            if not self._freed.wait_for(lambda: self._held[user_id] < most, patience):
                raise Unavailable("Your other requests keep the database busy: send fewer at a time.")
            self._held[user_id] += 1
        try:
            yield
        finally:
            with self._freed:
                self._held[user_id] -= 1
                if not self._held[user_id]:
                    del self._held[user_id]
                self._freed.notify_all()


class BulkTurns:
    """The order of bulk turns: one at a time, and when the rest after the latest one is over.

    Args:
        file: Processes that name the same file take turns with each other; None: the threads of this process alone do.
            It holds the end of the rest and the time of the latest live request, in seconds of the machine's monotonic
            clock.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._one = Lock()
        self._own = [float("-inf"), float("-inf")]
        self._file = os.open(file, os.O_RDWR | os.O_CREAT, 0o600) if file else None
        if self._file is not None:
            weakref.finalize(self, os.close, self._file)

    @contextmanager
    def held(self, *, alone: bool = True) -> Iterator[None]:
        """Hold the turn while the block runs; waits for the threads of this process and for other processes before it.

        Args:
            alone: Whether no other process may hold a turn meanwhile; otherwise others may that need not be alone.
        """
        with self._one:
            if self._file is None:
                yield
                return
            # The kernel releases it when a process dies.
            flock(self._file, LOCK_EX if alone else LOCK_SH)
            try:
                yield
            finally:
                flock(self._file, LOCK_UN)

    @property
    def next_at(self) -> float:
        """When the next turn may begin, on the monotonic clock."""
        return self._read(0)

    @next_at.setter
    def next_at(self, at: float) -> None:
        self._write(0, at)

    @property
    def live_at(self) -> float:
        """When the latest live request ended, to half a second."""
        return self._read(1)

    @live_at.setter
    def live_at(self, at: float) -> None:
        self._write(1, at)

    def _read(self, field: int) -> float:
        if self._file is None:
            return self._own[field]
        written = os.pread(self._file, _SECONDS.size, field * _SECONDS.size)
        # A field that was skipped reads as zero, the start of the machine.
        return _SECONDS.unpack(written)[0] if written else float("-inf")

    def _write(self, field: int, at: float) -> None:
        self._own[field] = at
        if self._file is not None:
            os.pwrite(self._file, _SECONDS.pack(at), field * _SECONDS.size)


class BulkShare:
    """Bulk takes one turn at a time, and at most a share of the time.

    After a turn comes a rest, in which no thread and no connection is held unless the next turn is asked for already.
    If no other request came in lately, which bulk would make way for, there is no rest, and each process has a turn of
    its own.

    Without turns and rests a read beside 80 bulk callers takes 944 ms instead of 78, p95 (`make bench`, `reads`,
    2026-11-27, on a busy machine).

    Args:
        share: The part of the time for bulk, above 0 and up to 1.
        statement_seconds: How long a statement of bulk may run; None: the process's limit.
        turns: The order of turns.
        now: The time, in seconds.
        wait: Waits for a number of seconds.
        rests_always: Whether it also rests while no live request is noted.
    """

    def __init__(
        self,
        share: float,
        statement_seconds: float | None = None,
        turns: BulkTurns | None = None,
        now: Callable[[], float] = monotonic,
        wait: Callable[[float], None] = sleep,
        *,
        rests_always: bool = True,
    ) -> None:
        self._rests_always = rests_always
        self._noted = float("-inf")
        self._share = share
        self._statement_seconds = statement_seconds
        self._turns = turns or BulkTurns()
        self._now = now
        self._wait = wait
        self._usual = FIRST_GUESS

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Do bulk while the block runs, once the turn before it is over and rested from."""
        came = self._now()
        with self._turns.held(alone=self._makes_way()):
            # The rest is part of the turn before; further waiting was for the turns of other processes.
            behind = max(0.0, self._now() - came)
            if (rest := self.ready_in()) > 0:
                self._wait(rest)
            begun = self._now()
            try:
                with self.unhurried():
                    yield
            finally:
                took = self._now() - begun
                rest = min(took * (1 / self._share - 1), LONGEST_REST) if self._makes_way() else 0.0
                # Turns of other processes that are over by then are followed by no shorter rest.
                self._turns.next_at = max(self._turns.next_at, begun + took + rest)
                self._usual += LATEST * (behind + took + rest - self._usual)

    def note_live(self) -> None:
        """Note that a request ended which was not bulk: for a while, bulk makes way for others like it."""
        now = self._now()
        if now - self._noted >= NOTED_EVERY:
            self._noted = now
            self._turns.live_at = now

    def _makes_way(self) -> bool:
        return self._rests_always or self._now() - self._turns.live_at < LIVE_SECONDS

    @contextmanager
    def unhurried(self) -> Iterator[None]:
        """Let statements run as long as bulk's while the block runs, without taking a turn."""
        with allowed(self.unhurriedly()):
            yield

    def unhurriedly(self) -> Allowance:
        """The present allowance, with statements as long as bulk's."""
        return replace(allowance(), statement_seconds=self._statement_seconds or allowance().statement_seconds)

    def ready_in(self) -> float:
        """In how many seconds the rest after the latest turn is over; 0 if it is."""
        return max(0.0, self._turns.next_at - self._now())

    @property
    def usual(self) -> float:
        """How many seconds a turn has taken lately, with its rest and the turns of other processes before it."""
        return self._usual
