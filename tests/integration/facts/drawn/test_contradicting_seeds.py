"""A seed replaces the earlier value that it contradicts, which stays in the fact's history."""

import pytest

from memory.facts import seed_comparison, seeding
from providers.thinkers import Thinkers
from schemas.facts.fact_requests import Seed
from schemas.ledger import kinds
from tests.conversations import fact

AUSTIN, BERLIN = "Lives in Austin, Texas.", "Lives in Berlin."
HOME = {"entities": [{"type": "thing", "name": "home"}], "fact_type": "fact"}


def seed(talk, *contents, about="home", **more):
    items = [{"type": "PROFILE", "content": content, "entity_refs": [f"thing:{about}"]} | more for content in contents]
    return seeding.seed(talk.store, talk.settings, talk.being, [Seed.model_validate(item) for item in items])


def compared(talk):
    talk.do_due(talk.being.user_id, kinds.COMPARE_SEEDS, seed_comparison.compare_seeds)


@pytest.fixture
def keyless(talk):
    """The user talks to a Being without a model."""
    talk.thinkers = Thinkers(talk.settings.model_copy(update={"thinker": "none"}))
    return talk


@pytest.mark.parametrize("at_once", [True, False])
def test_another_value_replaces_the_earlier_one_without_a_model(keyless, at_once):
    for contents in [(AUSTIN, BERLIN)] if at_once else [(AUSTIN,), (BERLIN,)]:
        seed(keyless, *contents)
    assert keyless.history() == (BERLIN, {AUSTIN: BERLIN, BERLIN: None})


def test_a_seed_replaces_what_was_said_before(talk):
    talk.hears("I live in Austin, Texas.", fact("I live in Austin, Texas", AUSTIN, **HOME))
    seed(talk, BERLIN)
    assert talk.history() == (BERLIN, {AUSTIN: BERLIN, BERLIN: None})


def test_what_is_told_again_after_another_value_stands_again(keyless):
    for content in (AUSTIN, BERLIN, AUSTIN):
        seeded = seed(keyless, content)
    assert keyless.history() == (AUSTIN, {AUSTIN: None, BERLIN: AUSTIN})
    assert (seeded.told_again, seeded.repeated) == (1, 0)
    assert keyless.facts()[0].mentions == 2
    # A program that sends all of its seeds whenever it starts ends with the last of them.
    seed(keyless, AUSTIN, BERLIN)
    assert keyless.history()[0] == BERLIN


def test_a_seed_that_is_sent_again_does_not_take_back_what_the_user_said_since(talk):
    seed(talk, AUSTIN)
    talk.says("I live in Berlin now.")
    talk.answers(fact("I live in Berlin now", BERLIN, **HOME))
    talk.compares(("n0.1", "contradicts", "e0.0"))
    talk.judged()
    assert seed(talk, AUSTIN).repeated == 1
    assert talk.history()[0] == BERLIN


def test_other_contradictions_are_found_by_a_model(talk):
    seed(talk, "Prefers dark mode.", "Reads small print.", about="screens")
    seed(talk, "Prefers light mode.", about="screens")
    assert talk.contents() == ["Prefers dark mode. Reads small print. Prefers light mode."]
    # The first of a key is new; those that came after it are compared.
    talk.compares(("n0.2", "contradicts", "e0.0"), ("n0.1", "adds", None))
    compared(talk)
    assert talk.contents() == ["Reads small print. Prefers light mode."]
    (request,) = talk.provider.requests
    assert '<earlier ref="e0.0"' in request.prompt
    compared(talk)
    assert len(talk.provider.requests) == 1


def test_without_a_model_both_stand_until_there_is_one(talk, keyless):
    seed(keyless, "Prefers dark mode.", about="screens")
    seed(keyless, "Prefers light mode.", about="screens")
    compared(keyless)
    assert keyless.contents() == ["Prefers dark mode. Prefers light mode."]
    seed_comparison.request_waiting(keyless.store, keyless.thinkers)
    compared(keyless)
    with_model = Thinkers(talk.settings)
    talk.thinkers = with_model
    talk.compares(("n0.1", "contradicts", "e0.0"))
    seed_comparison.request_waiting(talk.store, with_model)
    compared(talk)
    assert talk.contents() == ["Prefers light mode."]


def test_seeds_that_a_model_refuses_to_compare_both_stand(talk):
    seed(talk, "Prefers dark mode.", about="screens")
    seed(talk, "Prefers light mode.", about="screens")
    for _ in range(3):
        talk.compares(("n0.1", "upsets", "e0.0"))
    compared(talk)
    assert talk.contents() == ["Prefers dark mode. Prefers light mode."]
    asked = len(talk.provider.requests)
    seed_comparison.request_waiting(talk.store, talk.thinkers)
    compared(talk)
    assert len(talk.provider.requests) == asked


def test_a_confidence_is_compared_with_confidences_to_the_same_being_alone(talk, other):
    seed(talk, "Prefers dark mode.", about="screens", in_confidence=True)
    seed(other, "Prefers light mode.", about="screens")
    compared(talk)
    assert talk.provider.requests == []
