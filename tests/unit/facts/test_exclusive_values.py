"""Of what a person has one of at a time, statements that differ in names and numbers alone exclude each other."""

import pytest

from memory.facts.matters.exclusive_values import give_different_values

HOME = "thing:home"


@pytest.mark.parametrize(
    ("about", "one", "other"),
    [
        (HOME, "Lives in Austin.", "Lives in Berlin."),
        (HOME, "Lives in Austin, Texas.", "Lives in Berlin."),
        (HOME, "Lives in New York.", "lives in St. Paul"),
        (HOME, "Wohnt in Köln.", "Wohnt in Zürich."),
        ("thing:age", "Is 34 years old.", "Is 35 years old."),
        ("thing:birthday", "Was born on 3 May 1990.", "Was born on 4 May 1990."),
        ("thing:name", "Is called Ana.", "Is called Anna."),
    ],
)
def test_different_values(about, one, other):
    assert give_different_values(about, one, other)
    assert give_different_values(about, other, one)


@pytest.mark.parametrize(
    ("about", "one", "other"),
    [
        (HOME, "Lives in Austin.", "Lives in Austin, Texas."),
        (HOME, "Lives in Austin.", "lives in austin"),
        (HOME, "Lives in Austin.", "Loves Berlin."),
        (HOME, "Lives in Berlin.", "Lives in a small flat."),
        ("thing:travels", "Has been to Rome.", "Has been to Paris."),
        ("person:home", "Lives in Austin.", "Lives in Berlin."),
        ("thing:job", "Works as a nurse.", "Works as a teacher."),
    ],
)
def test_no_different_values(about, one, other):
    assert not give_different_values(about, one, other)
    assert not give_different_values(about, other, one)
