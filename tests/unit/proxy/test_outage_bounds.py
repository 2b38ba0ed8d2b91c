"""For an outage of the database the proxy holds values for a limited time, and a bounded spend of each token."""

from decimal import Decimal
from itertools import count
from weakref import ref

import pytest

from api.proxy import outage
from api.proxy.outage import Grace, Recent


@pytest.fixture
def clock():
    return [100.0]


@pytest.fixture
def recent(clock):
    return Recent(60.0, lambda: clock[0])


def test_a_value_is_returned_for_its_time(recent, clock):
    recent.store("token", "caller")
    clock[0] += 60
    assert recent.find("token") == "caller"
    clock[0] += 0.1
    assert recent.find("token") is None


def test_a_value_that_is_stored_again_is_valid_for_as_long_again(recent, clock):
    recent.store("token", "caller")
    clock[0] += 50
    recent.store("token", "another")
    clock[0] += 50
    assert recent.find("token") == "another"


def test_a_value_that_is_stored_again_does_not_keep_others_past_their_time(recent, clock):
    over = Key()
    held = ref(over)
    recent.store("token", "caller")
    recent.store("other", over)
    clock[0] += 50
    recent.store("token", "caller")
    del over
    clock[0] += 20
    recent.store("third", "caller")
    assert held() is None
    assert recent.find("token") == "caller"


class Key:
    """Stands for a provider's key."""


def test_what_is_forgotten_or_over_is_not_held(recent, clock):
    forgotten, over = Key(), Key()
    held = [ref(forgotten), ref(over)]
    recent.store("one", forgotten)
    recent.store("two", over)
    recent.remove("one")
    recent.remove("never stored")
    assert recent.find("one") is None
    del forgotten, over
    assert [each() is None for each in held] == [True, False]
    clock[0] += 61
    recent.store("three", Key())
    assert held[1]() is None


def test_without_any_time_nothing_is_kept():
    recent = Recent(0.0, count().__next__)
    recent.store("token", "caller")
    assert recent.find("token") is None


def test_of_too_many_values_the_oldest_go(recent, monkeypatch):
    monkeypatch.setattr(outage, "MOST_RECENT", 3)
    for number in range(5):
        recent.store(number, number)
    assert [recent.find(number) for number in range(5)] == [None, None, 2, 3, 4]


def test_requests_of_a_token_are_bounded_over_all_that_it_asks_for():
    grace = Grace(2, Decimal(10))
    taken = [grace.take(b"one", slot, Decimal(1)) for slot in "abc"]
    assert [one is not None for one in taken] == [True, True, False]
    assert grace.take(b"other", "a", Decimal(1))


def test_the_cost_of_a_token_is_bounded():
    grace = Grace(100, Decimal("0.5"))
    assert grace.take(b"one", "a", Decimal("0.3"))
    # What is refused is not counted.
    assert not grace.take(b"one", "a", Decimal("0.3"))
    assert grace.take(b"one", "a", Decimal("0.2"))
    assert not grace.take(b"one", "a", Decimal("0.01"))
    # A call whose price is not known counts as a request.
    assert grace.take(b"one", "a", None)


def test_what_was_taken_is_free_again_when_its_cost_is_recorded_and_counted():
    grace = Grace(2, Decimal(10))
    first, second = grace.take(b"one", "a", Decimal(1)), grace.take(b"one", "b", Decimal(1))
    assert grace.recorded(b"one", "a") == []
    first.recorded = second.recorded = True
    # Another admission says nothing of the budget that this one counts against.
    assert grace.recorded(b"one", "a") == [first]
    grace.give_back(b"one", [first])
    grace.give_back(b"one", [first])
    assert grace.take(b"one", "a", Decimal(1))
    assert not grace.take(b"one", "a", Decimal(1))


def test_tokens_beyond_the_most_are_refused_rather_than_counted_anew(monkeypatch):
    monkeypatch.setattr(outage, "MOST_TOKENS", 2)
    grace = Grace(1, Decimal(1))
    taken = [grace.take(token, "a", None) for token in (b"a", b"b", b"c", b"a")]
    assert [one is not None for one in taken] == [True, True, False, False]
    grace.give_back(b"a", [taken[0]])
    assert grace.take(b"c", "a", None)
