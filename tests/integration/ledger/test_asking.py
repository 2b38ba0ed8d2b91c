"""Each request for work is served by a run that began after it, and one run serves many requests."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from schemas.errors import LeaseLost
from schemas.ledger.kinds import CURATE
from store.ledger import work

KIND, KEY = CURATE, "everything"
LEASE = timedelta(seconds=30)


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


def test_asking_while_it_waits_to_be_tried_again_makes_it_run_once_more(store, ask, claim, row):
    """Each attempt sees what was there at the first: what came in between is the next unit's."""
    ask()
    first = claim()
    with store.transaction() as tx:
        work.back_off(tx, first, wait=timedelta(0), error="busy")
    ask()

    again = claim()
    assert again.as_of == first.as_of
    with store.finishing(again):
        pass
    assert row()["state"] == "ready"
    with store.finishing(claim()):
        pass
    assert row()["state"] == "done"


def test_asking_between_attempts_outlives_the_last_of_them(store, ask, claim, row):
    """A request makes a dead row ready; so does one from before it died that no attempt has seen."""
    ask()
    first = claim()
    ask()
    with store.transaction() as tx:
        assert work.fail(tx, first, attempts=1, error="broken") == "ready"

    left = row()
    assert (left["state"], left["attempts"], left["rerun_at"], left["as_of"]) == ("ready", 0, None, None)
    assert left["next_at"] > left["claimed_at"] + timedelta(seconds=20)
    assert left["error"] == "broken"


def test_asking_between_attempts_outlives_a_worker_that_is_gone(ask, claim, row):
    ask()
    claim(lease=timedelta(0))
    ask()
    assert claim(attempts=1) is None

    assert (row()["state"], row()["attempts"]) == ("ready", 0)
    assert "worker gone" in row()["error"]


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


def test_asking_again_can_make_it_sooner_but_not_later(ask, claim):
    ask(after=timedelta(hours=1))
    ask(after=timedelta(hours=2))
    assert claim() is None

    ask()
    assert claim() is not None


def test_however_long_no_worker_comes_asking_sends_once(store, ask):
    assert ask() != []
    with store.transaction() as tx:
        tx.execute("update memory.work set dispatched_at = dispatched_at - interval '1 hour'")

    assert ask() == []


class Askers(RuleBasedStateMachine):
    """Producers request work while workers start and crash; each request is followed by a run that began after it."""

    def __init__(self, store):
        super().__init__()
        self.store = store
        self.owner = uuid4()
        self.unserved = 0
        self.holders = []

    @rule()
    def a_producer_asks(self):
        with self.store.transaction() as tx:
            work.ask(tx, self.owner, KIND, KEY)
        self.unserved += 1

    @rule(lease=st.sampled_from([timedelta(0), LEASE]))
    def a_worker_comes(self, lease):
        with self.store.transaction() as tx:
            held = work.claim(tx, self.owner, KIND.name, KEY, lease=lease, attempts=1000)
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
            state = work.state(tx, self.owner, KIND.name, KEY)
        if self.unserved:
            assert state in {"ready", "running"}


@pytest.mark.timeout(900)  # a failure takes minutes to be made small
def test_no_asking_is_ever_lost(store):
    run_state_machine_as_test(lambda: Askers(store), settings=settings(max_examples=settings.default.max_examples // 3))
