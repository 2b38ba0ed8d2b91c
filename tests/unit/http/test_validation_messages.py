"""Complaints are few and short, however much is wrong; and to find what can't be kept takes no recursion."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from schemas.intake.inputs import MessageInput, NoteInput
from schemas.limits import NESTING
from schemas.nodes.recall import RecallRequest
from schemas.talk.rooms import RoomMessageInput
from schemas.text.storable import decoded, storable, storable_json, surely_storable, unstorable
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


def test_what_is_blank_is_called_so():
    with pytest.raises(ValidationError) as refused:
        MessageInput.model_validate({"role": "user", "content": " \n"})
    assert validation_messages(refused.value) == ["content: Must not be blank"]


TURN = {"role": "user", "content": "Tea?"}


@pytest.mark.parametrize(
    ("form", "sent", "told"),
    [
        (
            MessageInput,
            {**TURN, "created_at": "2026-03-02T06:10:00"},
            "created_at: Needs an offset from UTC, as in 2026",
        ),
        (MessageInput, {**TURN, "created_at": "2026-03-02T24:00:00Z"}, "; write it as 2026-03-02T06:10:00+01:00"),
        (MessageInput, {**TURN, "created_at": "yesterday"}, "; write it as 2026-03-02T06:10:00+01:00"),
        (MessageInput, {**TURN, "created_at": {"$date": 1}}, "; write it as 2026-03-02T06:10:00+01:00"),
        (MessageInput, "Tea?", "Input should be a valid dictionary (a JSON object)"),
        (MessageInput, {**TURN, "metadata": "{}"}, "metadata: Input should be a valid dictionary (a JSON object)"),
        (NoteInput, {"content": "Tea"}, "type: Field required"),
        (
            NoteInput,
            {"type": "event", "content": "Tea"},
            "type must be one of 'scene', 'todo', 'reminder', 'knowledge'",
        ),
    ],
)
def test_a_complaint_says_what_to_do_in_the_words_of_the_wire(form, sent, told):
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(form).validate_python(sent)
    (line,) = validation_messages(refused.value)
    assert told in line
    assert "Input)" not in line


def _nested(depth):
    return {"deep": _nested(depth - 1)} if depth else {}


def test_a_mark_in_the_metadata_puts_an_item_off_the_record():
    for metadata, off in (
        ({"off_the_record": True}, True),
        ({"chat": {"marks": [{"off_the_record": "yes"}]}}, True),
        *(({"off_the_record": mark}, False) for mark in (False, None, 0, "", "no", "False", " off ")),
        ({}, False),
        (_nested(300), False),
    ):
        assert MessageInput.model_validate({**TURN, "metadata": metadata}).off_the_record is off
        assert RoomMessageInput.model_validate({**TURN, "metadata": metadata}).off_the_record is off
    kept = {"type": "todo", "content": "Tea", "metadata": {"off_the_record": "no"}}
    assert TypeAdapter(NoteInput).validate_python(kept).metadata == kept["metadata"]
    for form, sent in (
        (MessageInput, {**TURN, "off_the_record": False}),
        (NoteInput, {"type": "todo", "content": "Tea"}),
    ):
        with pytest.raises(ValidationError) as refused:
            TypeAdapter(form).validate_python({**sent, "metadata": {"off_the_record": "yes"}})
        assert "off_the_record: " in validation_messages(refused.value)[0]


def test_a_complaint_is_short_whatever_names_it_holds():
    (told,) = bounded(["x" * 10_000])
    assert len(told) == MOST_MESSAGE_CHARACTERS
    with pytest.raises(ValidationError) as refused:
        RecallRequest.model_validate({"query": "x", "k" * 60_000: 1})
    assert len(validation_messages(refused.value)[0]) < MOST_PLACE_CHARACTERS + 50
    (told,) = unstorable({"k" * 60_000: [float("nan")]})
    assert len(told) < MOST_PLACE_CHARACTERS + 50


def test_places_are_named_in_order():
    value = {"a": [float("nan"), {"b": float("inf")}], "c": float("-inf")}
    assert [fault.partition(":")[0] for fault in unstorable(value)] == ["a[0]", "a[1].b", "c"]


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
        assert repr(storable(value)) == repr(value)


@given(VALUES)
def test_mended_text_can_be_stored_and_is_mended_once(value):
    mended = storable(value)
    written = json.dumps(mended, ensure_ascii=False)
    assert "\\u0000" not in written.replace("\\\\", "")
    written.encode()
    assert repr(storable(mended)) == repr(mended)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("cut \ud83d off", "cut \ufffd off"),
        ("\ude00", "\ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        ("a\0b", "a\ufffdb"),
        ("Zoë 🙂\u200d", "Zoë 🙂\u200d"),
    ],
)
def test_halves_are_joined_and_the_rest_replaced(text, mended):
    assert storable(text) == mended
    assert storable({text: [text, {"in": text}]}) == {mended: [mended, {"in": mended}]}
    assert json.loads(storable_json(json.dumps({text: text}))) == {mended: mended}


def test_text_that_is_no_json_or_has_nothing_to_mend_stays_byte_for_byte():
    for text in ('{"a":  "caf\\u00e9"}', '{"a": "\\ud83d', "\\u0000"):
        assert storable_json(text) == text


def test_halves_that_were_encoded_alone_are_joined():
    assert storable(decoded(b"\xef\xbb\xbf\xed\xa0\xbd\xed\xb8\x80!")) == "\U0001f600!"
    with pytest.raises(UnicodeDecodeError):
        decoded(b"J\xfcrgen")


def test_plain_values_are_storable_by_their_text():
    assert surely_storable(json.dumps({"content": 'Jürgen said "no \\ yes" 🙂', "metadata": {"at": [1, 2.5, None]}}))


def test_deep_values_are_not_storable_by_their_text():
    value = []
    for _ in range(NESTING):
        value = [value]
    assert list(unstorable(value))
    assert not surely_storable(json.dumps(value))
