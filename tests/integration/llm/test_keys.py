"""Stored keys: encrypted for their user, re-encrypted by rotation, refreshed when stored again, deleted on expiry."""

from datetime import timedelta

import pytest
from pydantic import SecretStr

from memory.llm import keys
from memory.llm.payer import LlmUnavailable
from memory.llm.session import LlmSession
from memory.upkeep import periodic
from schemas.errors import Refused
from store.llm import keys as stored_keys
from tests.integration.llm.conftest import BROUGHT, SECRET, THEIRS, opened, question
from tests.scenes import make_user

NEWER = "a newer secret of thirty-two letters or more"


@pytest.fixture
def rows(store):
    """Read every key's row, oldest first."""

    def read():
        with store.transaction() as tx:
            return tx.execute("select * from memory.provider_keys order by key_id").fetchall()

    return read


@pytest.fixture
def rotated(settings):
    """Settings with a new secret before the old one."""
    return settings.model_copy(update={"secret_key": SecretStr(f"{NEWER},{SECRET}")})


@pytest.fixture
def afterwards(settings):
    """Settings without the old secret."""
    return settings.model_copy(update={"secret_key": SecretStr(NEWER)})


def paid_with(store, thinkers, settings, claim):
    mind = opened(store, thinkers(settings), settings, claim)
    assert isinstance(mind, LlmSession)
    mind.ask(question())
    with store.transaction() as tx:
        (row,) = tx.execute("select paid_with from memory.model_calls order by call_id desc limit 1")
    return row["paid_with"]


def test_rotation_reencrypts_every_key_with_the_newest_secret(
    store, settings, rotated, afterwards, user, thinkers, claimed, rows
):
    for number in range(3):
        keys.store_request_key(store, settings, user.user_id, "anthropic", f"{BROUGHT}-{number}")
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    before = rows()
    assert paid_with(store, thinkers, rotated, claimed()) == "user", "older secrets still open"
    assert keys.rotate(store, rotated) == len(before)

    assert paid_with(store, thinkers, afterwards, claimed()) == "user"
    assert not {row["sealed"] for row in before} & {row["sealed"] for row in rows()}
    assert [row["key_id"] for row in rows()] == [row["key_id"] for row in before]


def test_a_key_that_was_stored_again_while_its_secret_was_missing_is_one_after_a_rotation(
    store, settings, rotated, afterwards, user, rows
):
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    keys.store_request_key(store, afterwards, user.user_id, "anthropic", THEIRS)
    keys.store_request_key(store, settings, user.user_id, "anthropic", BROUGHT)
    keys.add(store, afterwards, user.user_id, "anthropic", BROUGHT)
    assert len(rows()) == 4
    keys.rotate(store, rotated)

    stored = [(row["last_four"], row["expires_at"]) for row in rows()]
    assert stored == [(THEIRS[-4:], None), (BROUGHT[-4:], None)], "what was stored to stay stays"
    assert keys.rotate(store, afterwards) == 2


def test_a_key_without_its_secret_is_unusable_and_no_other_key_pays(
    store, settings, afterwards, user, thinkers, claimed, rows
):
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    found = opened(store, thinkers(afterwards), afterwards, claimed())

    assert isinstance(found, LlmUnavailable)
    assert "PATROL_SECRET_KEY" in found.reason
    keys.add(store, afterwards, user.user_id, "openai", THEIRS)
    before = rows()
    for secrets in (f"{NEWER}2,{NEWER}", f"{NEWER}2,{SECRET}"):
        with pytest.raises(Refused, match="PATROL_SECRET_KEY"):
            keys.rotate(store, settings.model_copy(update={"secret_key": SecretStr(secrets)}))
    assert rows() == before, "all keys are encrypted anew, or none"


def test_a_row_moved_to_another_user_does_not_decrypt(store, settings, user, being, thinkers, claimed):
    with store.transaction() as tx:
        thief = make_user(tx)
        keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    with store.transaction() as tx:
        tx.execute("update memory.provider_keys set user_id = %s", [thief.user_id])
        tx.execute("update memory.beings set user_id = %s where being_id = %s", [thief.user_id, being.being_id])

    assert isinstance(opened(store, thinkers(settings), settings, claimed()), LlmUnavailable)


def test_a_key_that_comes_again_is_refreshed_and_stays_one(store, settings, rotated, user, rows):
    first = keys.store_request_key(store, settings, user.user_id, "anthropic", BROUGHT)
    (before,) = rows()
    assert keys.store_request_key(store, settings, user.user_id, "anthropic", BROUGHT) == first
    assert keys.store_request_key(store, rotated, user.user_id, "anthropic", BROUGHT) == first, (
        "whatever secret is the newest"
    )
    (after,) = rows()

    assert after["expires_at"] > before["expires_at"]
    assert keys.add(store, rotated, user.user_id, "anthropic", BROUGHT).key_id == first
    keys.store_request_key(store, rotated, user.user_id, "anthropic", BROUGHT)
    assert [row["expires_at"] for row in rows()] == [None], "what was stored to stay stays"


def test_the_key_that_was_stored_last_pays(store, settings, user, provider, mind):
    for key in (THEIRS, BROUGHT, THEIRS):
        keys.add(store, settings, user.user_id, "anthropic", key)
    mind().ask(question())

    with store.transaction() as tx:
        stored = stored_keys.stored(tx, user.user_id)
    assert [key.last_four for key in stored if key.last_used_at] == [THEIRS[-4:]]
    assert len(provider.requests) == 1


def test_expired_keys_are_deleted(store, settings, user, rows):
    passing = settings.model_copy(update={"request_key_life": timedelta(0)})
    keys.store_request_key(store, passing, user.user_id, "anthropic", BROUGHT)
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    periodic.expire(store, settings)

    assert [row["last_four"] for row in rows()] == [THEIRS[-4:]]


def test_without_a_secret_no_key_is_stored_and_the_error_names_the_setting(store, settings, user, rows):
    without = settings.model_copy(update={"secret_key": None})
    for take in (keys.add, keys.store_request_key):
        with pytest.raises(Refused, match="PATROL_SECRET_KEY"):
            take(store, without, user.user_id, "anthropic", THEIRS)
    assert rows() == []
