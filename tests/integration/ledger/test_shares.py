"""A process bounds its statements, its users' connections and its bulk."""

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from memory.intake.delivery import Address, deliver
from memory.intake.notes import accept_notes
from providers.embedders import Embedders
from schemas.errors import StatementTimeout, Unavailable
from schemas.ledger.allowance import Allowance, allow, allowance, allowed
from schemas.limits import BULK_ITEMS
from schemas.settings import Settings
from store.database import Store
from store.shares import Limits
from workers.runtime.resources import Resources
from workers.runtime.step import _set_back

NOTE = {"type": "scene", "content": {"action": "Rain.", "actors": ["Mira"], "when": ["2026-03-02"]}}


@pytest.fixture
def new_store(url):
    """Open a ledger with limits."""
    opened = []

    def make(**limits):
        opened.append(Store(url, 4, limits=Limits(**limits)).__enter__())
        return opened[-1]

    yield make
    for store in opened:
        store.__exit__()


def timeout(store):
    with store.transaction() as tx:
        return tx.value("show statement_timeout")


def test_a_statement_that_runs_too_long_is_stopped(new_store):
    store = new_store(statement_seconds=0.05)
    with pytest.raises(StatementTimeout, match="Ask for less"), store.transaction() as tx:
        tx.execute("select pg_sleep(60)")
    with store.transaction() as tx:
        assert tx.value("select 1") == 1


def test_an_allowance_comes_over_the_process_and_ends_with_its_transaction(new_store):
    store = new_store(statement_seconds=5.0, bulk_statement_seconds=60.0)
    assert timeout(store) == "5s"
    for _ in range(10):  # psycopg prepares what it has sent often
        with allowed(Allowance(statement_seconds=0.25)):
            assert timeout(store) == "250ms"
        assert timeout(store) == "5s"
    with store.bulk.unhurried():
        assert timeout(store) == "1min"
    with store.bulk.turn():
        assert timeout(store) == "1min"
    assert timeout(store) == "5s"


def test_without_limits_nothing_is_bounded(url):
    with Store(url) as store:
        assert timeout(store) == "0"
        with store.bulk.turn():
            assert timeout(store) == "0"


def test_a_request_is_charged_for_the_time_that_it_held_a_connection(new_store):
    charged = []
    store = new_store()
    with allowed(Allowance(charge=charged.append)), store.transaction() as tx:
        tx.execute("select pg_sleep(0.02)")
    (seconds,) = charged
    assert seconds >= 0.02


def test_one_user_holds_so_many_connections_and_others_find_the_rest(new_store):
    store = new_store(user_connections=2)
    greedy, held, let_go = uuid4(), threading.Barrier(3), threading.Event()

    def hold():
        allow(Allowance(greedy))
        with store.transaction():
            held.wait()
            let_go.wait()

    with ThreadPoolExecutor(2) as pool:
        holding = [pool.submit(hold) for _ in range(2)]
        try:
            held.wait()
            with allowed(Allowance(greedy)), pytest.raises(Unavailable, match="other requests"):
                store.transaction(patience=0.05).__enter__()
            with allowed(Allowance(uuid4())), store.transaction() as tx:
                assert tx.value("select 1") == 1
        finally:
            let_go.set()
        for held_by in holding:
            held_by.result()
    with allowed(Allowance(greedy)), store.transaction(patience=0.05) as tx:
        assert tx.value("select 1") == 1
    assert allowance() == Allowance()


def backend(tx):
    return tx.value("select pg_backend_pid()")


def two_connections(store):
    """Have the pool open a second connection."""
    with store.transaction(), store.transaction():
        pass


def test_a_request_reads_beside_its_transaction_where_a_connection_is_free(new_store):
    store = new_store(user_connections=2)
    two_connections(store)
    with allowed(Allowance(uuid4())):
        with store.transaction() as tx:
            assert store.begin_read(backend)(tx) != backend(tx)
        meanwhile = threading.Event()
        reading = store.begin_read(lambda tx: meanwhile.wait(60) and tx.value("select 7"))
        with store.transaction() as tx:
            assert tx.value("select 1") == 1
            meanwhile.set()
            assert reading(tx) == 7


def test_a_request_that_may_hold_one_connection_reads_in_its_transaction(new_store):
    store = new_store(user_connections=1)
    two_connections(store)
    with allowed(Allowance(uuid4())), store.transaction() as tx:
        assert store.begin_read(backend)(tx) == backend(tx)
    with store.joined() as tx:
        assert store.begin_read(lambda _: threading.get_ident())(tx) == threading.get_ident()


def test_a_statement_beside_a_transaction_that_runs_too_long_is_not_repeated(new_store):
    store, read = new_store(statement_seconds=0.05), []
    two_connections(store)

    def slow(tx):
        read.append(tx)
        tx.execute("select pg_sleep(60)")

    reading = store.begin_read(slow)
    with pytest.raises(StatementTimeout), store.transaction() as tx:
        reading(tx)
    assert len(read) == 1


def test_only_bulk_takes_turns(new_store, being, monkeypatch):
    store = new_store()
    taken = []
    turn = store.bulk.turn
    monkeypatch.setattr(store.bulk, "turn", lambda: taken.append(1) or turn())
    accept_notes(store, Settings(), being.being_id, [NOTE] * BULK_ITEMS)
    assert taken == []
    accept_notes(store, Settings(), being.being_id, [NOTE] * (BULK_ITEMS + 1))
    assert taken == [1]


def test_a_delivery_whose_statements_are_stopped_is_kept_for_later(new_store, store, being):
    hasty = new_store(statement_seconds=0.05, bulk_statement_seconds=0.05)
    items, ids = [NOTE] * (BULK_ITEMS + 1), [f"n{number}" for number in range(BULK_ITEMS + 1)]
    with store.transaction() as tx:
        tx.execute("select from memory.beings where being_id = %s for update", [being.being_id])
        with pytest.raises(Unavailable):
            deliver(hasty, Settings(), Embedders(Settings()), "notes", Address(being.being_id), items, ids)
    delivered = deliver(store, Settings(), Embedders(Settings()), "notes", Address(being.being_id), items, ids)
    assert delivered.refused == {}
    with store.transaction() as tx:
        assert tx.value("select count(*) from memory.notes where being_id = %s", [being.being_id]) == len(items)


@pytest.mark.parametrize(("fault", "attempts"), [(StatementTimeout("too long"), 1), (Unavailable("away"), 0)])
def test_work_whose_statements_take_too_long_fails_in_the_end(store, ask, claim, row, fault, attempts):
    ask()
    _set_back(Resources(Settings(attempts=5), store, None, None), None, claim(), fault)
    assert (row()["state"], row()["attempts"]) == ("ready", attempts)
