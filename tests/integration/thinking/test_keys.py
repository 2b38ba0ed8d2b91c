"""Keys at rest: sealed for their user, sealed anew by rotation, refreshed when they come again, gone when over."""

from datetime import timedelta

import pytest
from pydantic import SecretStr

from memory import keys, upkeep
from memory.thinking import Mind, NoMind, mind_for
from store.errors import Refused
from tests.integration.thinking.conftest import BROUGHT, SECRET, THEIRS, question
from tests.scenes import make_user

NEWER = "a newer secret of thirty-two letters or more"


@pytest.fixture
def rows(store):
    """Every key as it lies in the database, oldest first."""

    def read():
        with store.transaction() as tx:
            return tx.execute("select * from memory.provider_keys order by key_id").fetchall()

    return read


@pytest.fixture
def rotated(settings):
    """The settings after a new secret was put before the old one."""
    return settings.model_copy(update={"secret_key": SecretStr(f"{NEWER},{SECRET}")})


@pytest.fixture
def afterwards(settings):
    """The settings after the old secret was taken away."""
    return settings.model_copy(update={"secret_key": SecretStr(NEWER)})


def paid_with(store, thinkers, settings, claim):
    mind = mind_for(store, thinkers(settings), settings, claim)
    assert isinstance(mind, Mind)
    mind.ask(question())
    with store.transaction() as tx:
        (row,) = tx.execute("select paid_with from memory.model_calls order by call_id desc limit 1")
    return row["paid_with"]


def test_a_rotation_seals_every_key_anew_after_which_the_old_secret_may_go(
    store, settings, rotated, afterwards, user, thinkers, claimed, rows
):
    for number in range(keys.RESEALED_AT_ONCE + 1):
        keys.add(store, settings, user.user_id, "anthropic", f"{THEIRS}-{number}")
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
    keys.bring(store, afterwards, user.user_id, "anthropic", THEIRS)
    keys.bring(store, settings, user.user_id, "anthropic", BROUGHT)
    keys.add(store, afterwards, user.user_id, "anthropic", BROUGHT)
    assert len(rows()) == 4
    keys.rotate(store, rotated)

    stored = [(row["last_four"], row["expires_at"]) for row in rows()]
    assert stored == [(THEIRS[-4:], None), (BROUGHT[-4:], None)], "what was stored to stay stays"
    assert keys.rotate(store, afterwards) == 2


def test_without_its_secret_a_key_does_not_open_and_nobody_else_pays(
    store, settings, afterwards, user, thinkers, claimed
):
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    found = mind_for(store, thinkers(afterwards), afterwards, claimed())

    assert isinstance(found, NoMind)
    assert "PATROL_SECRET_KEY" in found.reason
    with pytest.raises(Refused, match="PATROL_SECRET_KEY"):
        keys.rotate(store, afterwards)


def test_a_row_that_is_moved_to_another_user_does_not_open(store, settings, user, being, thinkers, claimed):
    with store.transaction() as tx:
        thief = make_user(tx)
        keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    with store.transaction() as tx:
        tx.execute("update memory.provider_keys set user_id = %s", [thief.user_id])
        tx.execute("update memory.beings set user_id = %s where being_id = %s", [thief.user_id, being.being_id])

    assert isinstance(mind_for(store, thinkers(settings), settings, claimed()), NoMind)


def test_a_key_that_comes_again_is_refreshed_and_stays_one(store, settings, rotated, user, rows):
    first = keys.bring(store, settings, user.user_id, "anthropic", BROUGHT)
    (before,) = rows()
    assert keys.bring(store, settings, user.user_id, "anthropic", BROUGHT) == first
    assert keys.bring(store, rotated, user.user_id, "anthropic", BROUGHT) == first, "whatever secret is the newest"
    (after,) = rows()

    assert after["expires_at"] > before["expires_at"]
    assert keys.add(store, rotated, user.user_id, "anthropic", BROUGHT).key_id == first
    keys.bring(store, rotated, user.user_id, "anthropic", BROUGHT)
    assert [row["expires_at"] for row in rows()] == [None], "what was stored to stay stays"


def test_the_key_that_was_stored_last_pays(store, settings, user, provider, mind):
    for key in (THEIRS, BROUGHT, THEIRS):
        keys.add(store, settings, user.user_id, "anthropic", key)
    mind().ask(question())

    assert [key.last_four for key in keys.listed(store, user.user_id) if key.last_used_at] == [THEIRS[-4:]]
    assert len(provider.requests) == 1


def test_what_has_expired_is_cleared_away(store, settings, user, rows):
    passing = settings.model_copy(update={"request_key_life": timedelta(0)})
    keys.bring(store, passing, user.user_id, "anthropic", BROUGHT)
    keys.add(store, settings, user.user_id, "anthropic", THEIRS)
    upkeep.clear(store, settings)

    assert [row["last_four"] for row in rows()] == [THEIRS[-4:]]


def test_without_a_secret_no_key_is_taken_and_it_is_said_what_to_set(store, settings, user, rows):
    without = settings.model_copy(update={"secret_key": None})
    for take in (keys.add, keys.bring):
        with pytest.raises(Refused, match="PATROL_SECRET_KEY"):
            take(store, without, user.user_id, "anthropic", THEIRS)
    assert rows() == []
