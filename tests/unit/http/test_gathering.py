"""Concurrent requests are done together, and each gets its own outcome."""

import asyncio
from threading import Event

import pytest

from api.http.gathering import Gathering


class Calls:
    """A function that waits for leave before each call, and records what it is called with."""

    def __init__(self):
        self.seen = []
        self.begun = asyncio.Event()
        self.leave = Event()
        self.loop = asyncio.get_running_loop()
        self.fault = None

    def __call__(self, key, items):
        self.seen.append((key, list(items)))
        self.loop.call_soon_threadsafe(self.begun.set)
        assert self.leave.wait(30)
        if self.fault:
            raise self.fault
        return [ValueError(item) if item < 0 else item * 10 for item in items]


async def gathered(calls, gathering, *items, key="a"):
    """Begin a call with the item 0, and have the other items wait behind it."""
    first = asyncio.create_task(gathering.join(key, 0))
    await calls.begun.wait()
    others = [asyncio.create_task(gathering.join(key, item)) for item in items]
    await asyncio.sleep(0)
    return first, others


def test_a_request_alone_begins_at_once():
    async def run():
        calls = Calls()
        calls.leave.set()
        gathering = Gathering(calls, 10)
        assert [await gathering.join("a", item) for item in (1, 2)] == [10, 20]
        assert calls.seen == [("a", [1]), ("a", [2])]

    asyncio.run(run())


def test_requests_that_come_during_a_call_share_the_next_and_get_their_own_results():
    async def run():
        calls = Calls()
        first, others = await gathered(calls, Gathering(calls, 10), 1, -2, 3)
        calls.leave.set()
        assert await first == 0
        assert [await others[0], await others[2]] == [10, 30]
        with pytest.raises(ValueError, match="-2"):
            await others[1]
        assert calls.seen == [("a", [0]), ("a", [1, -2, 3])]

    asyncio.run(run())


def test_a_failed_call_fails_for_all_of_it_and_for_no_later_one():
    async def run():
        calls = Calls()
        gathering = Gathering(calls, 10)
        first, others = await gathered(calls, gathering, 1, 2)
        calls.fault = RuntimeError("the database is away")
        calls.leave.set()
        outcomes = await asyncio.gather(first, *others, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [RuntimeError] * 3
        calls.fault = None
        assert await gathering.join("a", 4) == 40

    asyncio.run(run())


def test_a_call_takes_no_more_than_the_most():
    async def run():
        calls = Calls()
        gathering = Gathering(calls, 10)
        first = asyncio.create_task(gathering.join("a", 0))
        await calls.begun.wait()
        sizes = [4, 6, 1, 50, 10]
        others = [asyncio.create_task(gathering.join("a", item, size)) for item, size in enumerate(sizes, 1)]
        await asyncio.sleep(0)
        calls.leave.set()
        assert await asyncio.gather(first, *others) == [0, 10, 20, 30, 40, 50]
        assert [items for _, items in calls.seen] == [[0], [1, 2], [3], [4], [5]]

    asyncio.run(run())


def test_calls_of_different_keys_do_not_wait_for_each_other():
    async def run():
        calls = Calls()
        gathering = Gathering(calls, 10)
        tasks = []
        for key in "abc":
            tasks.append(asyncio.create_task(gathering.join(key, 1)))
            await calls.begun.wait()
            calls.begun.clear()
        assert [key for key, _ in calls.seen] == ["a", "b", "c"]
        calls.leave.set()
        assert await asyncio.gather(*tasks) == [10, 10, 10]

    asyncio.run(run())


def test_a_cancelled_request_is_left_out_and_holds_up_no_other():
    async def run():
        calls = Calls()
        gathering = Gathering(calls, 10)
        first, others = await gathered(calls, gathering, 1, 2)
        others[0].cancel()
        calls.leave.set()
        assert [await first, await others[1]] == [0, 20]
        assert calls.seen == [("a", [0]), ("a", [2])]

    asyncio.run(run())


def test_a_request_that_is_cancelled_as_it_is_to_make_the_next_call_leaves_it_to_another():
    async def run():
        calls = Calls()
        gathering = Gathering(calls, 10)
        first, others = await gathered(calls, gathering, 1, 2)
        hand_over = gathering._hand_over  # noqa: SLF001  # the moment behind it can't be met from outside

        def handed_over(key):
            hand_over(key)
            others[0].cancel()

        gathering._hand_over = handed_over  # noqa: SLF001  # likewise
        calls.leave.set()
        assert await first == 0
        gathering._hand_over = hand_over  # noqa: SLF001  # likewise
        assert await others[1] == 20
        assert others[0].cancelled()
        assert calls.seen == [("a", [0]), ("a", [2])]
        assert await gathering.join("a", 3) == 30

    asyncio.run(run())
