"""Many questions in one lot, at half the price: sent once, collected once, asked directly where it brings nothing."""

from datetime import timedelta

import pytest

from memory import keys
from memory.batch_thinking import BatchUnderWay
from memory.bookkeeping import prompt_hash
from providers.errors import Transient
from providers.prices import cost_of
from providers.thinking import Usage
from store import batches
from store.calls import Account
from tests.fakes.provider import Behaviour
from tests.integration.thinking.conftest import THEIRS, question

NUMBERS = range(3)


def lot(numbers=NUMBERS):
    return [(question(f"Like number {number}?"), lambda _: None) for number in numbers]


@pytest.fixture
def waiting(mind):
    """Who thinks for work that nobody waits for."""

    def made(claim, **changes):
        return mind(claim, awaited=False, batch_thinking=True, **changes)

    return made


def sent(provider, endpoint="batches"):
    return [request for request in provider.requests if request.endpoint == endpoint]


def colours(told):
    return [each.answer.name for each in told]


def test_a_lot_is_sent_once_collected_once_and_costs_half(provider, waiting, claimed, accounts, settings):
    provider.script(Behaviour(do="unfinished", on="batch"))
    claim = claimed()
    for _ in range(2):
        with pytest.raises(BatchUnderWay) as caught:
            waiting(claim).ask_each(lot())
    assert caught.value.retry_after == 60
    assert colours(waiting(claim).ask_each(lot())) == ["blue"] * 3
    assert colours(waiting(claim).ask_each(lot())) == ["blue"] * 3

    assert len(sent(provider)) == 1
    assert not sent(provider, "messages")
    assert {(call["batch"], call["outcome"]) for call in accounts()} == {(True, "answered")}
    for call in accounts():
        used = Usage(*(call[f"{kind}_tokens"] for kind in ("input", "output", "cache_read", "cache_write")))
        assert 2 * call["cost"] == cost_of(call["model"], used, settings.prices) > 0


def test_where_somebody_waits_nothing_goes_the_slow_way(provider, mind):
    assert colours(mind(batch_thinking=True).ask_each(lot())) == ["blue"] * 3
    assert not sent(provider)


def test_somebody_who_begins_to_wait_is_answered_directly(provider, waiting, mind, claimed):
    provider.script(Behaviour(do="unfinished", on="batch", times=None))
    claim = claimed()
    with pytest.raises(BatchUnderWay):
        waiting(claim).ask_each(lot())

    assert colours(mind(claim, batch_thinking=True).ask_each(lot())) == ["blue"] * 3


def test_a_lot_that_takes_too_long_is_asked_directly(provider, waiting, claimed):
    provider.script(Behaviour(do="unfinished", on="batch", times=None))
    claim = claimed()
    with pytest.raises(BatchUnderWay):
        waiting(claim).ask_each(lot())

    assert colours(waiting(claim, batch_patience=timedelta(0)).ask_each(lot())) == ["blue"] * 3
    assert len(sent(provider, "messages")) == 3
    assert len(sent(provider)) == 1


def test_what_a_lot_does_not_answer_is_asked_directly(provider, waiting, claimed, accounts):
    provider.script(
        Behaviour(do="expire", on="batched", when="number 1"),
        Behaviour(do="fail", on="batched", status=529, when="number 2"),
    )
    claim = claimed()
    with pytest.raises(BatchUnderWay):
        waiting(claim).ask_each(lot())

    assert colours(waiting(claim).ask_each(lot())) == ["blue"] * 3
    assert len(sent(provider, "messages")) == 2
    assert sorted(call["outcome"] for call in accounts()) == ["answered"] * 3 + ["failed"] * 2


def test_a_bad_answer_in_a_lot_is_asked_again_directly(provider, waiting, claimed, accounts):
    provider.script(Behaviour(do="answer", text="rubbish", on="batched", when="number 1"))
    claim = claimed()
    with pytest.raises(BatchUnderWay):
        waiting(claim).ask_each(lot())

    assert colours(waiting(claim).ask_each(lot())) == ["blue"] * 3
    (again,) = sent(provider, "messages")
    assert "Try 2 of 3" in again.prompt
    assert sorted(call["outcome"] for call in accounts()) == ["answered"] * 3 + ["bad"]


def test_a_lot_that_may_not_have_arrived_is_sent_once_more(provider, waiting, claimed, store, user, being, accounts):
    claim = claimed()
    account = Account(user.user_id, being.being_id, claim.kind, claim.key, "platform")
    with store.transaction() as tx:
        batches.begin(tx, account, None, {prompt_hash(question("Like number 0?")).hex(): being.being_id})
    with pytest.raises(BatchUnderWay):
        waiting(claim).ask_each(lot())

    assert colours(waiting(claim).ask_each(lot())) == ["blue"] * 3
    assert len(sent(provider)) == 1
    assert len(accounts()) == 3


def test_a_lot_that_can_not_be_sent_leaves_nothing_in_the_accounts(provider, waiting, claimed, accounts):
    provider.script(Behaviour(do="fail", status=529, on="batches"))
    claim = claimed()
    with pytest.raises(Transient) as caught:
        waiting(claim).ask_each(lot())

    assert not isinstance(caught.value, BatchUnderWay)
    assert {(call["outcome"], call["cost"]) for call in accounts()} == {("failed", 0)}
    with pytest.raises(BatchUnderWay):
        waiting(claim).ask_each(lot())
    assert colours(waiting(claim).ask_each(lot())) == ["blue"] * 3


def test_a_world_that_changed_meanwhile_is_asked_about_directly(provider, waiting, claimed, accounts):
    claim = claimed()
    with pytest.raises(BatchUnderWay):
        waiting(claim).ask_each(lot())

    assert colours(waiting(claim).ask_each(lot(range(2, 5)))) == ["blue"] * 3
    assert len(sent(provider, "messages")) == 2
    assert {call["outcome"] for call in accounts()} == {"answered"}


def test_a_lot_is_collected_with_the_key_that_it_was_sent_with(provider, waiting, claimed, store, settings, user):
    claim = claimed()
    with pytest.raises(BatchUnderWay):
        waiting(claim).ask_each(lot())
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)

    assert colours(waiting(claim).ask_each(lot())) == ["blue"] * 3
    assert not sent(provider, "batch")
    assert len(sent(provider, "messages")) == 3


def test_what_the_budget_has_no_room_for_is_not_in_the_lot(waiting, claimed, accounts):
    claim = claimed()
    with pytest.raises(BatchUnderWay):
        waiting(claim, daily_tokens=400).ask_each(lot(range(30)))
    told = waiting(claim, daily_tokens=400).ask_each(lot(range(30)))

    assert {type(each).__name__ for each in told} == {"Answered", "BudgetSpent"}
    assert sum(call["input_tokens"] + call["output_tokens"] + call["cache_write_tokens"] for call in accounts()) <= 400
