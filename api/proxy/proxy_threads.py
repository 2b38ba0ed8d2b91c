"""Runs the proxy's use cases in threads of their own, so that a stuck database holds up no other route.

Each user has a share of the threads. Work beyond the share waits behind the same user's work alone.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Each holds a connection or the embedder most of its time, and a process has 8 connections.
THREADS = 32
# A user's requests hold 2 connections at a time; others embed, or wait for one.
SHARE = 4


class MemoryThreads:
    """Threads whose results a coroutine may stop waiting for, while the thread goes on. Used from the event loop only.

    Args:
        threads: The most that run at a time.
        share: The most of them that run for one user.
    """

    def __init__(self, threads: int = THREADS, share: int = SHARE) -> None:
        self._most = threads
        self._share = share
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="proxy")
        self._running: Counter[Hashable] = Counter()
        # Users in the order of their turns; each has work that waits.
        self._waiting: OrderedDict[Hashable, deque[Callable[[], None]]] = OrderedDict()

    def start(self, user: Hashable, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "asyncio.Future[T]":
        """Start synchronous work in a copy of the present context.

        Args:
            user: The user in whose share it runs, by id; for a token of which none is known, the client's address.
            args: Its arguments.
            kwargs: Its named arguments.
        """
        future = asyncio.wrap_future(self.submit(user, work, *args, **kwargs))
        # Whether a coroutine waits for it or not, its exception counts as seen.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        return future

    def submit(self, user: Hashable, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Start synchronous work for other work of the same user to wait for, which must be started after it."""
        outcome: Future[T] = Future()
        call = partial(copy_context().run, partial(work, *args, **kwargs))
        run = partial(self._run, asyncio.get_running_loop(), user, outcome, call)
        self._waiting.setdefault(user, deque()).append(run)
        self._begin()
        return outcome

    def close(self) -> None:
        """Let running work end, and start no more."""
        self._waiting.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _begin(self) -> None:
        """Begin work that waits, of each user in turn, as far as threads and shares allow."""
        for user in [*self._waiting]:
            if self._running.total() >= self._most:
                return
            if self._running[user] >= self._share:
                continue
            self._running[user] += 1
            self._pool.submit(self._waiting[user].popleft())
            if self._waiting[user]:
                self._waiting.move_to_end(user)
            else:
                del self._waiting[user]

    def _ended(self, user: Hashable) -> None:
        self._running[user] -= 1
        if not self._running[user]:
            del self._running[user]
        self._begin()

    def _run(
        self, loop: asyncio.AbstractEventLoop, user: Hashable, outcome: "Future[T]", call: Callable[[], T]
    ) -> None:
        # Cancelled before it began, it is not done; from here on it can't be cancelled.
        if outcome.set_running_or_notify_cancel():
            try:
                outcome.set_result(call())
            except BaseException as fault:  # noqa: BLE001  # it is the caller's
                outcome.set_exception(fault)
        # The loop of a server that has stopped is closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._ended, user)


async def wait_for_work(future: "asyncio.Future[T]", seconds: float) -> bool:
    """Wait for work at most `seconds`; returns whether it has ended, and leaves it running if not."""
    done, _ = await asyncio.wait({future}, timeout=max(0.0, seconds))
    return bool(done)


async def wait_for_event(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event at most `seconds`."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), max(0.0, seconds))
