"""OpenAI's responses and Anthropic's messages, by the official SDKs: the upstream's bytes, and one memory."""

import json

import anthropic
import httpx2
import openai
import pytest

from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.proxy.test_memory import said
from tests.fakes.upstream import Reply, completion
from tests.fakes.wire_answers import message, response, streamed_message, streamed_response

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
MESSAGE = {"model": "fake-1", "max_tokens": 100}
SHORT = {"type": "ephemeral"}


def user(content):
    return {"role": "user", "content": content}


def assistant(content):
    return {"role": "assistant", "content": content}


def test_a_response_is_the_upstreams_byte_for_byte(proxy, sdk):
    replies = [Reply.document(response("Good morning."), openai_processing_ms="7"), streamed_response("Good ", "day.")]
    proxy.upstream.replies += replies
    whole = sdk().responses.with_raw_response.create(model="fake-1", input="Hello.")
    assert whole.http_response.content == replies[0].body
    assert whole.parse().output_text == "Good morning."
    assert (whole.headers["openai-processing-ms"], whole.headers["x-memory-stored"]) == ("7", "yes")
    with sdk().responses.with_streaming_response.create(model="fake-1", input="Hello.", stream=True) as streamed:
        assert b"".join(streamed.iter_bytes()) == replies[1].body
    assert {request.path for request in proxy.upstream.requests} == {"/v1/responses"}
    assert proxy.upstream.requests[0].headers["authorization"] == "Bearer sk-platform"


def test_a_message_is_the_upstreams_byte_for_byte(proxy, claude, person):
    replies = [Reply.document(message("Good morning."), request_id="req_1"), streamed_message("Good ", "day.")]
    proxy.upstream.replies += [*replies, streamed_message("Good ", "day.")]
    whole = claude().messages.with_raw_response.create(**MESSAGE, messages=[user("Hello.")])
    assert whole.http_response.content == replies[0].body
    assert whole.parse().content[0].text == "Good morning."
    assert (whole.headers["request-id"], whole.headers["x-memory-stored"]) == ("req_1", "yes")
    bearer = claude(api_key=None, auth_token=secret_of(person))
    with bearer.messages.with_streaming_response.create(
        **MESSAGE, messages=[user("Hello.")], stream=True, extra_headers={"anthropic-beta": "effort-1"}
    ) as streamed:
        assert b"".join(streamed.iter_bytes()) == replies[1].body
    with claude().messages.stream(
        **MESSAGE, messages=[user("Hello.")], extra_query={"beta": "true", "x": "1"}
    ) as gathered:
        assert gathered.get_final_message().content[-1].text == "Good day."
    first, second, third = proxy.upstream.requests
    assert (first.path, third.path) == ("/v1/messages", "/v1/messages?beta=true")
    assert (second.headers["x-api-key"], "authorization" in second.headers) == ("sk-platform", False)
    assert second.headers["anthropic-beta"] == "effort-1"
    assert second.headers["anthropic-version"].startswith("20")


def test_a_chat_that_changes_wire_stays_one_chat(proxy, sdk, claude, person, wait_until):
    told = ["My sister Ingeborg moves to Bergen.", "By ferry?", "No, by train.", "A long way.", "Two days."]
    proxy.upstream.replies.append(Reply.document(completion(told[1])))
    sdk().chat.completions.create(model="fake-1", messages=[user(told[0])])
    proxy.upstream.replies.append(streamed_response(told[3][:4], told[3][4:]))
    shown = [user(told[0]), assistant(told[1]), user(told[2])]
    list(sdk().responses.create(model="fake-1", input=shown, stream=True))
    proxy.upstream.replies.append(streamed_message("And ", "then?"))
    shown += [assistant([{"type": "text", "text": told[3]}]), user([{"type": "text", "text": told[4]}])]
    list(claude().messages.create(**MESSAGE, system="You are Mira.", messages=shown, stream=True))
    talk = [*told, "And then?"]
    wait_until(lambda: [text for _, text in said(person)] == talk)
    with person.ledger.transaction() as tx:
        rows = tx.execute(
            "select distinct conversation from memory.messages where being_id = %s", [person.being.being_id]
        )
        assert len(rows.fetchall()) == 1


def test_an_answer_that_a_response_goes_on_from_is_known_through_the_memory(proxy, sdk, person, newcomer, wait_until):
    client = sdk()
    proxy.upstream.replies += [
        Reply.document(response("By ferry?", "resp_a")),
        Reply.document(response("A long way.", "resp_b")),
        Reply.document(response("Why not?", "resp_c")),
    ]
    client.responses.create(model="fake-1", input="My sister moves to Bergen.")
    client.responses.create(model="fake-1", input="No, by train.", previous_response_id="resp_a")
    wait_until(lambda: len(said(person)) == 4)
    # From an earlier answer another way is gone, and the talk goes on there.
    client.responses.create(model="fake-1", input="No, on foot.", previous_response_id="resp_a")
    named = [{"type": "item_reference", "id": f"msg_resp_{name}"} for name in "ac"]
    words = [user(text) for text in ("My sister moves to Bergen.", "No, on foot.", "And when?")]
    client.responses.create(model="fake-1", input=[words[0], named[0], words[1], named[1], words[2]])
    stands = ["My sister moves to Bergen.", "By ferry?", "No, on foot.", "Why not?", "And when?", "ok"]
    wait_until(lambda: [text for _, text in said(person)] == stands)
    # The upstream is asked as the client asks.
    assert [one.body.get("previous_response_id") for one in proxy.upstream.requests] == [None, "resp_a", "resp_a", None]
    assert proxy.upstream.requests[-1].body["input"][1:4:2] == named
    seen = len(proxy.upstream.requests)
    # The platform's account keeps the talk of all.
    for token in (secret_of(newcomer()), None):
        with pytest.raises(openai.BadRequestError, match="has no answer of that id") as refused:
            sdk(token).responses.create(
                model="fake-1", input="And when?", previous_response_id="resp_a" if token else "resp_x"
            )
        assert refused.value.code == "previous_response_not_found"
    assert len(proxy.upstream.requests) == seen


def test_requests_with_tools_and_pictures_reach_the_upstream_as_they_were(proxy, sdk, claude, person):
    tool = {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}, "strict": None}
    items = [
        user([{"type": "input_text", "text": "And here?"}, {"type": "input_image", "image_url": "https://x.y/1.png"}]),
        {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": '{"city": "Kyōto"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "rain"},
    ]
    more = {"tools": [tool], "store": False, "max_output_tokens": 64, "include": ["reasoning.encrypted_content"]}
    sdk().responses.create(model="fake-1@mira", input=items, **more, extra_body={"unknown": [1e-7, None]})
    sent = proxy.upstream.requests[-1].body
    assert sent["input"][1:] == items[1:]
    assert sent["input"][0]["content"][:2] == items[0]["content"]
    assert {name: sent[name] for name in more} == more
    assert (sent["model"], sent["unknown"]) == ("fake-1", [1e-7, None])
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    talk = [
        user([{"type": "text", "text": "Where is this?", "cache_control": SHORT}, picture]),
        assistant([thought, {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "it"}}]),
        user([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a harbour", "cache_control": SHORT}]),
    ]
    tools = [{"name": "look", "input_schema": {"type": "object"}}]
    reply = message("", blocks=[thought, {"type": "tool_use", "id": "toolu_2", "name": "look", "input": {}}])
    proxy.upstream.replies.append(Reply.document({**reply, "stop_reason": "tool_use"}))
    answer = claude().messages.create(**MESSAGE, messages=talk, tools=tools, thinking={"type": "adaptive"})
    assert [block.type for block in answer.content] == ["thinking", "tool_use"]
    sent = proxy.upstream.requests[-1].body
    assert sent["messages"][:2] == talk[:2]
    assert sent["messages"][2]["content"][0] == talk[2]["content"][0]
    assert (sent["tools"], sent["thinking"]) == (tools, {"type": "adaptive"})
    assert json.dumps(sent).count("cache_control") <= 4
    assert [text for _, text in said(person)] == ["And here?", "ok", "Where is this?"]


def test_errors_are_in_the_form_of_the_wire(proxy, sdk, claude):
    with pytest.raises(openai.BadRequestError, match="`background`"):
        sdk().responses.create(model="fake-1", input="Hello.", background=True)
    for refused, match in [
        (lambda: sdk().responses.create(model="free/local", input="Hello."), '"responses" to its `wires`'),
        (lambda: claude().messages.create(**{**MESSAGE, "model": "free/local"}, messages=[user("Hello.")]), "messages"),
    ]:
        with pytest.raises((openai.BadRequestError, anthropic.BadRequestError), match=match) as told:
            refused()
        assert "PATROL_PROXY_UPSTREAMS" in str(told.value)
    for token, fault, kind in [
        ("patrol_wrong", anthropic.AuthenticationError, "authentication_error"),
        (None, anthropic.NotFoundError, "not_found_error"),
    ]:
        with pytest.raises(fault) as told:
            claude(token).messages.create(**{**MESSAGE, "model": "fake-1@stranger"}, messages=[user("Hello.")])
        assert told.value.body["type"] == "error"
        assert told.value.body["error"]["type"] == kind
    dear = claude(default_headers={"anthropic-beta": "context-1m-2025-08-07"})
    with pytest.raises(anthropic.BadRequestError, match="`anthropic-beta` may cost more"):
        dear.messages.create(**MESSAGE, messages=[user("Hello.")])
    # A model without a price exceeds each budget.
    with pytest.raises(anthropic.RateLimitError) as told:
        claude().messages.create(**{**MESSAGE, "model": "unpriced"}, messages=[user("Hello.")])
    assert told.value.body["error"]["type"] == "rate_limit_error"
    assert proxy.upstream.requests == []
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_1"}
    proxy.upstream.replies.append(Reply.document(error, 529))
    with pytest.raises(anthropic.APIStatusError) as told:
        claude().messages.create(**MESSAGE, messages=[user("Hello.")])
    assert (told.value.status_code, told.value.body) == (529, error)


def test_a_count_of_tokens_and_the_list_of_models_are_the_upstreams(proxy, claude, person):
    proxy.upstream.replies.append(Reply.document({"input_tokens": 41}))
    assert claude().messages.count_tokens(model="fake-1@mira", messages=[user("Hello.")]).input_tokens == 41
    (request,) = proxy.upstream.requests
    assert (request.path, request.body["model"]) == ("/v1/messages/count_tokens", "fake-1")
    assert said(person) == []
    listed = [model.id for model in claude().models.list()]
    assert listed == ["fake-1", "fake-2"]
    assert claude().models.retrieve("fake-2").id == "fake-2"


def test_other_paths_pass_where_the_operator_allows_it_and_no_account_is_shared(proxy, sdk, person):
    vector = {"object": "list", "model": "local", "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}]}
    proxy.upstream.replies.append(Reply.document(vector))
    made = sdk().embeddings.create(model="free/local", input="Hello.", encoding_format="float")
    assert made.data[0].embedding == [0.5]
    (request,) = proxy.upstream.requests
    assert (request.path, request.body["model"]) == ("/v1/embeddings", "local")
    with pytest.raises(openai.PermissionDeniedError, match="has a budget"):
        sdk().embeddings.create(model="fake-1", input="Hello.")
    headers = {"Authorization": f"Bearer {secret_of(person)}"}
    for path in ("files/../models", "files/%2e%2e/models", "moderations", "audio/speech"):
        answer = httpx2.get(f"{proxy.base_url}/{path}", headers=headers, timeout=PATIENCE)
        assert answer.status_code == 404 or answer.json()["object"] == "list", answer.text
    answer = httpx2.get(f"{proxy.base_url}/files", headers=headers, timeout=PATIENCE)
    assert answer.status_code == 403
    assert len(proxy.upstream.requests) == 1


def test_each_wires_calls_are_in_the_accounts(sdk, claude, person, wait_until):
    sdk().responses.create(model="fake-1", input="Hello.")
    list(claude().messages.create(**MESSAGE, messages=[user("Hello.")], stream=True))

    def settled():
        lines = [each for each in person.client.get("/v1/cost").json()["spending"] if each["purpose"] == "chat"]
        return [(line["calls"], line["input_tokens"], line["output_tokens"], line["unsettled"]) for line in lines] == [
            (2, 22, 6, 0)
        ]

    wait_until(settled)
