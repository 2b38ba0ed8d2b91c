"""The body of a chat completion: read, and changed in single places only."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.proxy.wires.chat_completions import read_chat
from memory.proxy.wires.wire import Memory
from memory.text.errors import InvalidRequest

HELLO = '{"role": "user", "content": "Hi."}'

texts = st.text(max_size=6)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
messages = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool"]), "content": texts | values}),
    min_size=1,
    max_size=3,
)


def test_all_but_the_model_and_the_context_stays_as_it_was_written():
    text = f'\n{{ "temperature" : 1.50e0, "é":"\\u00e9", "messages" :[ {HELLO} ] ,"model": "m@mira","seed":1e400 }} '
    written = read_chat(text).written("m", Memory('You remember: "tea".')).decode()

    context = json.dumps({"role": "system", "content": 'You remember: "tea".'})
    assert written == text.replace('"m@mira"', '"m"').replace(HELLO, f"{context},{HELLO}")


def test_nothing_is_changed_where_there_is_nothing_to_change():
    text = f'{{"messages": [{HELLO}], "model": "m"}}'
    assert read_chat(text).written("m", None) == read_chat(text).written("m", Memory()) == text.encode()


@pytest.mark.parametrize(
    "text",
    [
        '{"off_the_record": true, "messages": [%s], "model": "m@mira"}',
        '{"messages": [%s] , "off_the_record" : true ,"model": "m@mira"}',
        '{"messages": [%s], "model": "m@mira" , "off_the_record": true }',
        '{"off_the_record":null,"messages": [%s],"model": "m@mira"}',
    ],
)
@pytest.mark.parametrize("memory", [None, Memory("You remember.", "And this.")])
def test_the_mark_is_the_proxys_own_wherever_it_stands(text, memory):
    body = read_chat(text % HELLO)
    assert body.off_the_record is ("true" in text)
    written = json.loads(body.written("m", memory, ("max_tokens", 9)))
    assert (written.keys(), written["model"]) == ({"max_tokens", "messages", "model"}, "m")


@pytest.mark.parametrize("mark", ['"off_the_record": "yes"', '"off_the_record": 1', '"OFF_the_record": true'])
def test_a_mark_that_servers_may_read_otherwise_is_refused(mark):
    with pytest.raises(InvalidRequest, match="off_the_record"):
        read_chat(f'{{{mark}, "messages": [{HELLO}], "model": "m"}}')


@pytest.mark.parametrize("role", ["system", "developer"])
def test_the_context_follows_the_clients_own_system_message_in_that_message(role):
    def with_context(content):
        text = json.dumps({"messages": [{"role": role, "content": content, "name": "x"}], "model": "m"})
        (message,) = json.loads(read_chat(text).written("m", Memory("And you remember.")))["messages"]
        assert (message["role"], message["name"]) == (role, "x")
        return message["content"]

    assert with_context("Be brief.") == "Be brief.\n\nAnd you remember."
    assert with_context(" ") == "And you remember."
    part = {"type": "text", "text": "Be brief."}
    assert with_context([part]) == [part, {"type": "text", "text": "And you remember."}]


def test_a_system_message_without_content_is_left_as_it_is():
    text = '{"messages": [{"role": "system", "content": null}], "model": "m"}'
    first, second = json.loads(read_chat(text).written("m", Memory("You remember.")))["messages"]
    assert first == {"role": "system", "content": "You remember."}
    assert second == {"role": "system", "content": None}


def test_what_varies_stands_behind_the_users_last_words():
    def with_memory(*said):
        body = {"messages": [{"role": role, "content": content} for role, content in said], "model": "m"}
        written = json.loads(read_chat(json.dumps(body)).written("m", Memory("You are.", "You remember.")))
        return [(message["role"], message["content"]) for message in written["messages"]]

    system, text = ("system", "You are."), {"type": "text", "text": "You remember."}
    assert with_memory(("user", "Hi.")) == [system, ("user", "Hi.\n\nYou remember.")]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    assert with_memory(("user", [picture]), ("tool", "rain"), ("assistant", "So")) == [
        system, ("user", [picture, text]), ("tool", "rain"), ("assistant", "So"),
    ]  # fmt: skip
    # Without words of the user's all of it stands at the beginning.
    assert with_memory(("assistant", "Hello.")) == [("system", "You are.\n\nYou remember."), ("assistant", "Hello.")]


@given(messages, st.dictionaries(texts, values, max_size=3), st.booleans(), st.booleans())
def test_a_body_of_any_content_is_read_and_written(said, more, ascii_only, indented):
    fields = {**more, "messages": said, "model": "one"}
    text = json.dumps(fields, ensure_ascii=ascii_only, indent=2 if indented else None)
    if not ascii_only and any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        return
    chat = read_chat(text)
    assert chat.body.fields == fields
    written = json.loads(chat.written("other", Memory("Context.")))
    assert written == {**fields, "model": "other", "messages": [{"role": "system", "content": "Context."}, *said]}


@pytest.mark.parametrize(
    ("fields", "choices", "most"),
    [
        ({}, 1, None),
        ({"n": 3, "max_tokens": 7}, 3, 7),
        ({"n": None, "max_tokens": 7, "max_completion_tokens": 9}, 1, 9),
        ({"max_tokens": 9, "max_completion_tokens": 7}, 1, 9),
        ({"max_tokens": 9, "n_predict": 70}, 1, 70),
        ({"n": 2, "best_of": 5, "max_tokens": None}, 5, None),
        # Without a limit, as several servers read them.
        ({"max_tokens": -1}, 1, None),
        ({"max_tokens": 0, "max_completion_tokens": 9}, 1, None),
        ({"n_predict": 5}, 1, None),
    ],
)
def test_choices_and_limits_of_the_answer(fields, choices, most):
    chat = read_chat(json.dumps({"messages": [{}], "model": "m", **fields}))
    assert (chat.choices, chat.answer_limit) == (choices, most)


@pytest.mark.parametrize(
    ("fields", "sent"),
    [
        ({}, {"max_completion_tokens": 40}),
        ({"max_tokens": 7}, {"max_tokens": 7}),
        ({"max_tokens": 0}, {"max_tokens": 40}),
        ({"max_tokens": -1, "max_completion_tokens": 7}, {"max_tokens": 40, "max_completion_tokens": 7}),
        ({"max_tokens": None}, {"max_tokens": None, "max_completion_tokens": 40}),
        ({"n_predict": 900}, {"n_predict": 40, "max_completion_tokens": 40}),
    ],
)
def test_a_request_without_a_limit_is_given_one_in_the_field_that_its_server_reads(fields, sent):
    body = {"messages": [{}], "model": "m", **fields}
    written = json.loads(read_chat(json.dumps(body)).written("m", None, ("max_completion_tokens", 40)))
    assert written == {"messages": [{}], "model": "m", **sent}


@pytest.mark.parametrize(
    "options", [{}, {"stream_options": None}, {"stream_options": {"include_usage": False, "x": 1}}]
)
def test_a_stream_is_asked_for_its_usage(options):
    body = {"messages": [{}], "model": "m", "stream": True, **options}
    chat = read_chat(json.dumps(body))
    assert chat.hides_usage
    kept = options.get("stream_options") or {}
    assert json.loads(chat.written("m", None)) == {**body, "stream_options": {**kept, "include_usage": True}}
    asked = read_chat(json.dumps({**body, "stream_options": {"include_usage": True}}))
    assert not asked.hides_usage
    assert asked.written("m", None).decode() == asked.body.text


@pytest.mark.parametrize(
    "fields",
    [
        *(
            {name: value}
            for name in ("max_tokens", "max_completion_tokens", "n_predict")
            for value in ("100000", 100000.0, True, -2, 10**8, [5])
        ),
        *({"n": value} for value in ("64", 64.0, 0, -1, 129, True)),
        {"best_of": 20.0},
        {"stream": "true"},
        {"stream": 1},
        {"stream_options": [1]},
    ],
)
def test_what_servers_read_differently_is_refused(fields):
    (name,) = fields
    with pytest.raises(InvalidRequest, match=f"`{name}` must be"):
        read_chat(json.dumps({"messages": [{}], "model": "m", **fields}))


@pytest.mark.parametrize(
    "more",
    [
        '"n": 1, "n": 64',
        '"n": 1, "\\u006e": 64',
        '"seed": 1, "seed": 2',
        '"MAX_TOKENS": 9',
        '"max_to\u212aens": 9',
        '"Service_Tier": "priority"',
    ],
)
def test_a_field_that_stands_twice_or_in_another_case_is_refused(more):
    with pytest.raises(InvalidRequest, match=r"twice|another case"):
        read_chat(f'{{"messages": [{HELLO}], "model": "m", {more}}}')


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


@pytest.mark.parametrize(
    "fields",
    [
        {"service_tier": "priority"},
        {"service_tier": ["priority"]},
        {"models": ["dear", "dearest"]},
        {"fallbacks": [{"model": "dearest"}]},
        {"route": "fallback"},
        {"modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "wav"}},
        {"audio": {"voice": "alloy"}},
        {"web_search_options": {}},
        {"plugins": [{"id": "web"}]},
        {"provider": {"order": ["the dearest"]}},
        {"enable_search": True},
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}]},
        {"tools": {"type": "function"}},
    ],
)
def test_what_may_cost_more_than_the_models_price_is_named(fields):
    assert read_chat(json.dumps({"messages": [{}], "model": "m", **fields})).surcharge == next(iter(fields))


@pytest.mark.parametrize(
    "fields",
    [
        {"service_tier": "auto"},
        {"service_tier": "flex", "modalities": ["text"], "web_search_options": None, "models": []},
        {"tools": [{"type": "function", "function": {"name": "f"}}, {"function": {"name": "g"}}]},
    ],
)
def test_what_costs_what_the_price_says_is_no_surcharge(fields):
    assert read_chat(json.dumps({"messages": [{}], "model": "m", **fields})).surcharge is None
