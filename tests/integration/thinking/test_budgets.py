"""What a day may cost: never exceeded, however many ask at once."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from threading import Barrier

import pytest

from providers.errors import Transient
from store import calls, users
from store.errors import BudgetSpent
from tests.fakes.provider import Behaviour
from tests.integration.thinking.conftest import question

AT_ONCE = 8


def test_a_budget_is_not_exceeded_by_many_at_once(provider, mind, being, store, accounts):
    mind().ask(question("How much is one?"))
    (one,) = accounts()
    most = 5 * (one["input_tokens"] + one["output_tokens"] + one["cache_write_tokens"] + 100)
    with store.transaction() as tx:
        users.change_being(tx, being.being_id, {"daily_tokens": most})
    told = mind(thinking_calls=8).ask_each([(question(f"Like number {n}?"), lambda _: None) for n in range(30)])

    spent = sum(each["input_tokens"] + each["output_tokens"] + each["cache_write_tokens"] for each in accounts())
    assert spent <= most
    assert {type(each).__name__ for each in told} == {"Answered", "BudgetSpent"}
    assert len(provider.requests) == len(accounts())


def test_a_budget_in_money_ends_with_the_users_day(mind, accounts, clock):
    with pytest.raises(BudgetSpent, match="money") as caught:
        mind(daily_cost=Decimal("0.00000001")).ask(question())
    assert 0 < caught.value.retry_after <= 24 * 3600
    assert accounts() == []

    mind().ask(question())
    spent = accounts()[0]["cost"]
    room = spent + Decimal("0.0000001")
    with pytest.raises(BudgetSpent):
        mind(daily_cost=room).ask(question("And the sky?"))
    clock.advance(days=1)
    assert mind(daily_cost=Decimal(1)).ask(question("And the sky?")).answer.name == "blue"
    assert accounts()[0]["day"] + timedelta(days=1) == accounts()[1]["day"]


def test_a_budget_in_money_needs_a_price(mind):
    with pytest.raises(BudgetSpent, match="PATROL_PRICES"):
        mind(daily_cost=Decimal(100), small_thinking_model="claude-unheard-of").ask(question())


def test_a_beings_own_budget_comes_before_the_platforms(mind, store, being):
    with store.transaction() as tx:
        users.change_being(tx, being.being_id, {"daily_tokens": 0})
    with pytest.raises(BudgetSpent, match="tokens"):
        mind(daily_tokens=1_000_000).ask(question())


def test_a_call_whose_end_nobody_saw_counts_at_its_most(mind, store, being, user, accounts):
    account = calls.Account(user.user_id, being.being_id, "patrol.consolidate", "0", "platform")
    with store.transaction() as tx:
        calls.reserve(
            tx,
            account,
            purpose="colours",
            provider="anthropic",
            model="claude-haiku-5-5",
            batch=False,
            input_tokens=900,
            output_tokens=100,
            cost=Decimal(1),
            budget=calls.Budget(None, None),
        )
    assert accounts()[0]["outcome"] == "unknown"
    with pytest.raises(BudgetSpent):
        mind(daily_tokens=1050).ask(question())


def test_reservations_at_the_same_moment_see_each_other(store, being, user, accounts):
    account = calls.Account(user.user_id, being.being_id, "patrol.consolidate", "0", "platform")
    together = Barrier(AT_ONCE)

    def reserve(_):
        with store.transaction() as tx:
            together.wait()
            try:
                return calls.reserve(
                    tx,
                    account,
                    purpose="colours",
                    provider="anthropic",
                    model="claude-haiku-5-5",
                    batch=False,
                    input_tokens=90,
                    output_tokens=10,
                    cost=Decimal(1),
                    budget=calls.Budget(350, None),
                )
            except BudgetSpent:
                return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        reserved = [call for call in pool.map(reserve, range(AT_ONCE)) if call]

    assert len(reserved) == len(accounts()) == 3


@pytest.mark.parametrize(
    "behaviour",
    [Behaviour(do="hang"), Behaviour(do="drop"), Behaviour(do="garble")],
    ids=["no answer in time", "a lost connection", "an answer that is none"],
)
def test_what_may_be_charged_for_though_nobody_knows_counts_at_its_most(provider, mind, accounts, behaviour):
    provider.script(behaviour)
    with suppress(Transient):
        mind(thinking_timeout=0.5).ask(question())
    first = accounts()[0]

    assert first["outcome"] != "failed"
    assert first["cost"] > 0 < first["output_tokens"]


def test_what_never_reached_the_provider_costs_nothing(mind, accounts):
    with pytest.raises(Transient):
        mind(anthropic_base_url="http://127.0.0.1:1").ask(question())

    assert (accounts()[0]["outcome"], accounts()[0]["cost"]) == ("failed", 0)


@pytest.mark.parametrize(
    "lie",
    [
        {"usage": {"input_tokens": -(10**6), "output_tokens": 1}},
        {"usage": {"input_tokens": 10**30, "output_tokens": 1}},
        {"model": "claude\0"},
        {"model": "c" * 10_000},
    ],
    ids=["fewer than none", "more than fit", "a name with NUL", "a long name"],
)
def test_what_can_not_be_true_is_no_answer_and_counts_at_its_most(provider, mind, accounts, lie):
    provider.script(Behaviour(do="lie", fields=lie))

    assert mind().ask(question()).answer.name == "blue"
    lied, _ = accounts()
    assert lied["outcome"] == "bad"
    assert lied["cost"] > 0 < lied["output_tokens"]
