"""An embedding request counts at its highest cost until it is answered, and then at what it cost."""

import pytest

from providers.metering import RequestOwner, on_behalf_of
from schemas.settings import Settings
from store.database import Store
from store.shares import Limits
from tests.scenes import make_being, make_user
from workers.runtime.usage_meter import AccountsMeter

MODEL = "text-embedding-3-small"


@pytest.fixture
def being(store):
    with store.transaction() as tx:
        return make_being(tx, make_user(tx))


@pytest.fixture
def meter(store):
    return AccountsMeter(store, Settings())


@pytest.fixture
def calls(store):
    """The sums of the calls."""

    def look():
        with store.transaction() as tx:
            return tx.execute("select outcome, input_tokens, cost from memory.model_calls order by call_id").fetchall()

    return look


def test_a_request_counts_at_its_highest_cost_until_it_is_answered(being, meter, calls):
    with on_behalf_of(RequestOwner(being.being_id, "embed")), meter.request(MODEL, 1000) as used:
        (before,) = calls()
        used(7)
    (after,) = calls()

    assert (before["outcome"], before["input_tokens"]) == ("unknown", 1000)
    assert (after["outcome"], after["input_tokens"]) == ("answered", 7)
    assert 0 < after["cost"] < before["cost"]


def test_vectors_are_used_though_their_owner_was_erased_meanwhile(store, being, meter, calls):
    with on_behalf_of(RequestOwner(being.being_id, "embed")), meter.request(MODEL, 1000) as used:
        used(7)
        with store.transaction() as tx:
            tx.execute("delete from memory.beings where being_id = %s", [being.being_id])

    assert calls() == []


def test_a_request_that_the_database_can_not_settle_stays_at_its_highest_cost(url, store, being, calls):
    with (
        Store(url, limits=Limits(1.0)) as hasty,
        store.transaction() as tx,
        on_behalf_of(RequestOwner(being.being_id, "embed")),
        AccountsMeter(hasty, Settings()).request(MODEL, 1000) as used,
    ):
        used(7)
        tx.execute("select from memory.users for update")

    assert [(call["outcome"], call["input_tokens"]) for call in calls()] == [("unknown", 1000)]
