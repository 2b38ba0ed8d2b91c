"""Whose key pays: the request's, else the user's, else the platform's."""

import re
from datetime import timedelta
from hashlib import sha256
from uuid import uuid4

import pytest

from memory import keys
from memory.thinking import Mind, NoMind, mind_for
from providers.errors import Misconfigured, Transient
from schemas.settings import Settings
from store import work
from tests.integration.thinking.conftest import BROUGHT, HOUR, THEIRS, question


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


def test_a_refused_key_of_the_users_ends_thinking_and_charges_nobody_else(
    provider, store, settings, user, claimed, thinkers
):
    keys.add(store, settings, user.user_id, "anthropic", "wrong-key-of-the-user-0123")
    known, claim = thinkers(settings), claimed()
    first = mind_for(store, known, settings, claim)
    assert isinstance(first, Mind)
    with pytest.raises(Transient, match="key"):
        first.ask(question())
    second = mind_for(store, known, settings, claim)

    assert isinstance(second, NoMind)
    assert re.search(r"refuses the key that ends in 0123: .*401", second.reason)
    assert second.logged == "the key is refused"
    assert len(provider.requests) == 1
    keys.add(store, settings, user.user_id, "anthropic", "wrong-key-of-the-user-0123")
    assert isinstance(mind_for(store, known, settings, claim), Mind), "stored again, it is tried again"


def test_a_platform_key_that_is_refused_is_a_setting_to_mend(mind):
    with pytest.raises(Misconfigured, match="ANTHROPIC_API_KEY"):
        mind(anthropic_api_key=Settings(anthropic_api_key="wrong").anthropic_api_key).ask(question())


def test_without_a_key_nobody_thinks(store, claimed, settings, thinkers):
    without = settings.model_copy(update={"anthropic_api_key": None})

    assert mind_for(store, thinkers(without), without, claimed()) == NoMind("no key")


def test_users_can_have_work_of_their_own(user, mind, claimed, accounts):
    mind(claimed(owner_id=user.user_id)).ask(question())

    assert (accounts()[0]["being_id"], accounts()[0]["owner_id"]) == (None, user.user_id)


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
