"""Facts that an embedder places close together and that say different things are never taken for the same."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from memory.facts.fold_rules import may_say_the_same, near_identical
from schemas.facts.fact_rows import Fact

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def fact(content, *refs):
    return Fact(
        fact_id=uuid4(),
        being_id=None,
        type="PROFILE",
        content=content,
        entity_refs=["thing:matter", *refs],
        entity_label="matter",
        subtype={"entityType": "thing", "factType": "fact"},
        importance=1,
        pinned=False,
        memory_key="profile|thing|matter|fact",
        source="shadow_extraction",
        status="ACTIVE",
        confidence=1,
        mentions=1,
        sessions=1,
        created_at=NOW,
        last_told_at=NOW,
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Injured the left knee.", "Injured the right knee."),
        ("Is allergic to nuts.", "Is not allergic to nuts."),
        ("Is allergic to nuts.", "Isn\N{RIGHT SINGLE QUOTATION MARK}t allergic to nuts."),
        ("Smokes.", "No longer smokes."),
        ("Fuma.", "No fuma nunca."),
        ("Fume.", "Ne fume pas."),
        ("Lives with a former colleague.", "Lives with a colleague."),
        ("Swims on Mondays.", "Swims on Tuesdays."),
        ("Pays twenty dollars a week.", "Pays thirty dollars a week."),
        ("Zahlt zwanzig Euro.", "Zahlt dreißig Euro."),
        ("Tiene dos gatos.", "Tiene tres gatos."),
        ("Pays 20 dollars a week.", "Pays 20 euros a week."),
        ("Owes $20.", "Owes €20."),
        ("Was born in 1990.", "Was born in 1991."),
        ("Loves olives.", "Hates olives."),
        ("The older sister sings.", "The younger sister sings."),
        ("Works with Ada.", "Works with Eve."),
        ("Moved in May.", "Moved in June."),
        ("Runs ten kilometres.", "Runs ten miles."),
    ],
)
def test_what_differs_in_a_word_that_matters_is_not_the_same(one, other):
    assert not may_say_the_same(fact(one), fact(other))
    assert not near_identical(fact(one), fact(other))


def test_equal_words_about_different_people_or_places_are_not_the_same():
    one, other = fact("Works there.", "org:acme"), fact("Works there.", "org:initech")
    assert not may_say_the_same(one, other)
    assert not near_identical(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Loves green tea.", "loves green tea!"),
        ("The user drinks a cup of tea.", "Drinks the cup of tea"),
    ],
)
def test_case_punctuation_and_articles_make_no_difference(one, other):
    assert near_identical(fact(one), fact(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Drinks green tea every day.", "Has green tea every day."),
        ("Has two cats.", "Owns 2 cats."),
        ("Never eats meat.", "Doesn't eat meat."),
    ],
)
def test_other_words_with_the_same_marks_are_left_to_a_model(one, other):
    assert may_say_the_same(fact(one), fact(other))
    assert not near_identical(fact(one), fact(other))
