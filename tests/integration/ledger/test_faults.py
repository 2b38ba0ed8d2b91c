"""Passing faults are waited out, the work's own are counted, and what is dead waits for the operator."""

from datetime import timedelta

import pytest

from schemas.errors import Refused, Unavailable
from store.database import Store
from store.ledger import metrics, work


def test_a_passing_fault_does_not_count(store, ask, claim, row):
    ask()
    for _ in range(10):
        with store.transaction() as tx:
            work.back_off(tx, claim(attempts=1), wait=timedelta(0), error="busy")

    assert (row()["state"], row()["attempts"], row()["error"]) == ("ready", 0, "busy")
    with store.finishing(claim()):
        pass
    assert row()["error"] is None


def test_a_passing_fault_waits_as_long_as_it_is_told(store, ask, claim):
    ask()
    with store.transaction() as tx:
        work.back_off(tx, claim(), wait=timedelta(hours=1), error="busy")

    assert claim() is None
    with store.transaction() as tx:
        assert metrics.oldest_due(tx) == {}


def test_passing_faults_in_a_row_wait_twice_as_long_each_time(store, ask, claim):
    ask()
    for seconds in [1, 2, 4, 8]:
        held = claim()
        with store.transaction() as tx:
            before = tx.value("select clock_timestamp()")
            work.back_off(tx, held, wait=None, error="busy")
            (waiting,) = tx.execute(
                "update memory.work set next_at = clock_timestamp() where owner_id = %s"
                " returning old.next_at, clock_timestamp() as after",
                [held.owner_id],
            )
        assert waiting["next_at"] - waiting["after"] <= timedelta(seconds=seconds) <= waiting["next_at"] - before


def make_due(store, owner):
    with store.transaction() as tx:
        tx.execute("update memory.work set next_at = clock_timestamp() where owner_id = %s", [owner])


def test_work_that_fails_as_often_as_it_may_is_dead(store, owner, ask, claim, row):
    ask()
    for expected in ["ready", "ready", "dead"]:
        with store.transaction() as tx:
            assert work.fail(tx, claim(), attempts=3, error="broken") == expected
        make_due(store, owner)

    assert row()["error"] == "broken"
    assert claim() is None


def test_a_failed_attempt_makes_it_wait(store, ask, claim, row):
    ask()
    held = claim()
    with store.transaction() as tx:
        work.fail(tx, held, attempts=3, error="broken")
        tx.execute("update memory.work set next_at = next_at + interval '1 hour'")

    assert row()["next_at"] - row()["claimed_at"] >= timedelta(hours=1, seconds=2)
    assert claim() is None


def test_work_whose_workers_vanish_every_time_is_buried(ask, claim, row):
    ask()
    for _ in range(3):
        assert claim(lease=timedelta(0), attempts=3) is not None

    assert claim(attempts=3) is None
    assert row()["state"] == "dead"
    assert "3 attempts" in row()["error"]


def test_asking_gives_dead_work_all_its_attempts_again(store, ask, claim, row):
    ask()
    with store.transaction() as tx:
        work.fail(tx, claim(), attempts=1, error="broken")
    assert row()["state"] == "dead"

    ask()
    assert claim().attempts == 1


def test_the_operator_replays_the_dead_and_only_the_dead(store, owner, ask, claim, sent):
    ask()
    with store.transaction() as tx:
        work.fail(tx, claim(), attempts=1, error="broken")
        (dead,) = work.listed(tx, [owner], state="dead", limit=10)
        work.replay(tx, dead)
    assert [message.kind for message in sent] == [dead.kind]
    assert claim() is not None

    with pytest.raises(Refused), store.transaction() as tx:
        work.replay(tx, dead)


def test_no_process_may_stop_in_a_transaction_for_long(url):
    with Store(url) as store, store.transaction() as tx:
        assert tx.value("show idle_in_transaction_session_timeout") == "15s"


def test_a_process_that_stops_in_a_transaction_loses_it_and_what_it_locked(store, being):
    lock = "select from memory.beings where being_id = %s for update"

    def stop_in_the_middle():
        with store.transaction() as tx:
            tx.execute("set local idle_in_transaction_session_timeout = '50ms'")
            tx.execute(lock, [being.being_id])
            with store.transaction() as heir:
                heir.execute(lock, [being.being_id])
            tx.execute("select 1")

    with pytest.raises(Unavailable):
        stop_in_the_middle()
