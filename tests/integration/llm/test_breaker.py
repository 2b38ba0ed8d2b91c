"""A provider that is away: one breaker for each provider and key, one probe, and other keys go on."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.llm import keys
from memory.llm.payer import LlmUnavailable
from memory.upkeep.health import away_providers, findings
from providers.errors import BadAnswer, Misconfigured, Transient
from schemas.errors import BudgetSpent, Withdrawn
from store.llm import calls
from tests.conftest import PATIENCE, make_user
from tests.fakes.provider import Behaviour
from tests.integration.llm.conftest import SECRET, THEIRS, a_reservation_waits, named, opened, question
from tests.scenes import make_being
from workers.embedded.processes import wait_until

DOWN = Behaviour(do="fail", status=529, times=None)


@pytest.fixture
def others_being(store):
    """A Being of another user's."""
    with store.transaction() as tx:
        return make_being(tx, make_user(tx))


@pytest.fixture
def requests(provider):
    """Count the requests since the last count."""
    counted = 0

    def count():
        nonlocal counted
        new = len(provider.requests) - counted
        counted += new
        return new

    return count


@pytest.fixture
def found(store, settings, thinkers, claimed):
    """Open a session for another unit of work, or say why there is none."""

    def open_one(claim=None):
        return opened(store, thinkers(settings), settings, claim or claimed())

    return open_one


def many(count):
    return [(question(f"What is sea number {number} like?"), lambda _: None) for number in range(count)]


def test_a_failed_request_keeps_all_work_from_asking_until_a_probe_is_answered(provider, mind, found, clock, requests):
    waits = mind()
    provider.script(DOWN)
    with pytest.raises(Transient):
        waits.ask(question())
    assert requests() == 1

    unavailable = found()
    assert isinstance(unavailable, LlmUnavailable)
    assert unavailable.away
    assert "anthropic is away since" in unavailable.reason
    # A session that was open already sends nothing either.
    with pytest.raises(Transient, match="is away since") as away:
        waits.ask(question())
    assert 0 < away.value.retry_after <= 10
    assert requests() == 0

    provider.reset()
    requests()
    clock.advance(seconds=11)
    assert found().ask(question()).answer.name == "blue"
    assert found().ask(question()).answer.name == "blue"


@pytest.mark.parametrize(
    "failure",
    [
        Behaviour(do="drop", times=None),
        Behaviour(do="fail", status=503, times=None),
        Behaviour(do="fail", status=401, times=None),
        Behaviour(do="fail", status=402, times=None),
        Behaviour(do="fail", status=400, message="Your credit balance is too low to access the API.", times=None),
        Behaviour(do="fail", status=429, code="insufficient_quota", times=None),
    ],
    ids=lambda failure: f"{failure.do} {failure.status} {failure.code}",
)
def test_one_request_at_a_time_probes_and_waits_grow(provider, mind, found, clock, requests, failure):
    first = mind()
    provider.script(failure)
    with pytest.raises((Transient, Misconfigured)):
        first.ask(question())
    assert requests() == 1
    for pause, least_pause in ((11, 19), (21, 39), (41, 79)):
        clock.advance(seconds=pause)
        session = found()
        with pytest.raises((Transient, Misconfigured)):
            session.ask_all(many(6))
        assert requests() == 1
        clock.advance(seconds=least_pause - 1)
        assert isinstance(found(), LlmUnavailable)
        clock.advance(seconds=1 - least_pause)


def test_a_user_who_withdraws_keeps_no_other_user_from_the_probe(
    store, being, provider, mind, found, clock, claimed, others_being
):
    provider.script(DOWN)
    with pytest.raises(Transient):
        mind().ask(question())
    provider.reset()
    clock.advance(seconds=11)
    before, others = found(), found(claimed(owner_id=others_being.being_id))
    with ThreadPoolExecutor() as pool:
        with store.transaction() as tx:
            calls.refuse_answers(tx, being.user_id)
            asked = pool.submit(before.ask, question())
            assert wait_until(lambda: a_reservation_waits(store), PATIENCE)
            answered = pool.submit(others.ask, question()).result(PATIENCE)
        assert answered.answer.name == "blue"
        with pytest.raises(Withdrawn):
            asked.result()


@pytest.mark.parametrize(("tokens", "refusal"), [(5, BudgetSpent), (None, Transient)])
def test_a_call_that_is_not_made_leaves_no_reservation_and_no_probe(
    provider, mind, found, clock, accounts, tokens, refusal
):
    provider.script(DOWN)
    waits = mind(daily_tokens=tokens)
    with pytest.raises(Transient):
        mind().ask(question())
    if tokens:
        clock.advance(seconds=11)
    with pytest.raises(refusal):
        waits.ask(question("Another sea?"))
    assert [call["outcome"] for call in accounts()] == ["failed"]
    provider.reset()
    clock.advance(seconds=11)
    assert found().ask(question()).answer.name == "blue"


def test_a_wait_that_the_provider_asks_for_is_kept(provider, mind, found, clock):
    session = mind()
    provider.script(Behaviour(do="fail", status=429, headers={"retry-after": "1200"}, times=1))
    with pytest.raises(Transient):
        session.ask(question())
    clock.advance(seconds=1190)
    assert isinstance(found(), LlmUnavailable)
    clock.advance(seconds=11)
    assert found().ask(question()).answer.name == "blue"


def test_a_bad_answer_of_a_probe_shows_that_the_provider_is_back(provider, mind, found, clock):
    session = mind()
    provider.script(Behaviour(do="fail", status=500))
    with pytest.raises(Transient):
        session.ask(question())
    clock.advance(seconds=11)
    provider.script(Behaviour(do="refuse", times=3))
    with pytest.raises(BadAnswer):
        found().ask(question())
    assert found().ask(question("Another sea?")).answer.name == "blue"


@pytest.mark.parametrize(
    "failure",
    [
        Behaviour(do="fail", status=401),
        Behaviour(do="fail", status=402),
        Behaviour(do="fail", status=429, code="insufficient_quota"),
        Behaviour(do="fail", status=400, message="Your credit balance is too low to access the API."),
        Behaviour(do="fail", status=529),
    ],
    ids=lambda failure: f"{failure.status} {failure.code}",
)
def test_one_users_key_is_closed_alone_and_health_stays_good(
    store, settings, provider, user, found, claimed, others_being, failure
):
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    theirs = found()
    provider.script(failure)
    with pytest.raises(Transient):
        theirs.ask(question())

    assert found().away
    others = found(claimed(owner_id=others_being.being_id))
    assert others.ask(question()).answer.name == "blue"

    (away,) = away_providers(store)
    assert (away.provider, away.whose, away.keys) == ("anthropic", "users", 1)
    (told,) = [each for each in findings(store, settings) if each.name == "providers of language models"]
    assert told.good
    assert "anthropic with 1 of the users' keys since" in told.words
    assert THEIRS[-4:] not in told.words

    # A key that its user stores once more is tried at once.
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    assert found().ask(question()).answer.name == "blue"


def test_the_state_names_the_key_by_its_id_alone(store, settings, provider, user, found):
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    provider.script(Behaviour(do="fail", status=529, message=f"{THEIRS} {SECRET} the sea"))
    with pytest.raises(Transient):
        found().ask(question())
    with store.transaction() as tx:
        (row,) = tx.execute("select b::text as all from memory.provider_breakers as b").fetchall()
    assert not any(secret in row["all"] for secret in (THEIRS, SECRET, "the sea", named("blue")))
