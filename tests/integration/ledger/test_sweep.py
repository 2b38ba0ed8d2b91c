"""A storm of asking sends one message, and the sweep sends one for work whose message was lost."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

from schemas.ledger.kinds import CURATE
from store.ledger import work

KIND = CURATE


def test_a_storm_of_asking_sends_once(ask):
    assert len(ask()) == 1
    assert [ask() for _ in range(20)] == [[]] * 20


def test_the_sweep_does_not_send_what_was_just_sent(store, ask):
    ask()
    with store.transaction() as tx:
        assert work.take_due(tx, limit=10) == []


def test_the_sweep_sends_what_became_due(store, ask, wait_until):
    assert ask(after=timedelta(seconds=1)) == []
    taken = []

    def sweep():
        with store.transaction() as tx:
            taken.extend(work.take_due(tx, limit=10))
        return bool(taken)

    wait_until(sweep)
    assert [message.kind for message in taken] == [KIND.name]
    assert not any(sweep() for _ in range(3) if taken.clear() is None)


def test_the_sweep_sends_what_a_vanished_worker_held(store, owner, ask, claim):
    ask()
    claim(lease=timedelta(0))
    with store.transaction() as tx:
        tx.execute("update memory.work set dispatched_at = null where owner_id = %s", [owner])
        assert len(work.take_due(tx, limit=10)) == 1


def test_the_sweep_gives_each_owner_a_turn_before_any_has_a_second(store):
    busy, quiet = uuid4(), uuid4()
    with store.transaction() as tx:
        for key in range(20):
            work.ask(tx, busy, KIND, str(key))
        for key in range(3):
            work.ask(tx, quiet, KIND, str(key))
        tx.execute("update memory.work set dispatched_at = null")
        swept = [work.take_due(tx, limit=4) for _ in range(3)]

    turns = [Counter("busy" if message.owner_id == busy else "quiet" for message in messages) for messages in swept]
    assert turns == [{"busy": 2, "quiet": 2}, {"busy": 3, "quiet": 1}, {"busy": 4}]


def test_two_sweeps_at_once_take_each_work_once(store):
    with store.transaction() as tx:
        for key in range(50):
            work.ask(tx, uuid4(), KIND, str(key))
        tx.execute("update memory.work set dispatched_at = null")

    def sweep(_):
        with store.transaction() as tx:
            return work.take_due(tx, limit=100)

    with ThreadPoolExecutor(4) as pool:
        messages = [message for swept in pool.map(sweep, range(4)) for message in swept]
    assert sorted(int(message.key) for message in messages) == list(range(50))


def swept_after(store, age, queued):
    """Let the last messages be so old, and sweep while the queue holds so many."""
    with store.transaction() as tx:
        tx.execute("update memory.work set dispatched_at = clock_timestamp() - %s", [age])
        return len(work.take_due(tx, limit=10, queued=queued))


def test_a_message_is_lost_where_its_queue_holds_fewer_than_units_wait(store):
    soon, units = work.LOST_AFTER + timedelta(seconds=1), 3
    with store.transaction() as tx:
        for key in range(units):
            work.ask(tx, uuid4(), KIND, str(key))
    for queued in ({}, {"another": 0}, {KIND.queue: units}, {KIND.queue: units + 9}):
        assert swept_after(store, soon, queued) == 0
    assert swept_after(store, soon, {KIND.queue: 0}) == units
    assert swept_after(store, soon, {KIND.queue: units - 1}) == units
    assert swept_after(store, timedelta(seconds=1), {KIND.queue: 0}) == 0


def test_a_long_queue_grows_by_no_message_for_what_waits_in_it(store, ask):
    """Messages of other units may stand in for those that were lost: after an hour each is sent again."""
    ask()
    assert swept_after(store, work.HIDDEN_AFTER - timedelta(minutes=1), {KIND.queue: 1}) == 0
    assert swept_after(store, work.HIDDEN_AFTER + timedelta(minutes=1), {KIND.queue: 1}) == 1
