"""Facts of a user stay with the Being that heard them, where the user's scope or the setting says so."""

import pytest

from memory.facts import seeding
from memory.facts.retrieval import FactQuery, retrieve
from memory.intake import retraction
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.facts.fact_requests import Seed
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection
from store.accounts import beings, users
from tests.conversations import Talk, fact, judging_at_once
from tests.fakes.provider import running_provider

SISTER = "My sister is called Quentina."


@pytest.fixture
def talks(store, user):
    """Conversations of two Beings of one user, judged by one provider."""
    with running_provider() as provider:
        settings = judging_at_once(provider)
        with store.transaction() as tx:
            added = [beings.add_being(tx, user.user_id, slug, slug.title()) for slug in ("ada", "bea")]

        def made(**changes):
            changed = settings.model_copy(update=changes)
            return [Talk(store, provider, being, changed, Thinkers(changed), Embedders(changed)) for being in added]

        yield made


def known(talk):
    """The Being's results about the sister."""
    found = retrieve(talk.store, talk.embedders, talk.settings, talk.being, FactQuery("sister", 10))
    return [one.content for one in [*found.facts, *found.foundation]]


def test_by_default_all_beings_of_a_user_know_a_fact(talks):
    first, second = talks()
    first.hears(SISTER, fact(SISTER.rstrip(".")))
    first.judged()

    assert known(first) == known(second) == [SISTER.rstrip(".")]


@pytest.mark.parametrize("chosen", ["by the user", "by the setting"])
def test_a_fact_stays_with_those_present_where_it_was_heard(talks, store, user, chosen):
    if chosen == "by the user":
        with store.transaction() as tx:
            users.change_user(tx, user.user_id, {"facts_known_to": "present"})
    first, second = talks(**({} if chosen == "by the user" else {"facts_known_to": "present"}))
    first.hears(SISTER, fact(SISTER.rstrip(".")))
    first.judged()
    seeding.seed(store, second.settings, second.being, [Seed(type="PEOPLE", content="Has a sister in Rome.")])

    assert known(first) == [SISTER.rstrip(".")]
    assert known(second) == ["Has a sister in Rome."]
    with store.transaction() as tx:
        assert tx.value("select bool_and(in_confidence) from memory.messages where role = 'user'")


def test_the_users_choice_precedes_the_setting(talks, store, user):
    with store.transaction() as tx:
        users.change_user(tx, user.user_id, {"facts_known_to": "all"})
    first, second = talks(facts_known_to="present")
    seeding.seed(store, Settings(facts_known_to="present"), first.being, [Seed(type="PEOPLE", content="Has a sister.")])

    assert known(second) == ["Has a sister."]


def test_a_fact_that_stayed_with_those_present_stays_so_when_its_message_is_restored_under_another_setting(talks):
    first, second = talks(facts_known_to="present")
    first.says({"id": "a", "role": "user", "content": SISTER})
    first.answers(fact(SISTER.rstrip(".")))
    first.judged()
    store, being, named = first.store, first.being, MessageSelection(ids=["a"])
    retraction.retract(store, first.settings, first.embedders, [being], named)
    assert known(first) == []

    first, second = talks(facts_known_to="all")
    retraction.restore(store, first.settings, [being], named)
    first.answers(fact(SISTER.rstrip(".")))
    first.judged()
    assert known(first) == [SISTER.rstrip(".")]
    assert known(second) == []


def test_a_fact_that_stayed_with_those_present_stays_so_when_it_is_judged_again_under_another_setting(talks):
    first, second = talks(facts_known_to="present")
    first.says({"id": "a", "role": "user", "content": "Hello."}, {"id": "b", "role": "user", "content": SISTER})
    first.answers(fact(SISTER.rstrip("."), message="m2"))
    first.judged()
    assert known(first) == [SISTER.rstrip(".")]

    first, second = talks(facts_known_to="all")
    retraction.retract(first.store, first.settings, first.embedders, [first.being], MessageSelection(ids=["a"]))
    first.answers(fact(SISTER.rstrip(".")))
    first.judged()
    assert known(first) == [SISTER.rstrip(".")]
    assert known(second) == []
