"""Model sessions: an answer is paid once, stored before it is applied, and asked for again if it is invalid."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest

from memory.llm import keys
from providers.errors import BadAnswer, InputRefused, Transient
from providers.lease_guard import checking_each_request
from schemas.errors import LeaseLost, Withdrawn
from schemas.settings import Settings
from store.ledger import retention
from store.llm import calls, responses
from tests.conftest import PATIENCE
from tests.fakes.provider import Behaviour
from tests.integration.llm.conftest import THEIRS, a_reservation_waits, named, question
from workers.embedded.processes import wait_until


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


def test_an_unknown_price_is_null_and_not_zero(mind, accounts):
    mind(small_thinking_model="claude-unheard-of").ask(question())

    assert accounts()[0]["cost"] is None


def test_a_bad_answer_is_asked_for_again_with_what_was_wrong(provider, mind, accounts):
    provider.script(Behaviour(do="answer", text='{"nome": "blue"}'))

    assert mind().ask(question()).answer.name == "blue"
    first, second = (request.prompt for request in provider.requests)
    assert "name: Field required" in second
    assert "name: Field required" not in first
    assert [call["outcome"] for call in accounts()] == ["bad", "answered"]


def test_domain_validation_rejects_answers(provider, mind):
    def no_blue(colour):
        if colour.name == "blue":
            raise BadAnswer("Blue is taken.")

    provider.script(Behaviour(do="answer", text=named("blue")), Behaviour(do="answer", text=named("green")))
    assert mind().ask(question(), no_blue).answer.name == "green"
    assert "Blue is taken." in provider.requests[1].prompt


def test_a_further_request_shows_the_answer_before(provider, mind):
    provider.script(Behaviour(do="answer", text='{"nome": "<blue>"}'))
    mind().ask(question())

    assert '<your-answer>\n{"nome": "&lt;blue>"}\n</your-answer>' in provider.requests[1].prompt


def test_what_is_valid_of_the_last_answer_is_used(provider, mind, claimed):
    def only_green(colour):
        raise BadAnswer("Blue is taken.", valid=colour.model_copy(update={"name": "green"}))

    claim = claimed()
    assert [mind(claim).ask(question(), only_green).answer.name for _ in range(2)] == ["green", "green"]
    assert len(provider.requests) == 3


@pytest.mark.parametrize("how", [{"do": "answer", "text": "no JSON"}, {"do": "refuse"}, {"do": "truncate"}])
def test_three_bad_answers_are_enough_and_are_never_paid_for_again(provider, mind, claimed, how):
    provider.script(Behaviour(times=None, **({"text": named("blue")} | how)))
    claim = claimed()
    for _ in range(2):
        with pytest.raises(BadAnswer):
            mind(claim).ask(question())

    # A third answer that is cut off would cost as much, and say as little.
    assert len(provider.requests) == (2 if how["do"] == "truncate" else 3)


def test_transient_errors_are_not_stored_and_cost_nothing(provider, mind, accounts, clock):
    provider.script(Behaviour(do="fail", status=529, headers={"retry-after": "7"}))
    with pytest.raises(Transient) as caught:
        mind().ask(question())

    assert caught.value.retry_after == 7
    assert (accounts()[0]["outcome"], accounts()[0]["cost"]) == ("failed", 0)
    clock.advance(seconds=8)
    assert mind().ask(question()).answer.name == "blue"


def test_an_answer_about_what_was_withdrawn_meanwhile_is_not_stored(store, being, provider, mind, accounts, claimed):
    provider.script(Behaviour(do="hang", seconds=PATIENCE))
    claim = claimed()
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(mind(claim).ask, question())
        assert wait_until(lambda: provider.requests, PATIENCE)
        with store.transaction() as tx:
            calls.refuse_answers(tx, being.user_id)
        provider.release()
        with pytest.raises(Withdrawn):
            asked.result()

    with store.transaction() as tx:
        assert tx.value("select count(*) from memory.model_responses") == 0
    assert accounts()[0]["outcome"] == "answered"
    assert mind(claimed()).ask(question()).answer.name == "blue"


def test_work_that_was_claimed_before_a_withdrawal_asks_nothing_after_it(store, being, provider, mind, claimed):
    before = claimed()
    with ThreadPoolExecutor() as pool:
        with store.transaction() as tx:
            calls.refuse_answers(tx, being.user_id)
            asked = pool.submit(mind(before).ask, question())
            assert wait_until(lambda: a_reservation_waits(store), PATIENCE)
            meanwhile = claimed()
        with pytest.raises(Withdrawn):
            asked.result()
    with pytest.raises(Withdrawn):
        mind(meanwhile).ask(question())

    assert provider.requests == []
    assert mind(claimed()).ask(question()).answer.name == "blue"


def test_each_of_many_questions_gets_its_own_answer_or_error(provider, mind):
    provider.script(
        Behaviour(do="fail", status=400, when="the first"),
        Behaviour(do="answer", times=3, text="rubbish", when="second"),
    )
    told = mind().ask_all([(question(f"Like the {which}?"), lambda _: None) for which in ("first", "second", "third")])

    assert [type(each) for each in told[:2]] == [InputRefused, BadAnswer]
    assert told[2].answer.name == "blue"


def test_answered_questions_are_not_paid_again_when_one_has_to_wait(provider, mind, claimed, clock):
    provider.script(Behaviour(do="fail", status=429, when="number 3"))
    claim = claimed()
    questions = [(question(f"Like number {number}?"), lambda _: None) for number in range(6)]
    with pytest.raises(Transient):
        mind(claim, thinking_calls=1).ask_all(questions)
    clock.advance(seconds=11)
    # One request probes, and the rest is asked once it is answered.
    told = mind(claim, thinking_calls=1).ask_all(questions)

    assert {each.answer.name for each in told} == {"blue"}
    prompts = [request.prompt for request in provider.requests]
    assert len(prompts) == 7
    assert len({*prompts}) == 6


def test_a_worker_that_lost_its_lease_sends_no_request(provider, mind, accounts):
    def lost():
        raise LeaseLost("The lease is held by another now.")

    with checking_each_request(lost):
        with pytest.raises(LeaseLost):
            mind().ask(question())
        with pytest.raises(LeaseLost):
            mind().ask_all([(question(), lambda _: None)])
    assert provider.requests == accounts() == []


def test_responses_that_lineage_refers_to_are_kept(store, mind, being):
    kept, other = mind().ask(question()), mind().ask(question("And the sky?"))
    (expiring,) = (rows for rows in retention.expiring(Settings()) if rows.table == "model_responses")
    with store.transaction() as tx:
        responses.keep(tx, being.being_id, kept.response_id, [])
        assert retention.expire(tx, expiring, timedelta(0), 100) == 1
        rows = tx.execute("select response_id from memory.model_responses").fetchall()
    assert [row["response_id"] for row in rows] == [kept.response_id] != [other.response_id]


def test_concurrent_requests_of_one_question_store_one_answer(mind, claimed):
    claim = claimed()
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: mind(claim).ask(question()), range(4)))

    assert len({each.response_id for each in told}) == 1
