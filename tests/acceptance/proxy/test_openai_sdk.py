"""OpenAI's Python SDK against the proxy: the answer is the upstream's, byte for byte."""

from contextlib import suppress

import httpx2
import openai
import pytest

from tests.acceptance.conftest import PATIENCE
from tests.fakes.upstream import USAGE, Reply, completion

HELLO = [{"role": "user", "content": "Good morning."}]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Kyōto"}'}}
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"


def test_an_answer_is_the_upstreams_byte_for_byte(proxy, sdk):
    reply = Reply.document(
        completion("Good morning to you."),
        x_ratelimit_remaining_requests="59",
        openai_processing_ms="7",
        set_cookie="a=b",
    )
    proxy.upstream.replies.append(reply)
    answer = sdk().chat.completions.with_raw_response.create(model="fake-1", messages=HELLO)
    assert answer.http_response.content == reply.body
    assert answer.parse().choices[0].message.content == "Good morning to you."
    assert answer.headers["x-ratelimit-remaining-requests"] == "59"
    assert answer.headers["openai-processing-ms"] == "7"
    assert "set-cookie" not in answer.headers
    assert answer.headers["x-memory-upstream"] == "main"


def test_a_stream_is_the_upstreams_byte_for_byte(proxy, sdk):
    reply = Reply.stream("Good ", "morning", " to you.", usage=True)
    proxy.upstream.replies.append(reply)
    with sdk().chat.completions.with_streaming_response.create(
        model="fake-1", messages=HELLO, stream=True, stream_options={"include_usage": True}
    ) as answer:
        assert b"".join(answer.iter_bytes()) == reply.body
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    proxy.upstream.replies.append(Reply.stream("Good ", "morning"))
    events = list(sdk().chat.completions.create(model="fake-1", messages=HELLO, stream=True))
    assert "".join(event.choices[0].delta.content or "" for event in events) == "Good morning"


@pytest.mark.parametrize(
    "reply",
    [
        Reply.document(completion(None, tool_calls=[CALL])),
        Reply.document(completion("One of two.", choices=2)),
        Reply.document({"error": {"message": "No.", "é": [1.0, 1e-7]}}, 418),
        Reply([b'{"not": "quite JSON'], headers={"content-type": "application/json"}),
        Reply.deltas({"tool_calls": [{"index": 0, **CALL}]}, finish="tool_calls", usage=True),
        Reply.stream("Cut ", "off", ending="drop"),
    ],
    ids=["tools", "choices", "error", "no JSON", "streamed tools", "cut off"],
)
def test_whatever_an_upstream_answers_is_the_clients_byte_for_byte(proxy, sdk, reply):
    proxy.upstream.replies.append(reply)
    body = {"model": "fake-1", "messages": HELLO, "n": 2, "tools": [TOOL], "stream": reply.chunked}
    body["stream_options"] = {"include_usage": True}
    client, received = sdk(), b""
    url, headers = f"{proxy.base_url}/chat/completions", {"Authorization": f"Bearer {client.api_key}"}
    with (
        suppress(httpx2.RemoteProtocolError),
        httpx2.stream("POST", url, json=body, headers=headers, timeout=PATIENCE) as answer,
    ):
        for chunk in answer.iter_raw():
            received += chunk
    assert (answer.status_code, received) == (reply.status, reply.body)


def test_a_part_of_a_stream_arrives_before_the_next_is_sent(proxy, sdk):
    proxy.upstream.replies.append(Reply.stream("First", ending="wait"))
    with sdk().chat.completions.create(model="fake-1", messages=HELLO, stream=True) as stream:
        words = (event.choices[0].delta.content for event in stream)
        assert next(words) == ""
        assert next(words) == "First"
        # The upstream has sent no more, and the client has what there is.


def test_a_request_with_a_limit_reaches_the_upstream_as_it_was_but_for_model_and_context(proxy, sdk):
    content = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    messages = [
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": "The weather?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
        {"role": "user", "content": content, "name": "Ann"},
    ]
    more = {"tools": [TOOL], "temperature": 0.25, "seed": 2**60, "logit_bias": {"50256": -100}, "stop": ["\n", "é"]}
    more["max_tokens"] = 900
    sdk().chat.completions.create(
        model="fake-1@mira", messages=messages, extra_body={"unknown": {"a": [1, 2.50, None]}}, **more
    )
    (request,) = proxy.upstream.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-platform"
    sent = request.body
    assert sent["model"] == "fake-1"
    assert sent["messages"][1:] == messages[1:]
    assert sent["messages"][0]["role"] == "system"
    assert sent["messages"][0]["content"].startswith("You are brief.")
    rest = {name: value for name, value in sent.items() if name not in {"model", "messages"}}
    assert rest == {"unknown": {"a": [1, 2.5, None]}, **more}
    assert b"2.50" not in request.raw or b'"unknown"' in request.raw


def test_tool_calls_and_several_choices_pass(proxy, sdk):
    proxy.upstream.replies.append(Reply.document(completion(None, tool_calls=[CALL])))
    answer = sdk().chat.completions.create(model="fake-1", messages=HELLO, tools=[TOOL])
    assert answer.choices[0].message.tool_calls[0].function.arguments == CALL["function"]["arguments"]
    proxy.upstream.replies.append(Reply.document(completion("One of two.", choices=2)))
    answer = sdk().chat.completions.create(model="fake-1", messages=HELLO, n=2)
    assert len(answer.choices) == 2
    assert proxy.upstream.requests[-1].body["n"] == 2


@pytest.mark.parametrize(
    ("status", "raised"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (503, openai.InternalServerError),
    ],
)
def test_an_upstreams_error_is_the_clients(proxy, sdk, status, raised):
    error = {"error": {"message": "No.", "type": "a_type", "param": "model", "code": "a_code"}}
    reply = Reply.document(error, status, retry_after="7")
    proxy.upstream.replies.append(reply)
    with pytest.raises(raised) as caught:
        sdk().chat.completions.create(model="fake-1", messages=HELLO)
    assert caught.value.status_code == status
    assert caught.value.code == "a_code"
    assert caught.value.response.content == reply.body
    assert caught.value.response.headers["retry-after"] == "7"


def test_cancelling_a_stream_closes_the_upstream(proxy, sdk):
    proxy.upstream.replies.append(Reply.stream("I was just", ending="wait"))
    with sdk().chat.completions.create(model="fake-1", messages=HELLO, stream=True) as stream:
        assert [next(stream).choices[0].delta.content for _ in range(2)] == ["", "I was just"]
    proxy.upstream.wait_for(requests=1, hung_up=1)


def test_cancelling_before_the_first_byte_closes_the_upstream(proxy, sdk):
    proxy.upstream.replies.append(Reply.silence())
    with pytest.raises(openai.APITimeoutError):
        sdk().with_options(timeout=1.0).chat.completions.create(model="fake-1", messages=HELLO)
    proxy.upstream.wait_for(requests=1, hung_up=1)


def test_an_answer_that_breaks_off_breaks_off_here_too(proxy, sdk):
    proxy.upstream.replies.append(Reply.stream("I was about", ending="drop"))
    words = []
    stream = sdk().chat.completions.create(model="fake-1", messages=HELLO, stream=True)
    with pytest.raises(openai.APIConnectionError):
        words.extend(event.choices[0].delta.content for event in stream)
    assert words == ["", "I was about"]


def test_models_are_listed_under_the_names_that_requests_use(proxy, sdk, person):
    assert [model.id for model in sdk().models.list()] == ["fake-1", "fake-2", "free/local"]
    person.add_being("tom")
    assert [model.id for model in sdk().models.list()] == [
        *("fake-1@mira", "fake-2@mira", "free/local@mira"),
        *("fake-1@tom", "fake-2@tom", "free/local@tom"),
    ]
    sdk().chat.completions.create(model="free/local@tom", messages=HELLO)
    assert proxy.upstream.requests[-1].body["model"] == "local"
    assert "authorization" not in proxy.upstream.requests[-1].headers


@pytest.mark.parametrize("beings", [1, 2])
def test_each_listed_model_can_be_called_by_its_name(proxy, sdk, person, monkeypatch, beings):
    models = ["fake-1", "vendor@7", "free/big", "main/odd"]
    monkeypatch.setattr(proxy.upstream, "models", models)
    if beings > 1:
        person.add_being("tom")
    called = []
    for model in sdk().models.list():
        if not model.id.startswith("free/local"):
            sdk().chat.completions.create(model=model.id, messages=HELLO)
            called.append(proxy.upstream.requests[-1].body["model"])
            assert "authorization" in proxy.upstream.requests[-1].headers, "of the first upstream"
    assert called == models * beings


def test_each_call_is_in_the_accounts(proxy, sdk, person, wait_until):
    proxy.upstream.replies.append(Reply.stream("Good ", "morning", usage=True))
    list(sdk().chat.completions.create(model="fake-1", messages=HELLO, stream=True))
    proxy.upstream.replies.append(Reply.stream("uncounted"))
    list(sdk().chat.completions.create(model="fake-1", messages=HELLO, stream=True))
    line = {}

    def settled():
        (found,) = [each for each in person.client.get("/v1/cost").json()["spending"] if each["purpose"] == "chat"]
        line.update(found)
        return not line["unsettled"]

    # A client may go away with the last word, before the cost is recorded.
    wait_until(settled)
    assert (line["calls"], line["paid_with"], line["model"]) == (2, "platform", "fake-1")
    assert USAGE["completion_tokens"] < line["output_tokens"] < USAGE["completion_tokens"] + 20
    assert float(line["cost"]) > 0


def test_one_model_is_shown_as_it_is_listed(sdk):
    client = sdk()
    for model in client.models.list():
        assert client.models.retrieve(model.id) == model
    with pytest.raises(openai.NotFoundError, match="There is no model 'none'"):
        client.models.retrieve("none")


def test_what_the_proxy_does_not_serve_is_refused_in_openais_form(proxy, sdk):
    client = sdk()
    with pytest.raises(openai.NotFoundError, match="PATROL_PROXY_PASS_PATHS"):
        client.moderations.create(model="fake-1", input="Good morning.")
    assert proxy.upstream.requests == []


@pytest.mark.parametrize("base", ["//openai/v1", "/openai//v1/", "/openai/v1//"])
def test_needless_slashes_of_a_base_url_are_understood(proxy, sdk, base):
    proxy.upstream.replies.append(Reply.document(completion("Good morning to you.")))
    url, headers = f"{proxy.url}{base}/chat/completions/", {"Authorization": f"Bearer {sdk().api_key}"}
    answer = httpx2.post(url, json={"model": "fake-1", "messages": HELLO}, headers=headers, timeout=PATIENCE)
    assert answer.json()["choices"][0]["message"]["content"] == "Good morning to you."
