"""Provider batches: submitted once, collected once, half the price, and direct requests for what they don't answer."""

from datetime import timedelta

import pytest

from memory.llm import keys
from memory.llm.call_ledger import prompt_hash
from memory.llm.provider_batches import BatchPending
from providers.completion import Usage
from providers.errors import Transient
from providers.prices import cost_of
from store.llm import batches
from store.llm.calls import Account
from tests.fakes.provider import Behaviour
from tests.integration.llm.conftest import THEIRS, question

NUMBERS = range(3)


def lot(numbers=NUMBERS):
    return [(question(f"Like number {number}?"), lambda _: None) for number in numbers]


@pytest.fixture
def waiting(mind):
    """Open a model session for work that no caller waits for."""

    def made(claim, **changes):
        return mind(claim, awaited=False, batch_thinking=True, **changes)

    return made


def sent(provider, endpoint="batches"):
    return [request for request in provider.requests if request.endpoint == endpoint]


def colours(told):
    return [each.answer.name for each in told]


def test_a_provider_batch_is_submitted_and_collected_once_at_half_price(provider, waiting, claimed, accounts, settings):
    provider.script(Behaviour(do="unfinished", on="batch"))
    claim = claimed()
    for _ in range(2):
        with pytest.raises(BatchPending) as caught:
            waiting(claim).ask_all(lot())
    assert caught.value.retry_after == 60
    assert colours(waiting(claim).ask_all(lot())) == ["blue"] * 3
    assert colours(waiting(claim).ask_all(lot())) == ["blue"] * 3

    assert len(sent(provider)) == 1
    assert not sent(provider, "messages")
    assert {(call["batch"], call["outcome"]) for call in accounts()} == {(True, "answered")}
    for call in accounts():
        used = Usage(*(call[f"{kind}_tokens"] for kind in ("input", "output", "cache_read", "cache_write")))
        assert 2 * call["cost"] == cost_of(call["model"], used, settings.prices) > 0


def test_awaited_work_uses_no_provider_batch(provider, mind):
    assert colours(mind(batch_thinking=True).ask_all(lot())) == ["blue"] * 3
    assert not sent(provider)


def pending(session):
    with pytest.raises(BatchPending) as caught:
        session.ask_all(lot())
    return caught.value.retry_after


def outcomes(accounts):
    return sorted((call["outcome"], call["batch"]) for call in accounts())


def test_a_finished_batch_is_collected_where_a_caller_waits(provider, waiting, mind, claimed):
    claim = claimed()
    pending(waiting(claim))

    assert colours(mind(claim).ask_all(lot())) == ["blue"] * 3
    assert len(sent(provider)) == 1
    assert not sent(provider, "messages")
    assert not sent(provider, "batch_cancel")


def test_a_batch_is_cancelled_once_a_caller_waits_and_its_answers_are_used(provider, waiting, mind, claimed, accounts):
    provider.script(
        Behaviour(do="unfinished", on="batch", times=2), Behaviour(do="early", on="batched", when="number 1")
    )
    claim = claimed()
    pending(waiting(claim))
    assert [pending(mind(claim)), pending(mind(claim))] == [5, 5]

    assert colours(mind(claim).ask_all(lot())) == ["blue"] * 3
    assert len(sent(provider, "batch_cancel")) == 1
    assert sorted(question.prompt.count("number 1") for question in sent(provider, "messages")) == [0, 0]
    assert outcomes(accounts) == [("answered", False)] * 2 + [("answered", True)] + [("failed", True)] * 2
    assert all(call["cost"] == 0 for call in accounts() if call["outcome"] == "failed")


def test_a_late_batch_is_cancelled_and_the_rest_is_asked_directly(provider, waiting, claimed, accounts):
    provider.script(Behaviour(do="unfinished", on="batch"), Behaviour(do="early", on="batched", when="number 2"))
    claim = claimed()
    pending(waiting(claim))
    late = {"batch_patience": timedelta(0)}
    assert pending(waiting(claim, **late)) == 5

    assert colours(waiting(claim, **late).ask_all(lot())) == ["blue"] * 3
    assert len(sent(provider, "messages")) == 2
    assert len(sent(provider)) == len(sent(provider, "batch_cancel")) == 1
    assert {call["outcome"] for call in accounts()} == {"answered", "failed"}


def test_a_batch_that_does_not_end_when_cancelled_is_given_up_and_counts_at_its_reservation(
    store, provider, waiting, mind, claimed, accounts
):
    provider.script(Behaviour(do="unfinished", on="batch", times=None))
    claim = claimed()
    pending(waiting(claim))
    pending(mind(claim))

    with store.transaction() as tx:
        tx.execute("update memory.provider_batches set cancelled_at = cancelled_at - interval '6 minutes'")
    assert colours(mind(claim).ask_all(lot())) == ["blue"] * 3
    assert outcomes(accounts) == [("answered", False)] * 3 + [("unknown", True)] * 3
    assert all(call["cost"] > 0 for call in accounts())


def test_a_batch_that_ended_before_it_could_be_cancelled_is_collected(provider, waiting, mind, claimed):
    provider.script(
        Behaviour(do="unfinished", on="batch"),
        Behaviour(do="fail", status=400, on="batch_cancel"),
        Behaviour(do="early", on="batched", times=None),
    )
    claim = claimed()
    pending(waiting(claim))
    pending(mind(claim))

    assert colours(mind(claim).ask_all(lot())) == ["blue"] * 3
    assert not sent(provider, "messages")


def test_a_provider_that_cannot_be_polled_keeps_its_batch_until_it_is_late(provider, waiting, claimed):
    claim = claimed()
    pending(waiting(claim))
    provider.script(Behaviour(do="fail", status=529, on="batch", times=2))
    assert pending(waiting(claim)) == 60
    with pytest.raises(Transient) as caught:
        waiting(claim, batch_patience=timedelta(0)).ask_all(lot())
    assert not isinstance(caught.value, BatchPending)

    assert colours(waiting(claim).ask_all(lot())) == ["blue"] * 3
    assert not sent(provider, "messages")


def test_questions_that_a_batch_left_unanswered_are_asked_directly(provider, waiting, claimed, accounts):
    provider.script(
        Behaviour(do="expire", on="batched", when="number 1"),
        Behaviour(do="fail", on="batched", status=529, when="number 2"),
    )
    claim = claimed()
    with pytest.raises(BatchPending):
        waiting(claim).ask_all(lot())

    assert colours(waiting(claim).ask_all(lot())) == ["blue"] * 3
    assert len(sent(provider, "messages")) == 2
    assert sorted(call["outcome"] for call in accounts()) == ["answered"] * 3 + ["failed"] * 2


def test_a_bad_answer_in_a_batch_is_asked_again_directly(provider, waiting, claimed, accounts):
    provider.script(Behaviour(do="answer", text="rubbish", on="batched", when="number 1"))
    claim = claimed()
    with pytest.raises(BatchPending):
        waiting(claim).ask_all(lot())

    assert colours(waiting(claim).ask_all(lot())) == ["blue"] * 3
    (again,) = sent(provider, "messages")
    assert "Try 2 of 3" in again.prompt
    assert sorted(call["outcome"] for call in accounts()) == ["answered"] * 3 + ["bad"]


def test_a_batch_whose_submission_crashed_is_submitted_again(provider, waiting, claimed, store, being, accounts):
    claim = claimed()
    account = Account(being.being_id, claim.kind, claim.key, "platform")
    with store.transaction() as tx:
        batches.begin(tx, account, None, {prompt_hash(question("Like number 0?")).hex(): being.being_id})
    with pytest.raises(BatchPending):
        waiting(claim).ask_all(lot())

    assert colours(waiting(claim).ask_all(lot())) == ["blue"] * 3
    assert len(sent(provider)) == 1
    assert len(accounts()) == 3


def test_a_batch_that_fails_to_submit_costs_nothing(provider, waiting, claimed, accounts, clock):
    provider.script(Behaviour(do="fail", status=529, on="batches"))
    claim = claimed()
    with pytest.raises(Transient) as caught:
        waiting(claim).ask_all(lot())

    assert not isinstance(caught.value, BatchPending)
    assert {(call["outcome"], call["cost"]) for call in accounts()} == {("failed", 0)}
    clock.advance(seconds=11)
    with pytest.raises(BatchPending):
        waiting(claim).ask_all(lot())
    assert colours(waiting(claim).ask_all(lot())) == ["blue"] * 3


def test_questions_that_changed_since_submission_are_asked_directly(provider, waiting, claimed, accounts):
    claim = claimed()
    with pytest.raises(BatchPending):
        waiting(claim).ask_all(lot())

    assert colours(waiting(claim).ask_all(lot(range(2, 5)))) == ["blue"] * 3
    assert len(sent(provider, "messages")) == 2
    assert {call["outcome"] for call in accounts()} == {"answered"}


def test_a_batch_is_collected_with_the_key_that_submitted_it(provider, waiting, claimed, store, settings, user):
    claim = claimed()
    with pytest.raises(BatchPending):
        waiting(claim).ask_all(lot())
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)

    assert colours(waiting(claim).ask_all(lot())) == ["blue"] * 3
    assert not sent(provider, "batch")
    assert len(sent(provider, "messages")) == 3


def test_questions_over_the_budget_are_left_out_of_the_batch(waiting, claimed, accounts):
    claim = claimed()
    with pytest.raises(BatchPending):
        waiting(claim, daily_tokens=400).ask_all(lot(range(30)))
    told = waiting(claim, daily_tokens=400).ask_all(lot(range(30)))

    assert {type(each).__name__ for each in told} == {"ValidAnswer", "BudgetSpent"}
    assert sum(call["input_tokens"] + call["output_tokens"] + call["cache_write_tokens"] for call in accounts()) <= 400
