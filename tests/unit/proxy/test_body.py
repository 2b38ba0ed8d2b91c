"""The body of a chat completion: read, and changed in single places only."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.proxy.body import read_chat
from memory.text.errors import InvalidRequest

HELLO = '{"role": "user", "content": "Hi."}'

leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)
messages = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool"]), "content": st.text() | values}),
    min_size=1,
    max_size=4,
)


def test_all_but_the_model_and_the_context_stays_as_it_was_written():
    text = f'\n{{ "temperature" : 1.50e0, "é":"\\u00e9", "messages" :[ {HELLO} ] ,"model": "m@mira","seed":1e400 }} '
    written = read_chat(text).written("m", 'You remember: "tea".').decode()

    context = json.dumps({"role": "system", "content": 'You remember: "tea".'})
    assert written == text.replace('"m@mira"', '"m"').replace(HELLO, f"{context},{HELLO}")


def test_nothing_is_changed_where_there_is_nothing_to_change():
    text = f'{{"messages": [{HELLO}], "model": "m"}}'
    assert read_chat(text).written("m", None) == read_chat(text).written("m", "") == text.encode()


@pytest.mark.parametrize("role", ["system", "developer"])
def test_the_context_follows_the_clients_own_system_message_in_that_message(role):
    def with_context(content):
        text = json.dumps({"messages": [{"role": role, "content": content, "name": "x"}], "model": "m"})
        (message,) = json.loads(read_chat(text).written("m", "And you remember."))["messages"]
        assert (message["role"], message["name"]) == (role, "x")
        return message["content"]

    assert with_context("Be brief.") == "Be brief.\n\nAnd you remember."
    assert with_context(" ") == "And you remember."
    part = {"type": "text", "text": "Be brief."}
    assert with_context([part]) == [part, {"type": "text", "text": "And you remember."}]


def test_a_system_message_without_content_is_left_as_it_is():
    text = '{"messages": [{"role": "system", "content": null}], "model": "m"}'
    first, second = json.loads(read_chat(text).written("m", "You remember."))["messages"]
    assert first == {"role": "system", "content": "You remember."}
    assert second == {"role": "system", "content": None}


@given(messages, st.dictionaries(st.text(), values), st.booleans(), st.booleans())
def test_a_body_of_any_content_is_read_and_written(said, more, ascii_only, indented):
    fields = {**more, "messages": said, "model": "one"}
    text = json.dumps(fields, ensure_ascii=ascii_only, indent=2 if indented else None)
    if not ascii_only and any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        return
    chat = read_chat(text)
    assert chat.fields == fields
    written = json.loads(chat.written("other", "Context."))
    assert written == {**fields, "model": "other", "messages": [{"role": "system", "content": "Context."}, *said]}


@pytest.mark.parametrize(
    ("fields", "choices", "most"),
    [
        ({}, 1, None),
        ({"n": 3, "max_tokens": 7}, 3, 7),
        ({"n": 0, "max_tokens": 7, "max_completion_tokens": 9}, 1, 9),
        ({"n": "3", "max_tokens": -1}, 1, None),
    ],
)
def test_choices_and_limits_of_the_answer(fields, choices, most):
    chat = read_chat(json.dumps({"messages": [{}], "model": "m", **fields}))
    assert (chat.choices, chat.most_answer_tokens) == (choices, most)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "must be a JSON object"),
        (f'{{"messages": [{HELLO}]}}', "`model` is missing"),
        (f'{{"messages": [{HELLO}], "model": 7}}', "`model` is missing"),
        ('{"model": "m", "messages": []}', "`messages` must be"),
        ('{"model": "m", "messages": ["Hi."]}', "`messages` must be"),
        (f'{{"model": "m", "messages": [{HELLO}], "model": "n"}}', "`model` twice"),
        (f'{{"model": "m", "messages": [{HELLO}], "messages": [{HELLO}]}}', "`messages` twice"),
    ],
)
def test_what_is_no_chat_completion_is_refused_with_a_reason(text, said):
    with pytest.raises(InvalidRequest, match=said):
        read_chat(text)


@pytest.mark.parametrize(
    "text", ["", "{", '{"a" 1}', '{"a": 1,}', '{"a": 1} x', "{1: 2}", '{"a": 1 "b": 2}', "nothing"]
)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ValueError, match=r"line 1|char"):
        read_chat(text)
