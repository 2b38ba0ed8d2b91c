"""The ledger: what was asked for gets done, once, by whoever holds the newest claim."""

# ruff: noqa: D102  # a rule's name says what happens, as a test's does

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from psycopg.errors import DivisionByZero

from store import clock as domain_clock
from store import users, work
from store.errors import LeaseLost, Refused

KIND, KEY, QUEUE = "upkeep.tidy", "everything", "upkeep"
LEASE = timedelta(seconds=30)
INSTANT = timedelta(milliseconds=1)
SECOND = timedelta(seconds=1)


@pytest.fixture
def owner():
    return uuid4()


@pytest.fixture
def ask(store, owner):
    """Ask for the work; says what is to be rung for."""

    def asking(**when):
        with store.transaction() as tx:
            return work.ask(tx, owner, KIND, KEY, QUEUE, **when)

    return asking


@pytest.fixture
def claim(store, owner):
    """Try to claim the work."""

    def claiming(lease=LEASE, attempts=5):
        with store.transaction() as tx:
            return work.claim(tx, owner, KIND, KEY, lease=lease, attempts=attempts)

    return claiming


@pytest.fixture
def row(store, owner):
    """The work's row as it is now."""

    def read():
        with store.transaction() as tx:
            return tx.execute("select * from memory.work where owner_id = %s and kind = %s", [owner, KIND]).fetchone()

    return read


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


def test_work_that_nobody_asked_for_is_not_claimed(claim):
    assert claim() is None


def test_work_is_not_claimed_before_its_time(ask, claim, wait_until):
    ask(after=timedelta(milliseconds=200))
    assert claim() is None

    wait_until(claim)


def test_asking_again_can_make_it_sooner_but_not_later(ask, claim):
    ask(after=timedelta(hours=1))
    ask(after=timedelta(hours=2))
    assert claim() is None

    ask()
    assert claim() is not None


def test_of_many_who_claim_at_once_exactly_one_wins(store, ask, claim):
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


def test_a_holder_whose_lease_ran_out_may_still_finish_while_nobody_else_came(store, ask, claim, row):
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
        pytest.param(lambda tx, held: work.back_off(tx, held, wait=SECOND, error="busy"), id="back off"),
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


def test_nobody_takes_work_that_is_being_finished(store, ask, claim, row):
    ask()
    held = claim(lease=timedelta(0))

    with ThreadPoolExecutor(1) as pool:
        with store.finishing(held):
            rival = pool.submit(claim)
        assert rival.result() is None
    assert row()["state"] == "done"


def test_asking_while_it_runs_makes_it_run_once_more(store, ask, claim, row):
    ask()
    held = claim()
    assert ask() == []
    assert ask() == []

    with store.finishing(held):
        pass
    assert row()["state"] == "ready"
    with store.finishing(claim()):
        pass
    assert row()["state"] == "done"


def test_asking_while_it_is_being_finished_is_not_lost(store, ask, claim, row):
    """The asker waits for the finish to commit, and then finds the work done and makes it ready."""
    ask()
    held = claim()

    with ThreadPoolExecutor(1) as pool:
        with store.finishing(held):
            late = pool.submit(ask)
        assert late.result() != []
    assert row()["state"] == "ready"


def test_a_wish_for_later_is_kept_while_it_runs(store, ask, claim, row):
    ask()
    held = claim()
    ask(after=timedelta(hours=1))

    with store.finishing(held):
        pass
    assert row()["state"] == "ready"
    assert claim() is None


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
        assert work.oldest_due(tx) is None


def test_passing_faults_in_a_row_wait_twice_as_long_each_time(store, ask, claim):
    ask()
    waits = []
    for _ in range(4):
        held = claim()
        with store.transaction() as tx:
            work.back_off(tx, held, wait=None, error="busy")
            (waiting,) = tx.execute(
                "update memory.work set next_at = clock_timestamp() where owner_id = %s"
                " returning round(extract(epoch from old.next_at - clock_timestamp())) as seconds",
                [held.owner_id],
            )
        waits.append(waiting["seconds"])

    assert waits == [1, 2, 4, 8]


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


def test_a_failed_attempt_makes_it_wait(store, ask, claim):
    ask()
    with store.transaction() as tx:
        work.fail(tx, claim(), attempts=3, error="broken")

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


def test_the_operator_replays_the_dead_and_only_the_dead(store, owner, ask, claim):
    ask()
    with store.transaction() as tx:
        work.fail(tx, claim(), attempts=1, error="broken")
        (dead,) = work.listed(tx, [owner], state="dead", limit=10)
        assert work.replay(tx, dead)
    assert claim() is not None

    with pytest.raises(Refused), store.transaction() as tx:
        work.replay(tx, dead)


def test_a_storm_of_asking_rings_once(ask):
    assert len(ask()) == 1
    assert [ask() for _ in range(20)] == [[]] * 20


def test_the_sweep_does_not_ring_what_was_just_rung(store, ask):
    ask()
    with store.transaction() as tx:
        assert work.ring_due(tx, limit=10) == []


def test_the_sweep_rings_what_became_due(store, ask, wait_until):
    assert ask(after=timedelta(milliseconds=100)) == []
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


class Askers(RuleBasedStateMachine):
    """Somebody asks, and workers come and go; whatever happens, an asking is followed by a run that began after it."""

    def __init__(self, store):
        super().__init__()
        self.store = store
        self.owner = uuid4()
        self.unserved = 0
        self.holders = []

    @rule()
    def somebody_asks(self):
        with self.store.transaction() as tx:
            work.ask(tx, self.owner, KIND, KEY, QUEUE)
        self.unserved += 1

    @rule(lease=st.sampled_from([timedelta(0), LEASE]))
    def a_worker_comes(self, lease):
        with self.store.transaction() as tx:
            held = work.claim(tx, self.owner, KIND, KEY, lease=lease, attempts=1000)
        if held:
            self.holders.append((held, self.unserved))

    @rule(data=st.data())
    @precondition(lambda self: self.holders)
    def a_worker_finishes(self, data):
        held, seen = data.draw(st.sampled_from(self.holders))
        self.holders.remove((held, seen))
        newest = self.fence() == held.fence
        try:
            with self.store.finishing(held):
                pass
        except LeaseLost:
            assert not newest
        else:
            assert newest
            self.unserved -= seen
            self.holders = [(other, max(0, known - seen)) for other, known in self.holders]

    @rule(data=st.data())
    @precondition(lambda self: self.holders)
    def a_worker_backs_off(self, data):
        held, seen = data.draw(st.sampled_from(self.holders))
        self.holders.remove((held, seen))
        try:
            with self.store.transaction() as tx:
                work.back_off(tx, held, wait=timedelta(0), error="busy")
        except LeaseLost:
            assert self.fence() > held.fence

    def fence(self):
        with self.store.transaction() as tx:
            (row,) = tx.execute("select fence from memory.work where owner_id = %s", [self.owner])
        return row["fence"]

    def teardown(self):
        with self.store.transaction() as tx:
            state = work.state(tx, self.owner, KIND, KEY)
        if self.unserved:
            assert state in {"ready", "running"}


@pytest.mark.timeout(900)  # a failure takes minutes to be made small
def test_no_asking_is_ever_lost(store):
    run_state_machine_as_test(lambda: Askers(store))


def test_done_work_is_cleared_by_age(store, owner, ask, claim):
    ask()
    with store.finishing(claim()):
        pass
    with store.transaction() as tx:
        assert work.clear_done(tx, timedelta(hours=1), 10) == 0
        assert work.clear_done(tx, timedelta(0), 10) == 1
        assert work.state(tx, owner, KIND, KEY) is None


def test_time_moved_by_the_demo_moves_no_work(store, ask, claim):
    ask(after=timedelta(hours=1))
    with store.transaction() as tx:
        domain_clock.shift(tx, timedelta(days=30))

    assert claim() is None
