"""How names become keys, and which names may be one and the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.grounding.name_similarity import compare_names
from memory.text.entity_names import entity_ref, slug


@pytest.mark.parametrize(
    ("entity_type", "name", "ref"),
    [
        ("person", "John Doe", "person:john_doe"),
        ("org", "Acme Corp.", "org:acme_corp"),
        ("place", "Austin, Texas", "place:austin_texas"),
        ("project", "Dashboard-Redesign", "project:dashboard_redesign"),
        ("org", "AC/DC", "org:acdc"),
        ("person", "O'Brien", "person:obrien"),
        ("person", "  José   Núñez ", "person:josé_núñez"),
        ("person", "\uff2a\uff4f\uff4e", "person:jon"),
        ("person", "Dr. John Doe", "person:john_doe"),
        ("person", "Mrs. Smith", "person:mrs_smith"),
        ("person", "Mr. Smith", "person:mr_smith"),
        ("person", "田中さん", "person:田中"),
        ("person", "ジョン・スミス", "person:ジョン_スミス"),
        ("person", "मुकेश", "person:मुकेश"),
        ("person", "me", "person:user"),
        ("person", "The User", "person:user"),
        ("thing", "C", "thing:c"),
        ("thing", "★ !", None),
        ("thing", "a" * 201, None),
        ("thing", "\ufdfa" * 200, None),
    ],
)
def test_names_become_keys(entity_type, name, ref):
    assert entity_ref(entity_type, name) == ref


@given(st.text(max_size=40))
def test_a_slug_of_a_slug_is_itself(name):
    assert slug(slug(name)) == slug(name)


@pytest.mark.parametrize(
    ("one", "another", "certain"),
    [
        ("jon", "john", True),
        ("sara", "sarah", True),
        ("ana", "anna", True),
        ("josé", "jose", True),
        ("philip", "filip", True),
        ("jon_smith", "john_smyth", True),
        ("mukesh", "makesh", False),
        ("karin", "karen", False),
        ("tim", "tom", False),
    ],
)
def test_names_that_may_be_one(one, another, certain):
    for pair in ((one, another), (another, one)):
        assert compare_names(*pair).certain is certain


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("john_smith", "john_miller"),
        ("fact_1", "fact_11"),
        ("maria", "mario"),
        ("paul", "paula"),
        ("田中", "中田"),
        ("mukesh", "suresh"),
        ("mr_smith", "mrs_smith"),
    ],
)
def test_names_that_are_two(one, another):
    assert compare_names(one, another) is None
