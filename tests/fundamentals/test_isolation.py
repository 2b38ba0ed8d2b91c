"""Beings of one user see of each other the shared scope of the vault and the facts, all others nothing."""

import pytest

from memory.accounts import access
from memory.accounts.access import InvalidToken
from memory.nodes import curation
from memory.vault import records
from schemas.errors import NotFound
from schemas.settings import Settings
from schemas.vault.vault_requests import NewRecord
from store import vault as rows
from store.accounts import beings, tokens, users
from tests.conversations import fact
from tests.scenes import make_being, make_user


@pytest.fixture
def sibling(store, user):
    """Another Being of the same user."""
    with store.transaction() as tx:
        return make_being(tx, user)


@pytest.fixture
def stranger(store):
    """A Being of another user."""
    with store.transaction() as tx:
        return make_being(tx, make_user(tx))


def test_a_being_recalls_only_its_own_memories(life, new_life):
    life.happens("Mira baked saffron buns.")
    life.patrol()
    other = new_life()
    other.patrol()
    assert other.recall("saffron buns").nodes == []
    assert other.search("buns") == []


def test_the_memory_of_another_being_does_not_exist(life, new_life):
    life.happens("Mira baked saffron buns.")
    life.patrol()
    with pytest.raises(NotFound):
        curation.change_state(life.store, new_life().being_id, life.memory().node_id, "forget")


def test_siblings_share_the_shared_scope_of_the_vault_and_no_other(store, being, sibling, stranger):
    for text, scope in (("The user lives in Lisbon.", "shared"), ("Mira dreams of the sea.", being.slug)):
        records.add_memory(store, Settings(), being, NewRecord(text=text, scope=scope))

    def seen(by):
        with store.transaction() as tx:
            return sorted(record.text for record in rows.live(tx, by, ["shared", by.slug]))

    assert seen(being) == ["Mira dreams of the sea.", "The user lives in Lisbon."]
    assert seen(sibling) == ["The user lives in Lisbon."]
    assert seen(stranger) == []


def test_a_fact_that_was_told_in_confidence_stays_with_the_being_that_heard_it(talk, other):
    talk.hears("Just between us: I love tea.", fact("I love tea", "Loves tea.", in_confidence=True))
    assert talk.contents() == ["Loves tea."]
    assert other.contents() == []


def test_a_token_opens_what_belongs_to_its_user(store, user):
    secret, _ = access.issue_token(store, user.user_id, being_id=None, scopes=["read"], lifetime=None)
    assert access.authenticate(store, secret).user_id == user.user_id


def test_a_revoked_token_opens_nothing(store, user):
    secret, token = access.issue_token(store, user.user_id, being_id=None, scopes=["read"], lifetime=None)
    with store.transaction() as tx:
        tokens.revoke_token(tx, user.user_id, token.token_id)
    with pytest.raises(InvalidToken):
        access.authenticate(store, secret)


def test_an_erased_user_leaves_its_neighbours_untouched(store, user, stranger):
    with store.transaction() as tx:
        users.erase_user(tx, user.user_id)
    with store.transaction() as tx:
        assert users.find_user(tx, str(user.user_id)) is None
        assert beings.get_being(tx, stranger.being_id).being_id == stranger.being_id
