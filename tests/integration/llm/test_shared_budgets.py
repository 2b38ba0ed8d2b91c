"""The budgets of a user and of the platform, beside the Being's: every call is under all that bound it."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier

import pytest
from structlog.testing import capture_logs

from memory.accounts import erasure
from memory.llm import spending
from memory.upkeep.health import findings
from schemas.errors import BudgetSpent
from store.accounts import beings, users
from store.llm import budgets, calls
from tests.integration.llm.conftest import question

DOLLAR = Decimal(1)
AT_ONCE = 12


@pytest.fixture
def reserve(store):
    """Reserve a call of a dollar and a hundred tokens under limits; returns its id."""

    def reserved(owner_id, *, cost=DOLLAR, purpose="colours", paid_with="platform", **limits):
        with budgets.noted(store), store.transaction() as tx:
            return calls.reserve(
                tx,
                calls.Account(owner_id, None, None, paid_with),
                purpose=purpose,
                provider="anthropic",
                model="any",
                batch=False,
                input_tokens=90,
                output_tokens=10,
                cost=cost,
                limits=limits,
            )

    return reserved


@pytest.fixture
def sibling(store, user):
    with store.transaction() as tx:
        return beings.add_being(tx, user.user_id, "sibling", "Sibling")


@pytest.fixture
def stranger(store):
    with store.transaction() as tx:
        return beings.add_being(tx, users.add_user(tx, "Stranger", "Asia/Tokyo").user_id, "other", "Other")


def dollars(most):
    return calls.Budget(None, Decimal(most))


def test_a_users_budget_bounds_the_calls_of_all_their_beings_together(reserve, being, sibling, stranger, user):
    reserve(being.being_id, user=dollars(2))
    reserve(user.user_id, user=dollars(2))
    with pytest.raises(BudgetSpent, match="in money of the user is spent") as refused:
        reserve(sibling.being_id, user=dollars(2))
    assert refused.value.budget == "user"
    reserve(stranger.being_id, user=dollars(2))


def test_a_user_s_own_budget_comes_before_that_of_the_settings(store, reserve, being, user):
    with store.transaction() as tx:
        users.change_user(tx, user.user_id, {"daily_tokens": 150})
    reserve(being.being_id, user=calls.Budget(10**6, None))
    with pytest.raises(BudgetSpent, match="in tokens of the user"):
        reserve(being.being_id, user=calls.Budget(10**6, None))


def test_the_platforms_budget_bounds_what_its_keys_pay_for_whoever_asks(reserve, being, stranger):
    limits = {"platform": dollars(2)}
    reserve(being.being_id, **limits)
    reserve(stranger.being_id, paid_with="user", **limits)
    reserve(stranger.being_id, purpose="chat", **limits)
    with pytest.raises(BudgetSpent, match="in money of the platform is spent"):
        reserve(being.being_id, **limits)
    reserve(being.being_id, paid_with="request", **limits)


@pytest.mark.parametrize("budget", ["platform", "user", "proxy", "being"])
def test_a_chat_completion_on_the_platform_s_key_is_under_every_budget(reserve, being, budget):
    reserve(being.being_id, purpose="chat", **{budget: dollars(1)})
    with pytest.raises(BudgetSpent) as refused:
        reserve(being.being_id, purpose="chat", **{budget: dollars(1)})
    assert refused.value.budget == budget
    reserve(being.being_id, purpose="chat", paid_with="user", **{budget: dollars(1)})


def test_the_platform_s_day_is_utc_s_and_a_user_s_their_own(reserve, stranger, clock):
    """In Tokyo the day ends nine hours earlier."""
    begins = clock.now().replace(hour=0, minute=5) - clock.now()
    clock.advance(days=1, seconds=begins.total_seconds())
    both = {"platform": dollars(1), "user": dollars(1)}
    reserve(stranger.being_id, **both)
    clock.advance(hours=16)
    with pytest.raises(BudgetSpent) as refused:
        reserve(stranger.being_id, **both)
    assert (refused.value.budget, refused.value.retry_after) == ("platform", pytest.approx(7 * 3600 + 55 * 60, abs=60))
    clock.advance(hours=8)
    reserve(stranger.being_id, **both)


def test_a_settled_call_counts_what_it_cost(store, reserve, being):
    def settle(call_id, **used):
        with store.transaction() as tx:
            calls.settle(tx, being.being_id, call_id, "answered", **used)

    limits = {"platform": dollars(1), "user": dollars(1)}
    settle(reserve(being.being_id, **limits), input_tokens=5, cost=Decimal("0.25"))
    settle(reserve(being.being_id, cost=Decimal("0.75"), **limits), cost=Decimal("0.5"))
    with pytest.raises(BudgetSpent):
        reserve(being.being_id, cost=Decimal("0.26"), **limits)
    reserve(being.being_id, cost=Decimal("0.25"), **limits)


def test_an_erased_being_leaves_its_spending(store, reserve, being, sibling):
    limits = {"platform": dollars(1), "user": dollars(1)}
    reserve(sibling.being_id, **limits)
    erasure.erase_being(store, sibling)
    for budget, limit in limits.items():
        with pytest.raises(BudgetSpent):
            reserve(being.being_id, **{budget: limit})


def test_a_budget_in_money_refuses_a_call_without_a_price(reserve, being):
    for budget in ("platform", "user"):
        with pytest.raises(BudgetSpent, match="PATROL_PRICES"):
            reserve(being.being_id, cost=None, **{budget: dollars(5)})


def test_calls_at_the_same_moment_exceed_no_budget_and_wait_for_no_ring(store, reserve, being, sibling, stranger):
    together = Barrier(AT_ONCE)
    limits = {"platform": dollars(5), "user": dollars(3), "proxy": dollars(2), "being": dollars(2)}
    owners = [being, sibling, stranger]

    def one(number):
        together.wait()
        try:
            reserve(owners[number % 3].being_id, purpose="chat" if number % 2 else "colours", **limits)
        except BudgetSpent as refused:
            return refused.budget
        return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        refused = list(pool.map(one, range(AT_ONCE)))
    assert refused.count(None) == 5
    with store.transaction() as tx:
        rows = tx.execute("select user_id, sum(cost) as cost from memory.spending group by user_id").fetchall()
    spent = {row["user_id"]: row["cost"] for row in rows}
    assert spent[None] == 5
    assert spent[being.user_id] <= 3
    assert spent[stranger.user_id] <= 2


def test_the_log_warns_once_a_day_when_a_budget_is_spent_to_80_percent(reserve, being, clock):
    limits = {"platform": dollars(5), "user": dollars(100)}

    def warned(times):
        with capture_logs() as logged:
            for _ in range(times):
                reserve(being.being_id, **limits)
        return [each["budget"] for each in logged if each["event"] == "budget.nearly_spent"]

    assert warned(3) == []
    assert warned(2) == ["platform"]
    clock.advance(days=1)
    assert warned(4) == ["platform"]


def test_what_is_spent_of_each_budget_is_told(store, being, stranger, reserve, settings):
    settings = settings.model_copy(
        update={"platform_daily_cost": Decimal(10), "user_daily_cost": Decimal("1.25"), "proxy_daily_cost": None}
    )
    limits = budgets.limits(settings)
    reserve(being.being_id, **limits)
    reserve(stranger.being_id, **limits)
    with pytest.raises(BudgetSpent):
        reserve(being.being_id, **limits)

    every = {
        (each.budget, each.being_id or each.user_id): (each.state, each.spent_cost, each.limit_cost)
        for each in spending.page(store, settings, None, None, since=None, shows_platform=True).budgets
        if each.spent_cost
    }
    assert every == {
        ("platform", None): ("open", 2, 10),
        ("user", being.user_id): ("reached", 1, Decimal("1.25")),
        ("user", stranger.user_id): ("near", 1, Decimal("1.25")),
        ("being", being.being_id): ("open", 1, 5),
        ("being", stranger.being_id): ("open", 1, 5),
    }
    shown = spending.page(store, settings, being.user_id, being.being_id, since=None).budgets
    assert [(each.budget, each.spent_cost) for each in shown] == [("platform", None), ("user", 1), ("being", 1)]
    (found,) = (each.words for each in findings(store, settings) if each.name == "daily budgets")
    assert "1 reached today" in found
    assert "1 spent to 80 % or more" in found


def test_work_with_a_model_is_under_the_platform_s_budget(mind, accounts):
    mind(platform_daily_cost=DOLLAR).ask(question())
    spent = accounts()[0]["cost"]
    with pytest.raises(BudgetSpent, match="of the platform"):
        mind(platform_daily_cost=spent).ask(question("And the sky?"))
    with pytest.raises(BudgetSpent, match="of the user"):
        mind(user_daily_cost=spent).ask(question("And the sky?"))
