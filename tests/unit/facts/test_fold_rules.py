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
        ("N'aime plus le vin.", "Aime le vin."),
        ("Never smokes and never drinks.", "Never smokes and drinks."),
        ("Works without music.", "Never works without music."),
        ("Est une personne calme.", "N'est pas une personne calme."),
        ("Mora no Porto.", "Não mora no Porto."),
        ("我非常喜欢茶。", "我不喜欢茶。"),
        ("危ない仕事をしている。", "危ない仕事をしていない。"),
        ("मेरा नाम रवि है।", "मेरा नाम रवि नहीं है।"),
        ("ชอบชา", "ไม่ชอบชา"),
        ("고기를 먹는다.", "고기를 안 먹는다."),
        ("Needn't take pills.", "Takes pills."),
        ("Lives with a former colleague.", "Lives with a colleague."),
        ("Swims on Mondays.", "Swims on Tuesdays."),
        ("Pays twenty dollars a week.", "Pays thirty dollars a week."),
        ("Zahlt zwanzig Euro.", "Zahlt dreißig Euro."),
        ("Tiene dos gatos.", "Tiene tres gatos."),
        ("他有三只猫。", "他有四只猫。"),
        ("猫が3匹いる。", "猫が5匹いる。"),
        ("B12 deficiency runs in the family.", "B6 deficiency runs in the family."),
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
        ("Programs in C.", "Programs in C++."),
        ("Programs in C#.", "Programs in C."),
        ("उसका बेटा है।", "उसकी बेटी है।"),
        ("ชอบป่า", "ชอบป้า"),
        ("Answers with 🐱.", "Answers with 🐶."),
        ("Runs 3.5 a day.", "Runs 3,5 a day."),
    ],
)
def test_signs_and_marks_of_letters_are_part_of_a_word(one, other):
    assert not near_identical(fact(one), fact(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Loves green tea.", "loves green tea!"),
        ("The user drinks a cup of tea.", "Drinks the cup of tea"),
        ('Calls it "home", she says', "Calls it \u201chome\u201d she says."),
        ("Doesn't smoke.", "Doesn\u2019t smoke"),
        ("चाय पसंद है।", "चाय पसंद है"),
        ("喜欢茶。", "喜欢茶"),
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
        ("Doesn't smoke anymore.", "No longer smokes."),
        ("他非常喜欢茶。", "他很喜欢茶。"),
        ("他有三只猫。", "他养了3只猫。"),
        ("고기를 먹지 않는다.", "고기를 안 먹는다."),
        ("मांस नहीं खाता।", "वह मांस नहीं खाता है।"),
    ],
)
def test_other_words_with_the_same_marks_are_left_to_a_model(one, other):
    assert may_say_the_same(fact(one), fact(other))
    assert not near_identical(fact(one), fact(other))
