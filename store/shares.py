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
from threading import Condition, Lock
from time import monotonic, sleep, time
from uuid import UUID

from schemas.errors import Unavailable
from schemas.ledger.allowance import allowance, allowed

# A batch that took very long (a lock, a slow disk) is not followed by a rest as long as itself.
LONGEST_REST = 3.0
# Bulk rests while other requests come in, and for this long after the latest.
LIVE_SECONDS = 10.0


@dataclass(frozen=True)
class Limits:
    """The bounds of one process.

    Attributes:
        statement_seconds: How long one statement may run; None: without end.
        bulk_statement_seconds: The same for statements of bulk, and of what is known to take long.
        user_connections: How many connections one user's requests hold at once; None: all there are.
        bulk_share: The part of the time that bulk takes at most, above 0 and up to 1.
        bulk_turns: The file by which processes take turns at bulk, as `BulkShare` says.
        connection_seconds: How long a transaction waits for a connection.
    """

    statement_seconds: float | None = None
    bulk_statement_seconds: float | None = None
    user_connections: int | None = None
    bulk_share: float = 1.0
    bulk_turns: Path | None = None
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
            Unavailable: The user's other requests held all of them for so long.
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


class BulkShare:
    """Bulk takes one turn at a time, and after it a rest, so that it takes at most a share of the time.

    If no other request came in lately, which bulk would make way for, there is no rest, and each process has a turn of
    its own.

    Without turns and rests a read beside 80 bulk callers takes 944 ms instead of 78, p95 (`make bench`, `reads`,
    2026-11-27, on a busy machine).

    Args:
        share: The part of the time for bulk, above 0 and up to 1.
        statement_seconds: How long a statement of bulk may run; None: as long as its process says.
        turns: Processes that name the same file take turns with each other, and its time says when the latest live
            request ended. None: this process takes turns with no other, and rests always.
        now: The time, in seconds.
        wait: Waits so many seconds.
    """

    def __init__(
        self,
        share: float,
        statement_seconds: float | None = None,
        turns: Path | None = None,
        now: Callable[[], float] = monotonic,
        wait: Callable[[float], None] = sleep,
    ) -> None:
        self._share = share
        self._statement_seconds = statement_seconds
        self._now = now
        self._wait = wait
        self._one = Lock()
        self._file = os.open(turns, os.O_RDWR | os.O_CREAT, 0o600) if turns else None
        if self._file is not None:
            weakref.finalize(self, os.close, self._file)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Do bulk while the block runs, once the turns before it are over and rested from."""
        with self._one, self._among_processes(), self.unhurried():
            begun = self._now()
            try:
                yield
            finally:
                if self._makes_way():
                    self._wait(min((self._now() - begun) * (1 / self._share - 1), LONGEST_REST))

    @contextmanager
    def _among_processes(self) -> Iterator[None]:
        if self._file is None:
            yield
            return
        # The kernel releases it when a process dies.
        flock(self._file, LOCK_EX if self._makes_way() else LOCK_SH)
        try:
            yield
        finally:
            flock(self._file, LOCK_UN)

    def note_live(self) -> None:
        """Note that a request ended which was not bulk: for a while, bulk makes way for others like it."""
        if self._file is not None:
            os.utime(self._file)

    def _makes_way(self) -> bool:
        return self._file is None or time() - os.fstat(self._file).st_mtime < LIVE_SECONDS

    @contextmanager
    def unhurried(self) -> Iterator[None]:
        """Let statements run as long as bulk's while the block runs, without taking a turn."""
        present = allowance()
        with allowed(replace(present, statement_seconds=self._statement_seconds or present.statement_seconds)):
            yield
