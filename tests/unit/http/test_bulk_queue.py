"""Bulk takes turns: who would wait too long is told another moment each."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from uuid import uuid4

import pytest

from api.http.load.bulk_queue import LONGEST_RETRY, BulkQueue
from api.http.problems import Rejection
from store.shares import LIVE_SECONDS, LONGEST_REST, BulkShare, BulkTurns


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
def share(time):
    """A share of a half, whose turns have come to last two seconds with their rest."""
    share = BulkShare(0.5, now=time, wait=time.wait)
    for _ in range(50):
        with share.turn():
            time.now += 1.0
    time.now += 1.0
    assert share.usual == pytest.approx(2.0, rel=1e-3)
    return share


def retry_after(refusal):
    return int(refusal.headers["Retry-After"])


def test_bulk_takes_its_share_of_the_time(time):
    share = BulkShare(0.25, now=time, wait=time.wait)
    begun = []
    for _ in range(3):
        with share.turn():
            begun.append(time.now)
            time.now += 0.1
    assert begun == pytest.approx([100.0, 100.4, 100.8])


def test_a_rest_is_never_long_and_is_over_for_who_comes_later(time):
    share = BulkShare(0.5, now=time, wait=time.wait)
    with share.turn():
        time.now += 3600.0
    assert share.ready_in() == LONGEST_REST
    time.now += 60.0
    assert share.ready_in() == 0
    came = time.now
    with share.turn():
        assert time.now == came


def test_a_users_third_request_is_refused_and_another_users_waits(share, time):
    queue = BulkQueue(share, longest_wait=60.0, now=time)
    ada, ben = uuid4(), uuid4()

    async def act():
        await queue.enter(ada)
        behind = asyncio.create_task(queue.enter(ada))
        await asyncio.sleep(0)
        with pytest.raises(Rejection):
            await queue.enter(ada)
        third = asyncio.create_task(queue.enter(ben))
        await asyncio.sleep(0)
        assert not behind.done()
        queue.leave(ada)
        await behind
        assert not third.done()
        queue.leave(ada)
        await third
        queue.leave(ben)
        assert queue.refusal(ada) is None

    asyncio.run(act())


def test_who_gives_up_waiting_leaves_the_queue(share, time):
    queue = BulkQueue(share, longest_wait=3.0, now=time)

    async def act():
        await queue.enter(uuid4())
        behind = asyncio.create_task(queue.enter(uuid4()))
        await asyncio.sleep(0)
        assert queue.refusal(uuid4())
        behind.cancel()
        await asyncio.gather(behind, return_exceptions=True)
        assert queue.refusal(uuid4()) is None

    asyncio.run(act())


def test_each_that_is_sent_away_is_told_a_moment_of_its_own(share, time):
    queue = BulkQueue(share, longest_wait=1.0, now=time)

    async def act():
        await queue.enter(uuid4())
        told = [retry_after(queue.refusal(uuid4())) for _ in range(4)]
        assert told == [2, 4, 6, 8]
        assert max(retry_after(queue.refusal(uuid4())) for _ in range(100)) == LONGEST_RETRY

    asyncio.run(act())


def test_processes_that_share_a_file_take_turns(time, tmp_path):
    one, other = (BulkShare(0.5, turns=BulkTurns(tmp_path / "turns"), now=time, wait=time.wait) for _ in range(2))
    with ThreadPoolExecutor(1) as pool:
        began = Event()

        def second():
            with other.turn():
                began.set()
                return time.now

        with one.turn():
            waiting = pool.submit(second)
            # It has no way to begin; a short wait makes a wrong start likely to show.
            assert not began.wait(0.1)
            time.now += 1.0
        assert waiting.result() == pytest.approx(102.0)
    assert one.ready_in() == other.ready_in()


@pytest.mark.parametrize("live", [False, True])
def test_processes_take_turns_with_each_other_only_while_live_requests_come_in(time, tmp_path, live):
    one, other = (
        BulkShare(0.5, turns=BulkTurns(tmp_path / "turns"), now=time, wait=time.wait, rests_always=False)
        for _ in range(2)
    )
    if live:
        one.note_live()
    began = Event()

    def second():
        with other.turn():
            began.set()

    with ThreadPoolExecutor(1) as pool:
        with one.turn():
            waiting = pool.submit(second)
            # While live requests come in it has no way to begin; a short wait makes a wrong start likely to show.
            assert began.wait(0.1 if live else 30) is not live
            time.now += 1.0
        waiting.result()


def test_a_rest_is_not_cut_short_by_a_turn_of_another_process_that_ends_within_it(time, tmp_path):
    turns = BulkTurns(tmp_path / "turns")
    share = BulkShare(0.5, turns=turns, now=time, wait=time.wait)
    with share.turn():
        time.now += 1.0
        # The other process has rested from a longer turn.
        turns.next_at = time.now + 5.0
    assert share.ready_in() == pytest.approx(5.0)


def test_a_share_without_a_file_takes_turns_with_no_other(time):
    one, other = (BulkShare(0.5, now=time, wait=time.wait) for _ in range(2))
    with one.turn(), other.turn():
        time.now += 1.0
    assert one.ready_in() == pytest.approx(1.0)


@pytest.mark.parametrize("file", [None, "turns"])
def test_bulk_rests_only_while_live_requests_come_in(time, tmp_path, file):
    turns = BulkTurns(tmp_path / file if file else None)
    share = BulkShare(0.5, turns=turns, now=time, wait=time.wait, rests_always=False)
    rests = []
    for pause in (None, 0.0, LIVE_SECONDS - 4, 2.0):
        if pause == 0.0:
            share.note_live()
        time.now += pause or 0.0
        with share.turn():
            time.now += 1.0
        rests.append(share.ready_in())
        time.now += share.ready_in()
    assert rests == pytest.approx([0.0, 1.0, 1.0, 0.0])


def test_a_live_request_of_one_process_lets_the_bulk_of_another_rest(time, tmp_path):
    one, other = (
        BulkShare(0.5, turns=BulkTurns(tmp_path / "turns"), now=time, wait=time.wait, rests_always=False)
        for _ in range(2)
    )
    one.note_live()
    with other.turn():
        time.now += 1.0
    assert one.ready_in() == pytest.approx(1.0)
