"""Tells an outage of the database from one that is slow: only a server that accepts no connection is down."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workers.runtime.resources import Resources

# A server that is there answers within milliseconds; one that is gone is known by then, or by a later request.
ANSWER_SECONDS = 0.5
ASK_AGAIN_SECONDS = 1.0


class Outage:
    """Whether the database is down. It is asked when a request suspects so, then until it is there again.

    It is used from the event loop only.

    Args:
        on: The process's resources.
    """

    def __init__(self, on: "Resources") -> None:
        self._on = on
        self._began = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="outage")
        self._watching: asyncio.Task[None] | None = None

    @property
    def lasts(self) -> bool:
        """Whether the database was down when it was last asked; it is asked until it is not."""
        return self._began.is_set()

    async def suspect(self) -> None:
        """Have the server asked, and wait for half a second at most for what it says."""
        watching = self._watch()
        began = asyncio.ensure_future(self._began.wait())
        await asyncio.wait({watching, began}, timeout=ANSWER_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        began.cancel()

    async def wait(self) -> None:
        """Wait until the server is found down."""
        await self._began.wait()

    def close(self) -> None:
        """Stop asking."""
        if self._watching is not None:
            self._watching.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _watch(self) -> "asyncio.Task[None]":
        if self._watching is None or self._watching.done():
            self._watching = asyncio.get_running_loop().create_task(self._until_reachable())
        return self._watching

    async def _until_reachable(self) -> None:
        loop = asyncio.get_running_loop()
        while not await loop.run_in_executor(self._thread, self._on.store.reachable):
            self._began.set()
            await asyncio.sleep(ASK_AGAIN_SECONDS)
        self._began.clear()
