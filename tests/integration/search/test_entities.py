"""A name in the query brings the entity's card, with its first and last mention."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.accounts import erasure
from memory.facts import seeding
from schemas.facts.fact_requests import Seed
from store.accounts import beings

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
NORA = {"type": "PEOPLE", "entity_refs": ["person:nora"], "entity_label": "Nora", "importance": 2}


@pytest.fixture
def know(on):
    """Give a Being facts."""

    def knowing(being, *told):
        seeding.seed(on.store, on.settings, being, [Seed.model_validate(one) for one in told])

    return knowing


def said(content, days):
    """The user's words of a day."""
    return {"role": "user", "content": content, "created_at": (DAY + timedelta(days=days)).isoformat()}


def test_a_name_brings_the_card_with_the_first_and_the_last_mention(on, being, know):
    know(being, {"content": "Nora is a nurse.", **NORA})
    on.tell(being, said("I met Nora.", 0), said("Nora called.", 1), said("Rain.", 2), said("Nora moved.", 3))
    on.index(being.being_id, being.user_id)

    (card,) = on.find(being, "What is Nora's job?").entities

    assert (card.entity_ref, card.facts) == ("person:nora", ["Nora is a nurse."])
    assert (card.first.text, card.last.text) == ("I met Nora.", "Nora moved.")
    assert on.find(being, "Will it rain?").entities == []


def test_an_erased_message_is_no_mention(on, being, know):
    know(being, {"content": "Nora is a nurse.", **NORA})
    ids = on.tell(being, said("I met Nora.", 0), said("Nora called.", 1))
    on.index(being.being_id, being.user_id)
    erasure.erase_messages(on.store, on.settings, on.embedders, [being], [ids[0]])

    (card,) = on.find(being, "Nora").entities

    assert card.first.text == card.last.text == "Nora called."


def test_a_card_shows_nothing_told_to_another_being_in_confidence(on, store, user, being, know):
    with store.transaction() as tx:
        sibling = beings.add_being(tx, user.user_id, "other", "Other")
    know(sibling, {"content": "Nora is ill.", "in_confidence": True, **NORA})
    on.index(being.being_id, being.user_id, sibling.being_id)

    assert on.find(being, "Nora").entities == []
    assert [card.facts for card in on.find(sibling, "Nora").entities] == [["Nora is ill."]]


def test_there_is_no_card_for_an_earlier_moment_or_without_facts(on, being, know, clock):
    know(being, {"content": "Nora is a nurse.", **NORA})
    on.index(being.being_id, being.user_id)

    assert on.find(being, "Nora", as_of=clock.now()).entities == []
    assert on.find(being, "Nora", kinds=["message"]).entities == []
