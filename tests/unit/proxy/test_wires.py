"""The readers of each wire: what is said in a request, and where memory goes into it."""

import json

import pytest

from memory.proxy.reading.transcript import Line
from memory.proxy.wires.anthropic_messages import MARK, MOST_MARKS, read_messages
from memory.proxy.wires.chat_completions import read_chat
from memory.proxy.wires.responses import read_response
from memory.proxy.wires.wire import Memory
from memory.text.errors import InvalidRequest

MEMORY = Memory("You are Mira.", "You remember.")
SHORT = {"type": "ephemeral"}


def lines(body):
    return list(body.transcript.lines)


def of_response(input_, **fields):
    return read_response(json.dumps({"model": "m", "input": input_, **fields}))


def of_messages(*messages, **fields):
    return read_messages(json.dumps({"model": "m", "max_tokens": 9, "messages": list(messages), **fields}))


def user(content):
    return {"role": "user", "content": content}


def text(words, **fields):
    return {"type": "text", "text": words, **fields}


def test_a_chat_has_the_same_lines_on_each_wire():
    call = {"id": "c", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    picture = "data:image/png;base64,AA"
    chat = [
        {"role": "system", "content": "Be brief."},
        user("The weather?"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "rain"},
        {"role": "assistant", "content": "Rain."},
        user([text("And this?"), {"type": "image_url", "image_url": {"url": picture}}]),
    ]
    response = of_response(
        [
            user("The weather?"),
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look."}]},
            {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "rain"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rain."}]},
            user([{"type": "input_text", "text": "And this?"}, {"type": "input_image", "image_url": picture}]),
        ],
        instructions="Be brief.",
    )
    messages = of_messages(
        user("The weather?"),
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Look.", "signature": "s"},
                {"type": "tool_use", "id": "c", "name": "weather", "input": {}},
            ],
        },
        user([{"type": "tool_result", "tool_use_id": "c", "content": "rain"}]),
        {"role": "assistant", "content": [text("Rain.")]},
        user([text("And this?"), {"type": "image", "source": {"type": "base64", "data": "AA"}}]),
        system=[text("Be brief.")],
    )
    said = [
        Line("system", "Be brief."),
        Line("user", "The weather?"),
        Line("assistant", other_parts=True),
        Line("tool", other_parts=True),
        Line("assistant", "Rain."),
        Line("user", "And this?", other_parts=True),
    ]
    assert lines(response) == lines(messages) == said
    shown = lines(read_chat(json.dumps({"model": "m", "messages": chat})))
    assert [(line.role, line.text) for line in shown if line.role != "tool"] == [
        (line.role, line.text) for line in said if line.role != "tool"
    ]


def test_an_input_is_a_string_or_items_and_may_name_what_the_server_keeps():
    body = of_response("And when?", previous_response_id="resp_1")
    assert (body.continues, lines(body)) == ("resp_1", [Line("user", "And when?")])
    body = of_response([{"type": "item_reference", "id": "msg_1"}, user("Why?")], conversation={"id": "conv_1"})
    assert body.conversation == "conv_1"
    assert [line.refers_to for line in lines(body)] == ["msg_1", None]


def test_what_a_response_can_not_be_is_refused_with_a_reason():
    for fields, said in [
        ({"input": "Hi.", "background": True}, "`background`"),
        ({"input": 7}, "`input` must be"),
        ({"input": ["Hi."]}, "`input` must be"),
        ({"input": []}, "not empty"),
        ({"input": "Hi.", "max_output_tokens": "9"}, "`max_output_tokens` must be"),
        ({"input": "Hi.", "stream": 1}, "`stream` must be"),
    ]:
        with pytest.raises(InvalidRequest, match=said):
            read_response(json.dumps({"model": "m", **fields}))
    for messages in ([], "Hi.", ["Hi."]):
        with pytest.raises(InvalidRequest, match="messages: Field required"):
            read_messages(json.dumps({"model": "m", "messages": messages}))


def test_memory_in_a_response_leaves_all_before_the_last_words_as_it_was():
    items = [user("One."), {"type": "message", "role": "assistant", "content": "Two."}, user("Three.")]
    sent = json.loads(of_response(items, instructions="Be brief.").written("m", MEMORY))
    assert sent["instructions"] == "Be brief.\n\nYou are Mira."
    assert sent["input"] == [*items[:2], user("Three.\n\nYou remember.")]
    sent = json.loads(of_response("Three.").written("other", MEMORY))
    assert (sent["instructions"], sent["input"]) == ("You are Mira.", "Three.\n\nYou remember.")
    part = {"type": "input_text", "text": "Three."}
    sent = json.loads(of_response([user([part])]).written("m", MEMORY))
    assert sent["input"] == [user([part, {"type": "input_text", "text": "You remember."}])]


@pytest.mark.parametrize("kept", [{"previous_response_id": "resp_1"}, {"conversation": "conv_1"}])
def test_memory_is_in_no_talk_that_the_server_keeps(kept):
    sent = json.loads(of_response("Three.", **kept).written("m", MEMORY))
    assert (sent["instructions"], sent["input"]) == ("You are Mira.\n\nYou remember.", "Three.")


def test_memory_in_messages_is_behind_the_clients_marks_and_adds_none_beyond_the_limit():
    system = [text("Tools.", **{MARK: SHORT}), text("Rules.", **{MARK: SHORT})]
    talk = [user([text("One.")]), {"role": "assistant", "content": "Two."}, user([text("Three.", **{MARK: SHORT})])]
    sent = json.loads(of_messages(*talk, system=system).written("m", MEMORY))
    assert sent["system"] == [*system, text("You are Mira.", **{MARK: SHORT})]
    assert sent["messages"] == [*talk[:2], user([text("Three.", **{MARK: SHORT}), text("You remember.")])]
    talk[0] = user([text("One.", **{MARK: SHORT})])
    sent = json.loads(of_messages(*talk, system=system).written("m", MEMORY))
    assert sent["system"] == [*system, text("You are Mira.")]
    assert json.dumps(sent).count(MARK) == MOST_MARKS


def test_a_mark_before_one_that_lives_for_an_hour_lives_as_long():
    long = {"type": "ephemeral", "ttl": "1h"}
    body = of_messages(user([text("One.", **{MARK: long})]), system="Rules.")
    assert json.loads(body.written("m", MEMORY))["system"] == [text("Rules."), text("You are Mira.", **{MARK: long})]
    # It is written at another price than the model's.
    assert body.surcharge == MARK
    assert of_messages(user([text("One.", **{MARK: SHORT})])).surcharge is None


def test_of_a_client_without_marks_the_stable_memory_and_the_talk_are_marked():
    sent = json.loads(of_messages(user("One."), system="Rules.").written("m", MEMORY))
    assert sent["system"] == [text("Rules."), text("You are Mira.", **{MARK: SHORT})]
    assert sent["messages"] == [user([text("One.", **{MARK: SHORT}), text("You remember.")])]
    sent = json.loads(of_messages(user("One."), cache_control=SHORT).written("m", MEMORY))
    assert sent["messages"] == [user([text("One.", **{MARK: SHORT}), text("You remember.")])]


@pytest.mark.parametrize(
    ("read", "fields", "name"),
    [
        (read_response, {"input": "Hi."}, "max_output_tokens"),
        (read_messages, {"messages": [user("Hi.")]}, "max_tokens"),
    ],
)
def test_a_request_without_a_limit_is_given_one(read, fields, name):
    body = read(json.dumps({"model": "m", **fields}))
    assert body.answer_limit is None
    assert json.loads(body.written("m", None, (name, 40)))[name] == 40
    limited = read(json.dumps({"model": "m", **fields, name: 7}))
    assert limited.answer_limit == 7
    assert limited.written("m", None, (name, 40)).decode() == limited.body.text


@pytest.mark.parametrize(
    ("body", "surcharge"),
    [
        (of_response("Hi.", tools=[{"type": "function", "name": "f"}, {"type": "custom", "name": "c"}]), None),
        (of_response("Hi.", tools=[{"type": "web_search"}]), "tools"),
        (of_response("Hi.", service_tier="priority"), "service_tier"),
        (of_response("Hi.", conversation="conv_1"), "conversation"),
        (of_messages(user("Hi."), tools=[{"name": "f", "input_schema": {}}]), None),
        (of_messages(user("Hi."), tools=[{"type": "web_search_20250305", "name": "web_search"}]), "tools"),
        (of_messages(user("Hi."), speed="fast"), "speed"),
    ],
)
def test_what_may_cost_more_than_the_models_price_is_told(body, surcharge):
    assert body.surcharge == surcharge


def test_pictures_count_by_what_they_show():
    data = "A" * 5000
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": [picture]}
    body = of_messages(user([picture, result]))
    assert (body.media, body.prompt_bytes < len(data)) == (2, True)
    body = of_response([user([{"type": "input_image", "image_url": f"data:image/png;base64,{data}"}])])
    assert (body.media, body.prompt_bytes < len(data)) == (1, True)
