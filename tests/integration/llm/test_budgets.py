"""Daily budgets are never exceeded, also under concurrency."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from threading import Barrier
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from structlog.testing import capture_logs

from memory.upkeep.health import findings
from providers.errors import Transient
from schemas.errors import BudgetSpent, NotFound
from schemas.llm.prices import Price
from schemas.settings import Settings
from store.accounts import beings, users
from store.ledger import metrics
from store.llm import batches, budgets, calls, keys, responses
from tests.fakes.provider import Behaviour
from tests.integration.llm.conftest import question

AT_ONCE = 8


def test_concurrent_calls_do_not_exceed_a_budget(provider, mind, being, store, accounts):
    mind().ask(question("How much is one?"))
    (one,) = accounts()
    most = 5 * (one["input_tokens"] + one["output_tokens"] + one["cache_write_tokens"] + 100)
    with store.transaction() as tx:
        beings.change_being(tx, being.being_id, {"daily_tokens": most})
    told = mind(thinking_calls=8).ask_all([(question(f"Like number {n}?"), lambda _: None) for n in range(30)])

    spent = sum(each["input_tokens"] + each["output_tokens"] + each["cache_write_tokens"] for each in accounts())
    assert spent <= most
    assert {type(each).__name__ for each in told} == {"ValidAnswer", "BudgetSpent"}
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


@pytest.mark.parametrize(
    ("zone", "at", "hours"),
    [
        ("Europe/Berlin", "2031-03-29 00:00", 24),
        ("Europe/Berlin", "2031-03-30 00:00", 23),
        ("Europe/Berlin", "2031-10-26 00:00", 25),
        ("Europe/Berlin", "2031-10-26 23:00", 1),
        # At midnight the clock goes on to 01:00, or from 01:00 back to midnight.
        ("America/Santiago", "2024-09-07 00:00", 24),
        ("America/Santiago", "2024-09-08 01:00", 23),
        ("Atlantic/Azores", "2031-10-25 00:00", 24),
        ("Atlantic/Azores", "2031-10-26 00:00", 25),
        ("Australia/Lord_Howe", "2031-10-05 00:00", 23.5),
        ("UTC", "2031-03-30 00:00", 24),
    ],
)
def test_a_day_lasts_until_the_next_one_begins_in_the_users_time_zone(store, zone, at, hours):
    begins = datetime.fromisoformat(at).replace(tzinfo=ZoneInfo(zone))
    with store.transaction() as tx:
        ends = tx.value("select memory.day_end(%s, %s)", [begins, zone])
    assert (ends.timestamp() - begins.timestamp()) / 3600 == hours


def test_a_budget_lasts_for_all_of_a_day_of_25_hours(mind, store, user, clock):
    with store.transaction() as tx:
        users.change_user(tx, user.user_id, {"time_zone": "Europe/Berlin"})
    begins = datetime(2031, 10, 26, 0, 10, tzinfo=ZoneInfo("Europe/Berlin"))
    clock.advance(seconds=begins.timestamp() - clock.now().timestamp())

    def left(material):
        with pytest.raises(BudgetSpent) as caught:
            mind(daily_tokens=1).ask(question(material))
        return caught.value.retry_after / 3600

    assert left("And the sky?") == pytest.approx(24 + 50 / 60, abs=0.05)
    clock.advance(hours=24)
    assert left("And the sky?") == pytest.approx(50 / 60, abs=0.05)
    clock.advance(hours=1)
    assert left("And the sky?") == pytest.approx(23 + 50 / 60, abs=0.05)
    with store.transaction() as tx:
        days = tx.execute("select day::text from memory.budgets_reached order by day").fetchall()
    assert [row["day"] for row in days] == ["2031-10-26", "2031-10-27"]


def test_a_budget_in_money_needs_a_price(mind):
    with pytest.raises(BudgetSpent, match="PATROL_PRICES"):
        mind(daily_cost=Decimal(100), small_thinking_model="claude-unheard-of").ask(question())


def test_the_default_budget_bounds_money_and_lets_models_without_a_price_pass(mind, settings):
    assert settings.daily_cost == Decimal(5)
    assert mind(small_thinking_model="claude-unheard-of").ask(question()).answer.name == "blue"
    dear = {"claude-haiku-5-5": Price(input=Decimal(10**6))}
    with pytest.raises(BudgetSpent, match="money"):
        mind(prices=dear).ask(question("And the sky?"))
    assert mind(prices=dear, daily_cost=None).ask(question("And the sky?")).answer.name == "blue"


@pytest.mark.parametrize(("said", "meant"), [("none", None), ("2.5", Decimal("2.5")), ("", Decimal(5))])
def test_the_budget_is_set_by_a_word_or_a_number(monkeypatch, said, meant):
    monkeypatch.setenv("PATROL_DAILY_COST", said)
    assert Settings().daily_cost == meant
    assert ("daily_cost" in Settings().model_fields_set) == bool(said)


def test_an_exhausted_budget_is_logged_once_a_day_and_reported(mind, store, being, user, settings, clock):
    def health():
        (found,) = (each for each in findings(store, settings) if each.name == "daily budgets")
        assert found.good
        return found.words

    assert health() == "none reached"
    with capture_logs() as logged:
        for _ in range(3):
            with pytest.raises(BudgetSpent):
                mind(daily_tokens=1).ask(question())
    (event,) = [each for each in logged if each["event"] == "budget.reached"]
    assert (event["owner_id"], event["budget"]) == (str(being.being_id), "tokens")
    assert "1 reached today" in health()
    with store.transaction() as tx:
        (told,) = budgets.reached(tx, user_id=user.user_id)
        assert (told.being_id, told.lacking) == (being.being_id, "tokens")
        reached = {(row["budget"], row["lacking"]): row["owners"] for row in metrics.figure(tx, "budgets_reached")}
        assert {kind for kind, owners in reached.items() if owners} == {("being", "tokens")}
    clock.advance(days=1)
    assert health() == "none reached"
    with capture_logs() as logged, pytest.raises(BudgetSpent):
        mind(daily_tokens=1).ask(question())
    assert [each["event"] for each in logged] == ["budget.reached"]


def test_a_beings_own_budget_comes_before_the_platforms(mind, store, being):
    with store.transaction() as tx:
        beings.change_being(tx, being.being_id, {"daily_tokens": 0})
    with pytest.raises(BudgetSpent, match="tokens"):
        mind(daily_tokens=1_000_000).ask(question())


def test_an_unsettled_call_counts_at_its_reservation(mind, store, being, accounts):
    account = calls.Account(being.being_id, "patrol.consolidate", "0", "platform")
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
            limits={},
        )
    assert accounts()[0]["outcome"] == "unknown"
    with pytest.raises(BudgetSpent):
        mind(daily_tokens=1050).ask(question())


@pytest.mark.parametrize("call", ["a payer", "a call", "a chat completion", "an answer", "a batch"])
def test_nothing_is_entered_for_an_owner_that_is_gone(store, call):
    account = calls.Account(uuid4(), "patrol.consolidate", "0", "platform")
    most = {"provider": "anthropic", "model": "any", "input_tokens": 1, "output_tokens": 1, "cost": Decimal(1)}
    enter = {
        "a payer": lambda tx: keys.paying(tx, account.owner_id, None),
        "a call": lambda tx: calls.reserve(tx, account, **most, purpose="colours", batch=False, limits={}),
        "a chat completion": lambda tx: calls.reserve(tx, account, **most, purpose="chat", batch=False, limits=None),
        "an answer": lambda tx: responses.put(
            tx, account, b"hash", purpose="colours", model="any", completion="Blue.", defect=None
        ),
        "a batch": lambda tx: batches.begin(tx, account, None, {}),
    }
    with pytest.raises(NotFound), store.transaction() as tx:
        enter[call](tx)


def test_reservations_at_the_same_moment_see_each_other(store, being, accounts):
    account = calls.Account(being.being_id, "patrol.consolidate", "0", "platform")
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
                    limits={"being": calls.Budget(350, None)},
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
def test_a_call_that_may_be_charged_counts_at_its_reservation(provider, mind, accounts, behaviour):
    provider.script(behaviour)
    with suppress(Transient):
        mind(thinking_timeout=0.5).ask(question())
    first = accounts()[0]

    assert first["outcome"] != "failed"
    assert first["cost"] > 0 < first["output_tokens"]


def test_a_request_that_was_not_sent_costs_nothing(mind, accounts):
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
        {"model": "a-name-without-a-price"},
    ],
    ids=["fewer than none", "more than fit", "a name with NUL", "a long name", "a name without a price"],
)
def test_an_answer_with_an_impossible_usage_or_name_costs_what_was_asked(provider, mind, accounts, lie):
    provider.script(Behaviour(do="lie", fields=lie))

    assert mind().ask(question()).answer.name == "blue"
    (lied,) = accounts()
    assert (lied["outcome"], lied["model"]) == ("answered", "claude-haiku-5-5")
    assert lied["cost"] > 0 < lied["output_tokens"]
