"""The proxy's threads: each user has a share, and no user's work keeps another's from beginning."""

import asyncio
from threading import Event, Lock

import pytest

from api.proxy.proxy_threads import MemoryThreads


@pytest.fixture
def threads():
    pool = MemoryThreads(threads=4, share=2)
    yield pool
    pool.close()


def test_a_users_stuck_work_leaves_threads_to_others_and_is_all_done(threads):
    async def run():
        release = Event()
        stuck = [threads.start("ann", release.wait, 60) for _ in range(20)]
        assert await asyncio.wait_for(threads.start("bob", lambda: "done"), 30) == "done"
        assert not any(one.done() for one in stuck)
        release.set()
        assert await asyncio.gather(*stuck) == [True] * 20

    asyncio.run(run())


def test_a_user_has_no_more_threads_than_the_share(threads):
    async def run():
        running, most, lock = 0, 0, Lock()
        release = Event()

        def work():
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            release.wait(60)
            with lock:
                running -= 1

        started = [threads.start("ann", work) for _ in range(10)]
        await threads.start("bob", lambda: None)
        release.set()
        await asyncio.gather(*started)
        assert most <= 2

    asyncio.run(run())


def test_users_take_turns(threads):
    async def run():
        begun, release = [], Event()
        blocked = [threads.start(user, release.wait, 60) for user in ("x", "x", "y", "y")]
        mine = [threads.start("ann", begun.append, "ann") for _ in range(50)]
        others = [threads.start("bob", begun.append, "bob")]
        release.set()
        await asyncio.gather(*blocked, *mine, *others)
        assert begun.index("bob") < 10

    asyncio.run(run())


def test_work_that_raises_frees_its_thread(threads):
    async def run():
        failing = [threads.start("ann", int, "no number") for _ in range(10)]
        assert all(isinstance(one, ValueError) for one in await asyncio.gather(*failing, return_exceptions=True))
        assert await threads.start("ann", int, "7") == 7

    asyncio.run(run())


def test_work_whose_caller_was_cancelled_gives_its_thread_back(threads):
    async def run():
        for _ in range(3):
            begun, release = [Event(), Event()], Event()

            def work(each, release=release):
                each.set()
                release.wait(60)

            callers = [asyncio.ensure_future(threads.start("ann", work, each)) for each in begun]
            waiting = asyncio.ensure_future(threads.start("ann", pytest.fail, "Its caller has gone."))
            for each in begun:
                await asyncio.to_thread(each.wait, 60)
            for caller in (*callers, waiting):
                caller.cancel()
            release.set()
        both = [Event(), Event()]

        def meet(mine, other):
            mine.set()
            return other.wait(60)

        met = [threads.start("ann", meet, *pair) for pair in (both, both[::-1])]
        assert await asyncio.wait_for(asyncio.gather(*met), 30) == [True, True]

    asyncio.run(run())
