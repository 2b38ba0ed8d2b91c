"""Runs the proxy's use cases in threads of their own, so that a stuck database holds up no other route."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Each holds a connection or the embedder most of its time, and a process has 8 connections.
THREADS = 16


class MemoryThreads:
    """A pool of threads whose results a coroutine may stop waiting for, while the thread goes on."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="proxy")

    def start(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "asyncio.Future[T]":
        """Start synchronous work in a copy of the present context."""
        call = partial(copy_context().run, partial(work, *args, **kwargs))
        future = asyncio.get_running_loop().run_in_executor(self._pool, call)
        # Whether a coroutine waits for it or not, its exception counts as seen.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        return future

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Start synchronous work for other work of these threads to wait for, which must be started after it."""
        return self._pool.submit(copy_context().run, partial(work, *args, **kwargs))

    def close(self) -> None:
        """Let running work end, and start no more."""
        self._pool.shutdown(wait=False, cancel_futures=True)


async def finished(future: "asyncio.Future[T]", seconds: float) -> bool:
    """Wait for work at most so many seconds; returns whether it has ended, and leaves it running if not."""
    done, _ = await asyncio.wait({future}, timeout=max(0.0, seconds))
    return bool(done)


async def happened(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event at most so many seconds."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), max(0.0, seconds))
