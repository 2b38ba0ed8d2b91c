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


def test_a_message_to_a_queue_that_is_empty_was_lost_and_is_sent_again_soon(store, owner, ask):
    ask()
    with store.transaction() as tx:
        tx.execute(
            "update memory.work set dispatched_at = clock_timestamp() - %s where owner_id = %s",
            [work.LOST_AFTER + timedelta(seconds=1), owner],
        )
        assert work.take_due(tx, limit=10) == []
        assert work.take_due(tx, limit=10, empty_queues=["another"]) == []
        assert len(work.take_due(tx, limit=10, empty_queues=[KIND.queue])) == 1


def swept_after(store, owner, seconds, **options):
    """Let the last message be so old, and sweep."""
    with store.transaction() as tx:
        tx.execute(
            "update memory.work set dispatched_at = clock_timestamp() - %s where owner_id = %s",
            [timedelta(seconds=seconds), owner],
        )
        return len(work.take_due(tx, limit=10, **options))


def test_the_sweep_is_twice_as_patient_after_each_message_to_a_long_queue(store, owner, ask):
    ask()
    for patience in [20, 40, 80, 160, 320, 600, 600]:
        assert swept_after(store, owner, patience * 3 / 4) == 0
        assert swept_after(store, owner, patience + 1) == 1


def test_an_empty_queue_and_a_claim_end_the_sweeps_patience(store, owner, ask, claim):
    ask()
    for _ in range(5):
        swept_after(store, owner, 1000)
    assert swept_after(store, owner, 100) == 0
    assert swept_after(store, owner, 3, empty_queues=[KIND.queue]) == 1
    assert swept_after(store, owner, 21) == 1

    with store.finishing(claim()):
        pass
    ask()
    assert swept_after(store, owner, 21) == 1
