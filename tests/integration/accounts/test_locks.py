"""Transactions take locks in the documented order, so that none waits for another that waits for it."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import psycopg
import pytest

from memory.accounts.erasure import erase_being, erase_user
from schemas.ledger.kinds import PATROL_DUE
from store.accounts import beings
from store.facts import facts
from store.ledger import work
from store.llm import calls, responses
from tests.processes import lock_trace


@pytest.fixture
def waits(store, wait_until):
    """Wait until a transaction waits for a lock."""

    def blocked():
        with store.transaction() as tx:
            return tx.execute("select from pg_locks where not granted").rowcount > 0

    return lambda: wait_until(blocked)


def settled_call(tx, being):
    """Settle a call: a worker's transaction that goes on to store the answer."""
    account = calls.Account(being.being_id, "patrol.diary", "r", "platform")
    calls.settle(tx, being.being_id, uuid4(), "answered")
    return account


ERASURES = {
    "user": lambda store, user, _: erase_user(store, user),
    "being": lambda store, _, being: erase_being(store, being),
}


@pytest.mark.parametrize("erased", ERASURES)
def test_an_erasure_waits_for_workers_before_it_locks_anything(store, user, being, waits, erased):
    with ThreadPoolExecutor(1) as pool:
        with store.transaction() as tx:
            account = settled_call(tx, being)
            erasing = pool.submit(ERASURES[erased], store, user, being)
            waits()
            facts.lock(tx, being.user_id)
            responses.put(
                tx, account, b"hash", purpose="diary", model="any", completion="Nothing happened.", defect=None
            )
            beings.lock(tx, being.being_id)
        erasing.result()
    with store.transaction() as tx:
        assert beings.user_of(tx, being.being_id) is None


def test_a_reservation_of_work_without_a_row_keeps_others_waiting(store, being, waits):
    def reserve():
        with store.transaction() as tx:
            work.reserve(tx, being.being_id, PATROL_DUE)

    with ThreadPoolExecutor(1) as pool:
        with store.transaction() as tx:
            work.reserve(tx, being.being_id, PATROL_DUE)
            other = pool.submit(reserve)
            waits()
            assert not other.done()
        other.result()


def test_the_recorder_finds_what_is_taken_the_other_way_round(url, store, being):
    lock_trace.install(url)
    with store.transaction() as tx:
        facts.lock(tx, being.user_id)
        beings.lock(tx, being.being_id)
    assert lock_trace.inversions(url) == []

    with store.transaction() as tx:
        beings.lock(tx, being.being_id)
        facts.lock(tx, being.user_id)
    (found,) = lock_trace.inversions(url)
    assert "beings, then fact_states" in found
    with psycopg.connect(url) as database:
        assert database.execute("select count(distinct transaction) from lock_trace.taken").fetchone() == (2,)
