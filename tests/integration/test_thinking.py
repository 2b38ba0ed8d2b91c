"""Asking models for a unit of work: paid once, accounted for, within the budget, with the right key."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from uuid import uuid4

import pytest
from pydantic import BaseModel, ConfigDict

from memory import keys
from memory.thinking import Mind, NoMind, mind_for
from providers.errors import BadAnswer, InputRefused, Misconfigured, Transient
from providers.permission import each_request_needs
from providers.thinkers import Thinkers
from providers.thinking import Question
from schemas.settings import Settings
from store import calls, responses, users, work
from store.errors import BudgetSpent, LeaseLost
from tests.fakes.provider import Behaviour, running_provider

PLATFORM = "sk-ant-platform-0123456789"
THEIRS = "sk-ant-of-the-user-0123456789"
BROUGHT = "sk-ant-of-the-request-0123456789"
SECRET = "one secret of thirty-two letters or more"  # noqa: S105  # of these tests alone
HOUR = timedelta(hours=1)


class Colour(BaseModel):
    """A colour."""

    model_config = ConfigDict(extra="forbid")

    name: str


def question(material="What is the sea like?", purpose="colours"):
    return Question(purpose, "small", "Name a colour.", "", material, Colour, most_tokens=100)


def named(colour):
    return f'{{"name": "{colour}"}}'


@pytest.fixture
def provider():
    with running_provider(answer=lambda _: named("blue")) as running:
        yield running


@pytest.fixture
def settings(provider):
    return Settings(
        anthropic_base_url=provider.url,
        anthropic_api_key=PLATFORM,
        secret_key=SECRET,
        thinking_room=0,
        thinking_timeout=20,
    )


@pytest.fixture
def claimed(store, being):
    """Claim a unit of work, that was asked for with a key or without."""

    def claim(key=None, paid_by=None, owner_id=being.being_id):
        key = key or str(uuid4())
        with store.transaction() as tx:
            work.pay_with(tx, paid_by)
            work.ask(tx, owner_id, "patrol.consolidate", key, "patrol-llm")
            return work.claim(tx, owner_id, "patrol.consolidate", key, lease=HOUR, attempts=5)

    return claim


@pytest.fixture
def mind(store, settings, claimed):
    """Who thinks for a unit of work."""
    usual = Thinkers(settings)

    def made(claim=None, **changes):
        changed = settings.model_copy(update=changes)
        thinkers = Thinkers(changed) if changes else usual
        found = mind_for(store, thinkers, changed, claim or claimed())
        assert isinstance(found, Mind), found
        return found

    return made


@pytest.fixture
def accounts(store):
    """What is in the accounts, oldest call first."""

    def read():
        with store.transaction() as tx:
            return tx.execute("select * from memory.model_calls order by call_id").fetchall()

    return read


def test_an_answer_is_paid_for_once(provider, mind, claimed, accounts):
    claim = claimed()
    first = mind(claim).ask(question())
    again = mind(claim).ask(question())

    assert first.answer.name == "blue"
    assert again == first
    assert len(provider.requests) == len(accounts()) == 1


def test_another_unit_of_work_asks_for_itself(provider, mind, claimed):
    mind(claimed("1")).ask(question())
    mind(claimed("2")).ask(question())

    assert len(provider.requests) == 2


def test_what_was_paid_for_with_one_key_is_not_paid_for_with_another(provider, mind, claimed, store, settings, user):
    claim = claimed()
    mind(claim).ask(question())
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)

    assert mind(claim).ask(question()).answer.name == "blue"
    assert len(provider.requests) == 1


def test_a_call_is_in_the_accounts_with_what_it_used_and_cost(mind, accounts, being, user):
    mind().ask(question())
    (call,) = accounts()

    assert (call["user_id"], call["being_id"], call["kind"]) == (user.user_id, being.being_id, "patrol.consolidate")
    assert (call["purpose"], call["provider"], call["model"]) == ("colours", "anthropic", "claude-haiku-5-5")
    assert (call["outcome"], call["paid_with"], call["batch"]) == ("answered", "platform", False)
    used = call["input_tokens"] + call["cache_write_tokens"] + call["cache_read_tokens"]
    assert used > 0 < call["output_tokens"]
    assert Decimal(0) < call["cost"] < Decimal("0.001")


def test_a_price_that_nobody_knows_is_unknown_and_not_nothing(mind, accounts):
    mind(small_thinking_model="claude-unheard-of").ask(question())

    assert accounts()[0]["cost"] is None


def test_a_bad_answer_is_asked_for_again_with_what_was_wrong(provider, mind, accounts):
    provider.script(Behaviour(do="answer", text='{"nome": "blue"}'))

    assert mind().ask(question()).answer.name == "blue"
    first, second = (request.prompt for request in provider.requests)
    assert "name: Field required" in second
    assert "name: Field required" not in first
    assert [call["outcome"] for call in accounts()] == ["bad", "answered"]


def test_the_domain_refuses_answers_too(provider, mind):
    def no_blue(colour):
        if colour.name == "blue":
            raise BadAnswer("Blue is taken.")

    provider.script(Behaviour(do="answer", text=named("blue")), Behaviour(do="answer", text=named("green")))
    assert mind().ask(question(), no_blue).answer.name == "green"
    assert "Blue is taken." in provider.requests[1].prompt


@pytest.mark.parametrize("how", [{"do": "answer", "text": "no JSON"}, {"do": "refuse"}, {"do": "truncate"}])
def test_three_bad_answers_are_enough_and_are_never_paid_for_again(provider, mind, claimed, how):
    provider.script(Behaviour(times=None, **({"text": named("blue")} | how)))
    claim = claimed()
    for _ in range(2):
        with pytest.raises(BadAnswer):
            mind(claim).ask(question())

    assert len(provider.requests) == 3


def test_what_passes_is_not_kept_and_costs_nothing(provider, mind, accounts):
    provider.script(Behaviour(do="fail", status=529, headers={"retry-after": "7"}))
    with pytest.raises(Transient) as caught:
        mind().ask(question())

    assert caught.value.retry_after == 7
    assert (accounts()[0]["outcome"], accounts()[0]["cost"]) == ("failed", 0)
    assert mind().ask(question()).answer.name == "blue"


def test_of_many_questions_each_gets_its_own_answer_or_its_own_trouble(provider, mind):
    provider.script(
        Behaviour(do="fail", status=400, when="the first"),
        Behaviour(do="answer", times=3, text="rubbish", when="second"),
    )
    told = mind().ask_each([(question(f"Like the {which}?"), lambda _: None) for which in ("first", "second", "third")])

    assert [type(each) for each in told[:2]] == [InputRefused, BadAnswer]
    assert told[2].answer.name == "blue"


def test_of_many_questions_none_is_paid_for_twice_though_one_had_to_wait(provider, mind, claimed):
    provider.script(Behaviour(do="fail", status=429, when="number 3"))
    claim = claimed()
    questions = [(question(f"Like number {number}?"), lambda _: None) for number in range(6)]
    with pytest.raises(Transient):
        mind(claim).ask_each(questions)
    told = mind(claim).ask_each(questions)

    assert {each.answer.name for each in told} == {"blue"}
    prompts = [request.prompt for request in provider.requests]
    assert len(prompts) == 7
    assert len({*prompts}) == 6


def test_who_has_lost_the_lease_asks_nobody(provider, mind, accounts):
    def lost():
        raise LeaseLost("The lease is held by another now.")

    with each_request_needs(lost):
        with pytest.raises(LeaseLost):
            mind().ask(question())
        with pytest.raises(LeaseLost):
            mind().ask_each([(question(), lambda _: None)])
    assert provider.requests == accounts() == []


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


def test_the_requests_key_comes_first_then_the_users_then_the_platforms(mind, store, settings, user, claimed, accounts):
    def paid(key, paid_by=None):
        mind(claimed(key, paid_by)).ask(question())
        return accounts()[-1]["paid_with"]

    assert paid("1") == "platform"
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    assert paid("2") == "user"
    brought = keys.bring(store, settings, user.user_id, "anthropic", BROUGHT)
    assert paid("3", brought) == "request"
    assert paid("4") == "user"
    expired = keys.bring(
        store, settings.model_copy(update={"request_key_life": timedelta(0)}), user.user_id, "anthropic", BROUGHT + "9"
    )
    assert paid("5", expired) == "user"


def test_each_key_is_sent_as_it_was_given(provider, mind, store, settings, user):
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    mind().ask(question())

    assert provider.requests[0].key_sha256 == sha256(THEIRS.encode()).hexdigest()


def test_a_refused_key_of_the_users_ends_thinking_and_charges_nobody_else(provider, store, settings, user, claimed):
    keys.add(store, settings, user.user_id, "anthropic", "wrong-key-of-the-user-0123")
    thinkers, claim = Thinkers(settings), claimed()
    first = mind_for(store, thinkers, settings, claim)
    assert isinstance(first, Mind)
    with pytest.raises(Transient, match="key"):
        first.ask(question())
    second = mind_for(store, thinkers, settings, claim)

    assert isinstance(second, NoMind)
    assert re.search(r"refuses the key that ends in 0123: .*401", second.reason)
    assert len(provider.requests) == 1
    keys.add(store, settings, user.user_id, "anthropic", "wrong-key-of-the-user-0123")
    assert isinstance(mind_for(store, thinkers, settings, claim), Mind), "stored again, it is tried again"


def test_a_platform_key_that_is_refused_is_a_setting_to_mend(mind):
    with pytest.raises(Misconfigured, match="ANTHROPIC_API_KEY"):
        mind(anthropic_api_key=Settings(anthropic_api_key="wrong").anthropic_api_key).ask(question())


def test_without_a_key_nobody_thinks(store, claimed, settings):
    without = settings.model_copy(update={"anthropic_api_key": None})

    assert mind_for(store, Thinkers(without), without, claimed()) == NoMind("no key")


def test_users_can_have_work_of_their_own(user, mind, claimed, accounts):
    mind(claimed(owner_id=user.user_id)).ask(question())

    assert (accounts()[0]["being_id"], accounts()[0]["owner_id"]) == (None, user.user_id)


def test_what_lineage_needs_outlives_the_rest(store, mind, being):
    kept, other = mind().ask(question()), mind().ask(question("And the sky?"))
    with store.transaction() as tx:
        responses.keep(tx, being.being_id, [kept.response_id])
        assert responses.clear(tx, timedelta(0), 100) == 1
        rows = tx.execute("select response_id from memory.model_responses").fetchall()
    assert [row["response_id"] for row in rows] == [kept.response_id] != [other.response_id]


def test_work_passes_on_who_pays(store, being, claimed):
    key_id = uuid4()
    claim = claimed("1", key_id)
    with store.finishing(claim) as tx:
        work.ask(tx, being.being_id, "patrol.revive", "1", "patrol")
    with store.transaction() as tx:
        following = work.claim(tx, being.being_id, "patrol.revive", "1", lease=HOUR, attempts=5)
        work.ask(tx, being.being_id, "patrol.other", "1", "patrol")
        unpaid = work.claim(tx, being.being_id, "patrol.other", "1", lease=HOUR, attempts=5)

    assert claim.paid_by == following.paid_by == key_id
    assert unpaid.paid_by is None


def test_parallel_asks_of_one_question_keep_one_answer(mind, claimed):
    claim = claimed()
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: mind(claim).ask(question()), range(4)))

    assert len({each.response_id for each in told}) == 1
