"""Runs one bulk request at a time in this process; a request that waits too long for its turn gets 429."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from api.http.problems import Rejection, too_many

# One request in progress and one waiting keep a user's import busy; more would only delay other users' imports.
OF_ONE_USER = 2


class BulkQueue:
    """The bulk requests of one process, in the order in which they came. They wait on the event loop, without a thread.

    In threads as many as there are would keep every other request waiting, for as long as the database is slow or away.

    Args:
        longest_wait: The longest time that a request waits for its turn, in seconds.
    """

    def __init__(self, longest_wait: float) -> None:
        self._longest_wait = longest_wait
        self._one = asyncio.Lock()
        self._inside = Counter[UUID | None]()

    def refusal(self, user_id: UUID | None) -> Rejection | None:
        """Return the refusal of one more request of a user, or None if it may wait for its turn."""
        return self._refusal() if self._inside[user_id] >= OF_ONE_USER else None

    @asynccontextmanager
    async def turn(self, user_id: UUID | None) -> AsyncIterator[None]:
        """Wait for a turn, which lasts to the end of the block.

        Raises:
            Rejection: The wait was too long, or the user has too many requests in the queue.
        """
        if refusal := self.refusal(user_id):
            raise refusal
        self._inside[user_id] += 1
        try:
            try:
                async with asyncio.timeout(self._longest_wait):
                    await self._one.acquire()
            except TimeoutError:
                raise self._refusal() from None
            try:
                yield
            finally:
                self._one.release()
        finally:
            self._inside[user_id] -= 1
            # Drops the users of whom none is inside.
            self._inside += Counter()

    def _refusal(self) -> Rejection:
        return too_many(
            "Bulk batches are processed one after another, and too many are waiting. Nothing of this batch was taken: "
            "send it again after `Retry-After` seconds.",
            self._longest_wait,
        )
