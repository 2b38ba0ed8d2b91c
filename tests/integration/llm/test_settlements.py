"""Answered embedding requests are settled together, soon after, and each once."""

from contextlib import closing

import pytest

from providers.metering import Asker, on_behalf_of
from schemas.settings import Settings
from store.database import Store
from store.shares import Limits
from tests.scenes import make_being, make_user
from workers.runtime.usage_meter import AccountsMeter

MODEL = "text-embedding-3-small"


@pytest.fixture
def both(store):
    """Beings of two users."""
    with store.transaction() as tx:
        return [make_being(tx, make_user(tx)) for _ in range(2)]


@pytest.fixture
def meter(store):
    with closing(AccountsMeter(store, Settings())) as opened:
        yield opened


@pytest.fixture
def ask(meter):
    """Make a request for a Being, which the provider answers with this many tokens."""

    def asking(being, tokens):
        with on_behalf_of(Asker(being.being_id, "embed")), meter.request(MODEL, 1000) as used:
            used(tokens)

    return asking


@pytest.fixture
def calls(store):
    """What each Being's calls came to."""

    def look():
        with store.transaction() as tx:
            return tx.execute(
                "select being_id, outcome, input_tokens, cost, xmin::text as written_by from memory.model_calls"
                " order by call_id"
            ).fetchall()

    return look


def test_a_call_counts_at_its_highest_cost_until_it_is_settled_by_itself(both, ask, calls, wait_until):
    ask(both[0], 7)
    (before,) = calls()
    wait_until(lambda: calls()[0]["outcome"] == "answered")
    (after,) = calls()

    assert (before["outcome"], before["input_tokens"], after["input_tokens"]) == ("unknown", 1000, 7)
    assert 0 < after["cost"] < before["cost"]


def test_those_of_several_owners_are_settled_together(both, ask, calls, meter):
    for number in range(6):
        ask(both[number % 2], number)
    meter.close()

    assert [(call["being_id"], call["input_tokens"]) for call in calls()] == [
        (both[number % 2].being_id, number) for number in range(6)
    ]
    assert len({call["written_by"] for call in calls()}) == 1


def test_one_whose_owner_is_gone_keeps_none_of_the_others_from_being_settled(store, both, ask, calls, meter):
    for being in both:
        ask(being, 7)
    with store.transaction() as tx:
        tx.execute("delete from memory.beings where being_id = %s", [both[0].being_id])
    meter.close()

    assert [(call["being_id"], call["outcome"]) for call in calls()] == [(both[1].being_id, "answered")]


def test_what_the_database_did_not_take_is_settled_later(url, store, both, calls):
    with Store(url, limits=Limits(0.05)) as hasty, closing(AccountsMeter(hasty, Settings())) as meter:
        with on_behalf_of(Asker(both[0].being_id, "embed")), meter.request(MODEL, 1000) as used:
            used(7)
        with store.transaction() as tx:
            tx.execute("select from memory.users for update")
            meter.close()
            (held,) = calls()
        meter.close()

    assert held["outcome"] == "unknown"
    assert [(call["outcome"], call["input_tokens"]) for call in calls()] == [("answered", 7)]
