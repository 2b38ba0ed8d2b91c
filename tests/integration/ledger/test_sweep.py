"""The door rings once for a storm of asking, and the sweep rings for what nobody rang."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

from store import work

KIND, QUEUE = "upkeep.tidy", "upkeep"


def test_a_storm_of_asking_rings_once(ask):
    assert len(ask()) == 1
    assert [ask() for _ in range(20)] == [[]] * 20


def test_the_sweep_does_not_ring_what_was_just_rung(store, ask):
    ask()
    with store.transaction() as tx:
        assert work.ring_due(tx, limit=10) == []


def test_the_sweep_rings_what_became_due(store, ask, wait_until):
    assert ask(after=timedelta(seconds=1)) == []
    rung = []

    def sweep():
        with store.transaction() as tx:
            rung.extend(work.ring_due(tx, limit=10))
        return bool(rung)

    wait_until(sweep)
    assert [ring.kind for ring in rung] == [KIND]
    assert not any(sweep() for _ in range(3) if rung.clear() is None)


def test_the_sweep_rings_what_a_vanished_worker_held(store, owner, ask, claim):
    ask()
    claim(lease=timedelta(0))
    with store.transaction() as tx:
        tx.execute("update memory.work set rung_at = null where owner_id = %s", [owner])
        assert len(work.ring_due(tx, limit=10)) == 1


def test_the_sweep_gives_each_owner_a_turn_before_any_has_a_second(store):
    busy, quiet = uuid4(), uuid4()
    with store.transaction() as tx:
        for key in range(20):
            work.ask(tx, busy, KIND, str(key), QUEUE)
        for key in range(3):
            work.ask(tx, quiet, KIND, str(key), QUEUE)
        tx.execute("update memory.work set rung_at = null")
        swept = [work.ring_due(tx, limit=4) for _ in range(3)]

    turns = [Counter("busy" if ring.owner_id == busy else "quiet" for ring in rings) for rings in swept]
    assert turns == [{"busy": 2, "quiet": 2}, {"busy": 3, "quiet": 1}, {"busy": 4}]


def test_two_sweeps_at_once_ring_each_work_once(store):
    with store.transaction() as tx:
        for key in range(50):
            work.ask(tx, uuid4(), KIND, str(key), QUEUE)
        tx.execute("update memory.work set rung_at = null")

    def sweep(_):
        with store.transaction() as tx:
            return work.ring_due(tx, limit=100)

    with ThreadPoolExecutor(4) as pool:
        rings = [ring for swept in pool.map(sweep, range(4)) for ring in swept]
    assert sorted(int(ring.key) for ring in rings) == list(range(50))


def test_a_ring_into_a_queue_that_is_empty_was_lost_and_is_rung_again_soon(store, owner, ask):
    ask()
    with store.transaction() as tx:
        tx.execute(
            "update memory.work set rung_at = clock_timestamp() - %s where owner_id = %s",
            [work.LOST_AFTER + timedelta(seconds=1), owner],
        )
        assert work.ring_due(tx, limit=10) == []
        assert work.ring_due(tx, limit=10, empty_queues=["another"]) == []
        assert len(work.ring_due(tx, limit=10, empty_queues=[QUEUE])) == 1


def swept_after(store, owner, seconds, **options):
    """Let the last ring be so old, and sweep."""
    with store.transaction() as tx:
        tx.execute(
            "update memory.work set rung_at = clock_timestamp() - %s where owner_id = %s",
            [timedelta(seconds=seconds), owner],
        )
        return len(work.ring_due(tx, limit=10, **options))


def test_the_sweep_is_twice_as_patient_after_each_ring_into_a_long_queue(store, owner, ask):
    ask()
    for patience in [20, 40, 80, 160, 320, 600, 600]:
        assert swept_after(store, owner, patience * 3 / 4) == 0
        assert swept_after(store, owner, patience + 1) == 1


def test_an_empty_queue_and_a_claim_end_the_sweeps_patience(store, owner, ask, claim):
    ask()
    for _ in range(5):
        swept_after(store, owner, 1000)
    assert swept_after(store, owner, 100) == 0
    assert swept_after(store, owner, 3, empty_queues=[QUEUE]) == 1
    assert swept_after(store, owner, 21) == 1

    with store.finishing(claim()):
        pass
    ask()
    assert swept_after(store, owner, 21) == 1
