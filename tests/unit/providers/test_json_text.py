"""The one JSON object in what a model said."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.answers.json_text import answer_text, items_so_far, only_object
from schemas.text.storable import storable_json

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), values, max_size=3).map(json.dumps)
around = st.text().filter(lambda text: not set("{}") & set(text))


@given(around, objects, around)
def test_it_is_found_whatever_stands_around_it(before, written, after):
    assert only_object(before + written + after) == storable_json(written)


@given(objects, objects)
def test_two_objects_are_none(one, other):
    assert only_object(f"{one} or {other}") is None


@given(objects, st.data())
def test_an_incomplete_object_is_none(written, data):
    assert only_object(written[: data.draw(st.integers(0, len(written) - 1))]) is None


@pytest.mark.parametrize("text", ["", "{", "null", "{" * 100_000, '{"a": NaN'])
def test_a_text_without_an_object_is_none(text):
    assert only_object(text) is None


def test_characters_that_are_none_are_mended():
    assert only_object('Here: {"a": "\\ud800 \\u0000 \\ud83d\\ude00"}') == '{"a": "\\ufffd \\ufffd \\ud83d\\ude00"}'


def test_an_answer_that_is_not_quite_json_can_be_stored():
    assert answer_text('{"a": "\ud83d \0",}') == '{"a": "\ufffd \ufffd",}'


def test_thinking_tags_are_skipped_outside_the_object_only():
    assert only_object('<think>Maybe {this}?</think> {"a": 1}') == '{"a": 1}'
    assert only_object('{"a": "</think>"}') == '{"a": "</think>"}'


@pytest.mark.parametrize(
    ("written", "items"),
    [
        ('{"items": [{"a": 1, "b": [{"c": 2}', None),
        ('{"items": [{"a": 1, "b": [{"c": 2}]}', 1),
        ('{"items": [{"a": 1, "b": [{"c": 2}]}, {"a": "}]}', 1),
        ('```json\n{"items": [{"a": 1}, {"a": 2}, {"a": 3, "b": [{"c": 4}, {"c"', 2),
        ('{"items": [{"a": 1}]}', 1),
        ('<think>{"items": [{"a": 1}', None),
        ('{"items": [', None),
    ],
)
def test_of_a_list_that_is_still_being_written_the_whole_items_are_read(written, items):
    found = items_so_far(written)

    assert (found and len(json.loads(found)["items"])) == items
