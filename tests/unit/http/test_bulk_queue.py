"""Bulk waits in order, for so long at most, no user twice; and it takes its share of the time."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from uuid import uuid4

import pytest

from api.http.load.bulk_queue import BulkQueue
from api.http.problems import Rejection
from store.shares import LIVE_SECONDS, LONGEST_REST, BulkShare

ADA, BEN = uuid4(), uuid4()


async def entered(queue, user_id, events):
    """Take a turn that ends when the event of that user's turn is set; returns the task and what it waits for."""
    let_go, inside = asyncio.Event(), asyncio.Event()

    async def act():
        async with queue.turn(user_id):
            events.append(user_id)
            inside.set()
            await let_go.wait()

    task = asyncio.create_task(act())
    await asyncio.sleep(0)
    return task, inside, let_go


def test_a_users_third_request_is_refused_and_another_users_waits():
    async def act():
        queue, order = BulkQueue(60.0), []
        first, _, end_first = await entered(queue, ADA, order)
        second, second_inside, end_second = await entered(queue, ADA, order)
        with pytest.raises(Rejection):
            await queue.turn(ADA).__aenter__()
        assert queue.refusal(ADA)
        third, third_inside, end_third = await entered(queue, BEN, order)
        assert order == [ADA]
        end_first.set()
        await second_inside.wait()
        assert order == [ADA, ADA]
        end_second.set()
        await third_inside.wait()
        end_third.set()
        await asyncio.gather(first, second, third)
        assert queue.refusal(ADA) is None

    asyncio.run(act())


def test_a_request_that_waits_too_long_is_refused_and_leaves_the_queue():
    async def act():
        queue, order = BulkQueue(0.01), []
        first, _, let_go = await entered(queue, ADA, order)
        for _ in range(3):
            with pytest.raises(Rejection) as refused:
                await queue.turn(BEN).__aenter__()
            assert refused.value.headers["Retry-After"] == "1"
        assert queue.refusal(BEN) is None
        let_go.set()
        await first
        async with queue.turn(BEN):
            pass

    asyncio.run(act())


def test_a_request_that_gives_up_or_fails_leaves_the_queue():
    async def act():
        queue, order = BulkQueue(60.0), []
        first, _, _ = await entered(queue, ADA, order)
        behind, _, _ = await entered(queue, ADA, order)
        for task in (behind, first):
            task.cancel()
        await asyncio.gather(first, behind, return_exceptions=True)
        assert order == [ADA]
        with pytest.raises(ValueError, match="failed"):
            async with queue.turn(ADA):
                raise ValueError("failed")
        async with queue.turn(ADA):
            assert queue.refusal(ADA) is None

    asyncio.run(act())


class Time:
    """A clock that stands still."""

    now = 100.0

    def __call__(self):
        return self.now

    def wait(self, seconds):
        self.now += seconds


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def file(tmp_path):
    """The file of processes to which no live request came for long."""
    turns = tmp_path / "turns"
    turns.touch()
    os.utime(turns, (0, 0))
    return turns


def rest_after(share, time, seconds=1.0):
    """How long a turn of so many seconds is rested from."""
    begun = time.now
    with share.turn():
        time.now += seconds
    return time.now - begun - seconds


@pytest.mark.parametrize(("share", "seconds", "rest"), [(0.25, 0.1, 0.3), (1.0, 5.0, 0.0), (0.5, 3600.0, LONGEST_REST)])
def test_bulk_takes_its_share_of_the_time_and_never_rests_long(time, share, seconds, rest):
    assert rest_after(BulkShare(share, now=time, wait=time.wait), time, seconds) == pytest.approx(rest)


def test_a_turn_that_fails_is_rested_from_too(time):
    turn = BulkShare(0.5, now=time, wait=time.wait).turn()
    turn.__enter__()
    time.now += 1.0
    assert turn.__exit__(ValueError, ValueError(), None) is False
    assert time.now == 102.0


@pytest.mark.parametrize("live", [False, True])
def test_processes_take_turns_and_rest_only_while_live_requests_come_to_one_of_them(time, file, live):
    one, other = (BulkShare(0.5, turns=file, now=time, wait=time.wait) for _ in range(2))
    if live:
        one.note_live()
    began = Event()

    def second():
        with other.turn():
            began.set()
            return time.now

    with ThreadPoolExecutor(1) as pool:
        with one.turn():
            waiting = pool.submit(second)
            # While live requests come in it has no way to begin; a short wait makes a wrong start likely to show.
            assert began.wait(0.1 if live else 30) is not live
            time.now += 1.0
        assert waiting.result() == (102.0 if live else 100.0)


@pytest.mark.parametrize(("ago", "rest"), [(LIVE_SECONDS / 2, 1.0), (LIVE_SECONDS + 1, 0.0)])
def test_bulk_rests_for_a_while_after_the_latest_live_request(time, file, ago, rest):
    share = BulkShare(0.5, turns=file, now=time, wait=time.wait)
    share.note_live()
    latest = file.stat().st_mtime - ago
    os.utime(file, (latest, latest))
    assert rest_after(share, time) == rest
