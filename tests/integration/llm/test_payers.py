"""The paying key: the user's stored key, else the request's, else the platform's."""

import re
from datetime import timedelta
from hashlib import sha256

import pytest

from memory.llm import keys
from memory.llm.payer import LlmUnavailable
from memory.llm.session import LlmSession
from providers.errors import Misconfigured, Transient
from schemas.settings import Settings
from store.llm import keys as stored_keys
from tests.fakes.provider import Behaviour
from tests.integration.llm.conftest import BROUGHT, THEIRS, opened, question


def test_a_stored_key_pays_before_the_requests_and_both_before_the_platforms(
    mind, store, settings, user, claimed, accounts
):
    def paid(key, brought=None):
        mind(claimed(key), [brought]).ask(question())
        return accounts()[-1]["paid_with"]

    assert paid("1") == "platform"
    brought = keys.store_request_key(store, settings, user.user_id, "anthropic", BROUGHT)
    assert paid("2", brought) == "request"
    expired = keys.store_request_key(
        store, settings.model_copy(update={"request_key_life": timedelta(0)}), user.user_id, "anthropic", BROUGHT + "9"
    )
    assert paid("3", expired) == "platform"
    stored = keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    assert paid("4") == paid("5", brought) == "user"
    assert paid("6", keys.store_request_key(store, settings, user.user_id, "anthropic", THEIRS)) == "user", (
        "the same key, sent too"
    )
    keys.remove(store, user.user_id, stored.key_id)
    assert paid("7", brought) == "request"


def test_a_requests_key_does_not_pay_in_place_of_a_stored_key_that_is_refused(
    provider, store, settings, user, claimed, thinkers
):
    brought = keys.store_request_key(store, settings, user.user_id, "anthropic", BROUGHT)
    keys.add(store, settings, user.user_id, "anthropic", "wrong-key-of-the-user-0123")
    found = opened(store, thinkers(settings), settings, claimed(), [brought], min_inputs=1)
    assert isinstance(found, LlmSession)
    with pytest.raises(Transient):
        found.ask(question())

    assert isinstance(opened(store, thinkers(settings), settings, claimed(), [brought], min_inputs=1), LlmUnavailable)
    assert len(provider.requests) == 1


def test_each_key_is_sent_as_it_was_given(provider, mind, store, settings, user):
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    mind().ask(question())

    assert provider.requests[0].key_sha256 == sha256(THEIRS.encode()).hexdigest()


def test_a_rejected_user_key_stops_model_calls_and_charges_no_other_key(
    provider, store, settings, user, claimed, thinkers
):
    keys.add(store, settings, user.user_id, "anthropic", "wrong-key-of-the-user-0123")
    known, claim = thinkers(settings), claimed()
    first = opened(store, known, settings, claim)
    assert isinstance(first, LlmSession)
    with pytest.raises(Transient, match="key"):
        first.ask(question())
    second = opened(store, known, settings, claim)

    assert isinstance(second, LlmUnavailable)
    assert re.search(r"refuses the key that ends in 0123: .*401", second.reason)
    assert second.logged == "the key is refused"
    assert len(provider.requests) == 1
    keys.add(store, settings, user.user_id, "anthropic", "wrong-key-of-the-user-0123")
    assert isinstance(opened(store, known, settings, claim), LlmSession), "stored again, it is tried again"


def test_a_model_that_is_gone_is_no_fault_of_the_users_key(provider, store, settings, user, claimed, thinkers):
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    known, claim = thinkers(settings), claimed()
    provider.script(Behaviour(do="fail", status=404, message="model: claude-0"))
    with pytest.raises(Misconfigured, match="PATROL_THINKING_MODEL"):
        opened(store, known, settings, claim).ask(question())

    again = opened(store, known, settings, claim)
    assert isinstance(again, LlmUnavailable)
    assert "no such model" in again.reason
    with store.transaction() as tx:
        assert all(key.refused_at is None for key in stored_keys.stored(tx, user.user_id))


def test_a_rejected_platform_key_is_a_configuration_error(mind):
    with pytest.raises(Misconfigured, match="ANTHROPIC_API_KEY"):
        mind(anthropic_api_key=Settings(anthropic_api_key="wrong").anthropic_api_key).ask(question())


def test_without_a_key_no_model_is_available(store, claimed, settings, thinkers):
    without = settings.model_copy(update={"anthropic_api_key": None})

    assert opened(store, thinkers(without), without, claimed()) == LlmUnavailable("no key")


def test_users_can_have_work_of_their_own(user, mind, claimed, accounts):
    mind(claimed(owner_id=user.user_id)).ask(question())

    assert (accounts()[0]["being_id"], accounts()[0]["owner_id"]) == (None, user.user_id)


def test_a_requests_key_pays_only_where_every_input_came_with_it(mind, store, settings, user, claimed, accounts):
    first, second = (keys.store_request_key(store, settings, user.user_id, "anthropic", BROUGHT + end) for end in "12")

    def paid(*brought):
        mind(claimed(), brought).ask(question())
        return accounts()[-1]["paid_with"]

    assert paid(first, first) == "request"
    assert paid(first, None) == paid(first, second) == paid() == "platform"
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    assert paid(first, None) == paid(first, second) == "user"


def test_a_requests_key_pays_for_its_own_inputs_if_no_key_pays_for_all(store, settings, user, claimed, thinkers):
    without = settings.model_copy(update={"anthropic_api_key": None})
    key = keys.store_request_key(store, settings, user.user_id, "anthropic", BROUGHT)
    mixed = [key, None, key]

    def found(least):
        return opened(store, thinkers(without), without, claimed(), mixed, min_inputs=least)

    some = found(2)
    assert isinstance(some, LlmSession)
    assert [some.pays_for(brought) for brought in mixed] == [True, False, True]
    assert isinstance(found(3), LlmUnavailable), "too few came with it"
    assert isinstance(found(None), LlmUnavailable), "they go together or not at all"
