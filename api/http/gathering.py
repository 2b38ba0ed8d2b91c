"""Batches concurrent requests: while one call runs, the requests that come in gather for the next call.

A request that finds no call running begins one at once, alone, so no request waits to be joined by others. The fixed
cost of a call (a thread, a connection, a transaction, its commit) is paid once for all gathered items: a single message
of one of 32 clients takes 7.5 ms of processor time, and without this 28 (docs/benchmarks.md).
"""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(eq=False)
class _Place:
    """One request's place in the queue.

    Attributes:
        item: The item of the call.
        size: How much that is.
        outcome: Its result, or `_LEADS`: then it makes the call for its group.
        group: The places of that call, its own first.
    """

    item: Any
    size: int
    outcome: "asyncio.Future[Any]"
    group: "list[_Place]" = field(default_factory=list)


_LEADS = object()


class Gathering(Generic[Key, Item, Result]):
    """Calls a function in a thread, one call at a time for each key.

    Args:
        act: Processes one or more items, all under one key; returns the result of each, or the exception to raise to
            its request. An exception that it raises is raised to all. It runs in the context of the first request.
        most: The most that the sizes of the items of one call add up to; a larger item has a call of its own.
        threads: Limits the threads in which it is called; None: those of all requests.
    """

    def __init__(
        self,
        act: Callable[[Key, Sequence[Item]], Sequence[Result | Exception]],
        most: int,
        threads: CapacityLimiter | None = None,
    ) -> None:
        self._act = act
        self._most = most
        self._threads = threads
        # Those that wait behind the running call of each key.
        self._waiting: dict[Key, deque[_Place]] = {}

    async def join(self, key: Key, item: Item, size: int = 1) -> Result:
        """Process one item, alone or together with others, in the order in which they came."""
        place = _Place(item, size, asyncio.get_running_loop().create_future())
        waiting = self._waiting.get(key)
        if waiting is None:
            self._waiting[key] = deque()
            return await self._lead(key, [place])
        waiting.append(place)
        try:
            outcome = await place.outcome
        except asyncio.CancelledError:
            if place.group:
                # It was to make the next call, which others wait for.
                waiting.extendleft(reversed(place.group[1:]))
                self._hand_over(key)
            raise
        return await self._lead(key, place.group) if outcome is _LEADS else cast("Result", outcome)

    async def _lead(self, key: Key, group: Sequence[_Place]) -> Result:
        others = group[1:]
        try:
            results = await run_sync(self._act, key, [place.item for place in group], limiter=self._threads)
        except BaseException as fault:
            for place in others:
                if isinstance(fault, Exception):
                    _settle(place, fault)
                else:
                    place.outcome.cancel()
            raise
        finally:
            self._hand_over(key)
        for place, result in zip(others, results[1:], strict=True):
            _settle(place, result)
        first = results[0]
        if isinstance(first, Exception):
            raise first
        return first

    def _hand_over(self, key: Key) -> None:
        """Let the first that waits make the next call, for as many as it may be."""
        waiting, group, size = self._waiting[key], list[_Place](), 0
        while waiting and (waiting[0].outcome.done() or not group or size + waiting[0].size <= self._most):
            place = waiting.popleft()
            # It may have been cancelled.
            if not place.outcome.done():
                group.append(place)
                size += place.size
        if not group:
            del self._waiting[key]
            return
        group[0].group = group
        group[0].outcome.set_result(_LEADS)


def _settle(place: _Place, result: Any) -> None:
    if place.outcome.done():
        return
    if isinstance(result, Exception):
        place.outcome.set_exception(result)
    else:
        place.outcome.set_result(result)
