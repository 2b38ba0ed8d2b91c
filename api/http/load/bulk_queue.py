"""Runs bulk requests one at a time in this process; a request that would wait too long gets 429 with `Retry-After`."""

import asyncio
from collections import Counter
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self
from uuid import UUID

from fastapi import Request

from api.http.problems import Rejection, too_many
from memory.accounts.access import Caller
from schemas.ledger.allowance import allow

if TYPE_CHECKING:
    from workers.runtime.resources import Resources

# One request in progress and one waiting keep a user's import busy; more would only delay other users' imports.
OF_ONE_USER = 2
LONGEST_RETRY = 30.0


class BulkPace(Protocol):
    """Measures the turns of bulk: the ledger's share of bulk."""

    def ready_in(self) -> float:
        """In how many seconds the rest after the latest turn is over; 0 if it is."""

    @property
    def usual(self) -> float:
        """How many seconds a turn has taken lately."""


class BulkQueue:
    """The queue of the bulk requests of one process. It waits on the event loop and occupies no thread.

    In threads as many as there are would keep every other request waiting, for as long as the database is slow or away.
    With requests that wait until their time is over, and come again at once, instead of those that are given a time of
    their own, a read beside 80 bulk callers takes 226 ms instead of 50, p95 (`make bench`, `reads`, 2026-11-27).

    Args:
        turns: Measures how long turns take.
        longest_wait: The longest time that a request waits for its turn, in seconds.
        now: A monotonic clock, in seconds.
    """

    def __init__(self, turns: BulkPace, longest_wait: float, now: Callable[[], float] = monotonic) -> None:
        self._turns = turns
        self._longest_wait = longest_wait
        self._now = now
        self._one = asyncio.Lock()
        self._inside: Counter[UUID | None] = Counter()
        # Up to when turns are reserved for refused requests that were given a time to retry.
        self._promised = 0.0

    def refusal(self, user_id: UUID | None) -> Rejection | None:
        """Return the refusal of one more request of a user, or None if it may wait for its turn.

        Retry times of refused requests are one usual turn apart, so that no more of them return than can be taken.
        """
        wait = self._turns.ready_in() + self._inside.total() * self._turns.usual
        if wait <= self._longest_wait and self._inside[user_id] < OF_ONE_USER:
            return None
        now = self._now()
        earliest = max(now + wait, min(self._promised, now + LONGEST_RETRY))
        self._promised = earliest + self._turns.usual
        return too_many(
            "Bulk batches are processed one after another, and too many are waiting. Nothing of this batch was taken: "
            "send it again after `Retry-After` seconds.",
            min(earliest - now, LONGEST_RETRY),
        )

    async def enter(self, user_id: UUID | None) -> None:
        """Wait for a turn.

        Raises:
            Rejection: The wait would be too long, or the user has too many requests in the queue.
        """
        if refusal := self.refusal(user_id):
            raise refusal
        self._inside[user_id] += 1
        try:
            await self._one.acquire()
        except BaseException:
            self._out(user_id)
            raise
        try:
            await asyncio.sleep(self._turns.ready_in())
        except BaseException:
            self.leave(user_id)
            raise

    def leave(self, user_id: UUID | None) -> None:
        """End a turn."""
        self._one.release()
        self._out(user_id)

    def _out(self, user_id: UUID | None) -> None:
        self._inside[user_id] -= 1
        if not self._inside[user_id]:
            del self._inside[user_id]


class BulkTurn:
    """The turn of one request, taken once the request proves to be bulk, and released at the end of the block.

    Args:
        request: The request; its application holds the queue.
    """

    def __init__(self, request: Request) -> None:
        caller = getattr(request.state, "caller", None)
        self._user_id = caller.user_id if isinstance(caller, Caller) else None
        self._queue: BulkQueue = request.app.state.bulk
        self._on: Resources = request.app.state.resources
        self._request = request
        self._taken = False

    def refusal(self) -> Rejection | None:
        """Return the refusal that `take` would raise now, or None."""
        return self._queue.refusal(self._user_id)

    async def take(self) -> None:
        """Wait for the turn, and raise the statement timeout to that of bulk; does nothing if the turn is taken.

        Raises:
            Rejection: The wait would be too long.
        """
        if not self._taken:
            self._request.state.bulk = True
            await self._queue.enter(self._user_id)
            self._taken = True
            allow(self._on.store.bulk.unhurriedly())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._taken:
            self._queue.leave(self._user_id)
