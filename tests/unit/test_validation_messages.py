"""Complaints are few and short, however much is wrong; and to find what can't be kept takes no recursion."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.limits import NESTING
from schemas.nodes.recall import RecallRequest
from schemas.text.storable import surely_storable, unstorable
from schemas.text.validation_messages import (
    MOST_MESSAGE_CHARACTERS,
    MOST_MESSAGES,
    MOST_PLACE_CHARACTERS,
    bounded,
    validation_messages,
)


def test_of_many_complaints_the_first_are_told_and_the_others_counted():
    assert bounded(map(str, range(MOST_MESSAGES))) == [str(number) for number in range(MOST_MESSAGES)]
    assert bounded(map(str, range(1000)))[MOST_MESSAGES:] == ["and 980 more"]
    with pytest.raises(ValidationError) as refused:
        RecallRequest.model_validate({"query": "x"} | {f"k{number}": 1 for number in range(500)})
    told = validation_messages(refused.value)
    assert len(told) == MOST_MESSAGES + 1
    assert told[-1] == "and 480 more"


def test_a_complaint_is_short_whatever_names_it_holds():
    (told,) = bounded(["x" * 10_000])
    assert len(told) == MOST_MESSAGE_CHARACTERS
    with pytest.raises(ValidationError) as refused:
        RecallRequest.model_validate({"query": "x", "k" * 60_000: 1})
    assert len(validation_messages(refused.value)[0]) < MOST_PLACE_CHARACTERS + 50
    (told,) = unstorable({"k" * 60_000: [float("nan")]})
    assert len(told) < MOST_PLACE_CHARACTERS + 50


def test_places_are_named_in_order():
    value = {"a": ["\0", {"b": float("inf")}], "c": "\ud800", "\0": 1}
    assert [fault.partition(":")[0] for fault in unstorable(value)] == [
        "the name of a field holds a NUL character, which Postgres can't store",
        "a[0]",
        "a[1].b",
        "c",
    ]


def test_what_is_nested_too_deeply_is_found_at_any_depth():
    value = []
    for _ in range(100_000):
        value = [value]
    assert list(unstorable(value)) == [f"it is nested deeper than {NESTING} levels"]
    while value:
        value = value.pop()


TEXTS = st.text(st.characters(codec=None) | st.sampled_from('\0\ud800\udc00\\u"{['), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
@example({"\0": 1})
@example(["\udc00"])
@example([float("-inf")])
@example([float("nan")])
def test_what_is_storable_by_its_text_has_no_fault(value):
    if surely_storable(json.dumps(value, ensure_ascii=False)):
        assert list(unstorable(value)) == []


def test_plain_values_are_storable_by_their_text():
    assert surely_storable(json.dumps({"content": 'Jürgen said "no \\ yes" 🙂', "metadata": {"at": [1, 2.5, None]}}))


def test_deep_values_are_not_storable_by_their_text():
    value = []
    for _ in range(NESTING):
        value = [value]
    assert list(unstorable(value))
    assert not surely_storable(json.dumps(value))
