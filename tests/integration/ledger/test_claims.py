"""Requested work is done once, by the worker that holds the newest lease."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from psycopg.errors import DivisionByZero

from schemas.errors import LeaseLost
from schemas.ledger.kinds import CURATE
from schemas.settings import Settings
from store.accounts import users
from store.ledger import retention, work

LEASE = timedelta(seconds=30)
INSTANT = timedelta(milliseconds=1)


def test_work_is_asked_for_claimed_and_done(store, ask, claim, row):
    ask()
    assert row()["state"] == "ready"

    held = claim()
    assert row()["state"] == "running"

    with store.finishing(held):
        pass
    assert row()["state"] == "done"


def test_work_that_is_leased_or_done_is_not_claimed(store, ask, claim):
    ask()
    held = claim()
    assert claim() is None

    with store.finishing(held):
        pass
    assert claim() is None


def test_work_that_was_not_requested_is_not_claimed(claim):
    assert claim() is None


def test_work_is_not_claimed_before_its_time(store, ask, claim):
    ask(after=timedelta(hours=1))
    assert claim() is None

    with store.transaction() as tx:
        tx.execute("update memory.work set next_at = next_at - interval '1 hour'")
    assert claim() is not None


@pytest.mark.new_database
def test_a_claim_reads_no_other_users(store, being):
    def rows_read(tx):
        (row,) = tx.execute(
            """
            select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows
            from pg_stat_xact_all_tables
            where schemaname = 'memory' and relname in ('users', 'beings')
            """
        )
        return row["rows"]

    with store.transaction() as tx:
        tx.execute(
            """
            with added as (
                insert into memory.users (name) select 'user ' || n from generate_series(1, 8000) as n returning user_id
            )
            insert into memory.beings (user_id, slug, name) select user_id, 'being', 'Being' from added
            """
        )
        work.ask(tx, being.being_id, CURATE, "")
    with store.transaction() as tx:
        tx.execute("analyze memory.users, memory.beings")
    with store.transaction() as tx:
        before = rows_read(tx)
        assert work.claim(tx, being.being_id, CURATE.name, "", lease=LEASE, attempts=5)
        assert work.begin_idle(tx, [being.user_id], CURATE, lease=LEASE)
        assert rows_read(tx) - before < 20


def test_of_many_concurrent_claims_exactly_one_wins(store, ask, claim):
    crowd = 8
    for _ in range(10):
        ask()
        together = Barrier(crowd)

        def run(together=together):
            together.wait()
            return claim()

        with ThreadPoolExecutor(crowd) as pool:
            claims = [future.result() for future in [pool.submit(run) for _ in range(crowd)]]
        (winner,) = [held for held in claims if held is not None]
        with store.finishing(winner):
            pass


def test_a_lease_that_ran_out_is_anybodys(ask, claim, wait_until):
    ask()
    first = claim(lease=INSTANT)
    taken = []
    wait_until(lambda: taken.append(claim()) or taken[-1] is not None)

    assert taken[-1].fence == first.fence + 1
    assert taken[-1].attempts == 2


def test_a_renewed_lease_is_kept(store, ask, claim):
    ask()
    held = claim(lease=INSTANT)
    with store.transaction() as tx:
        work.renew(tx, held, LEASE)

    assert claim() is None


def test_a_worker_with_an_expired_lease_may_finish_if_no_other_took_the_work(store, ask, claim, row):
    ask()
    held = claim(lease=timedelta(0))
    with store.finishing(held):
        pass

    assert row()["state"] == "done"


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(work.hold, id="hold"),
        pytest.param(work.finish, id="finish"),
        pytest.param(lambda tx, held: work.renew(tx, held, LEASE), id="renew"),
        pytest.param(lambda tx, held: work.back_off(tx, held, wait=LEASE, error="busy"), id="back off"),
        pytest.param(lambda tx, held: work.fail(tx, held, attempts=5, error="broken"), id="fail"),
    ],
)
def test_a_stale_holder_can_do_nothing(store, ask, claim, row, ending):
    ask()
    stale = claim(lease=timedelta(0))
    newest = claim()
    before = row()

    with pytest.raises(LeaseLost), store.transaction() as tx:
        ending(tx, stale)
    assert row() == before
    assert newest.fence == before["fence"]


def test_what_a_stale_holder_did_vanishes_with_its_claim(store, ask, claim):
    ask()
    stale = claim(lease=timedelta(0))
    assert claim() is not None

    with pytest.raises(LeaseLost), store.finishing(stale) as tx:
        users.add_user(tx, "Nobody", "UTC")
    with store.transaction() as tx:
        assert users.find_user(tx, "Nobody") is None


def test_effects_that_fail_leave_the_work_to_do(store, ask, claim, row):
    ask()
    held = claim()

    def work_in_vain():
        with store.finishing(held) as tx:
            users.add_user(tx, "Nobody", "UTC")
            tx.execute("select 1 / 0")

    with pytest.raises(DivisionByZero):
        work_in_vain()
    assert row()["state"] == "running"
    with store.transaction() as tx:
        assert users.find_user(tx, "Nobody") is None


def test_work_that_is_being_finished_is_not_claimed(store, ask, claim, row):
    ask()
    held = claim(lease=timedelta(0))

    with ThreadPoolExecutor(1) as pool:
        with store.finishing(held):
            rival = pool.submit(claim)
        assert rival.result() is None
    assert row()["state"] == "done"


def test_every_attempt_at_a_unit_sees_the_same_time(store, ask, claim, clock):
    ask()
    first = claim(lease=timedelta(0))
    clock.advance(days=3)
    second = claim()
    assert second.as_of == first.as_of

    with store.finishing(second):
        pass
    ask()
    assert claim().as_of >= first.as_of + timedelta(days=3)


def test_leases_stay_on_the_real_clock(ask, claim, clock):
    ask()
    claim()
    clock.advance(days=365)

    assert claim() is None


def test_done_work_is_cleared_by_age(store, ask, claim, row):
    ask()
    with store.finishing(claim()):
        pass
    (expiring,) = (rows for rows in retention.expiring(Settings()) if rows.table == "work")
    with store.transaction() as tx:
        assert retention.expire(tx, expiring, timedelta(hours=1), 10) == 0
        assert retention.expire(tx, expiring, timedelta(0), 10) == 1
    assert row() is None


def test_time_moved_by_the_demo_moves_no_work(ask, claim, clock):
    ask(after=timedelta(hours=1))
    clock.advance(days=30)

    assert claim() is None


def test_work_that_is_handed_back_is_due_at_once_and_the_attempt_does_not_count(store, ask, claim, row):
    ask()
    held = claim()
    with store.transaction() as tx:
        work.hand_back(tx, held)
    assert (row()["state"], row()["attempts"]) == ("ready", 0)
    assert claim().fence == held.fence + 1


def test_a_stale_holder_hands_nothing_back(store, ask, claim, row):
    ask()
    stale = claim(lease=timedelta(0))
    claim()
    with pytest.raises(LeaseLost), store.transaction() as tx:
        work.hand_back(tx, stale)
    assert row()["state"] == "running"
