"""The platform's budget at the door: what evades it is refused or reserved, and all that comes is settled."""

import json

import httpx2
import openai
import pytest

from memory.llm import keys
from schemas.settings import Settings
from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import KEYS_SECRET, secret_of
from tests.fakes.upstream import USAGE, Reply

HELLO = [{"role": "user", "content": "Good morning."}]
# With the budget of a dollar a day, an answer of `dear` may have 3,300 tokens.
WITHIN, BEYOND = 1000, 100_000
ANSWER_TOKENS = 4096


@pytest.fixture
def asked(proxy, person):
    """Send a body as it is written; returns the answer."""
    secret = secret_of(person)

    def ask(body, **more):
        text = body if isinstance(body, str) else json.dumps({"model": "dear", "messages": HELLO, **body})
        return httpx2.post(
            f"{proxy.base_url}/chat/completions",
            headers={"Authorization": f"Bearer {secret}", "Content-Type": "application/json", **more},
            content=text.encode(),
            timeout=PATIENCE,
        )

    return ask


@pytest.fixture
def calls(person, wait_until):
    """Wait until a person's calls are settled; returns their tokens in and out."""

    def settled():
        with person.ledger.transaction() as tx:
            return tx.execute(
                """
                select input_tokens, output_tokens, outcome from memory.model_calls
                where user_id = %s and purpose = 'chat' order by call_id
                """,
                [person.user.user_id],
            ).fetchall()

    def read():
        wait_until(lambda: settled() and all(call["outcome"] != "unknown" for call in settled()))
        return [(call["input_tokens"], call["output_tokens"]) for call in settled()]

    return read


@pytest.mark.parametrize(
    "fields",
    [
        {"max_completion_tokens": 1, "max_tokens": BEYOND},
        {"max_tokens": 100, "n": 64},
        {"max_tokens": WITHIN, "prediction": {"type": "content", "content": "word " * 600}},
        {"max_tokens": 1, "tools": [{"type": "function", "function": {"name": "f", "description": "x" * (1 << 20)}}]},
        {
            "max_tokens": 1,
            "messages": [
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.b/c"}}] * 21}
            ],
        },
    ],
)
def test_what_would_exceed_the_budget_is_refused_however_it_is_asked_for(proxy, asked, fields):
    answer = asked(fields)
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "budget_spent"), answer.text
    assert proxy.upstream.requests == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"max_tokens": "100000"}, "`max_tokens` must be a whole number"),
        ('{"model": "dear", "messages": [{"role": "user"}], "max_tokens": 1, "max_tokens": 100000}', "twice"),
        ('{"model": "dear", "messages": [{"role": "user"}], "Service_Tier": "priority"}', "another case"),
    ],
)
def test_a_limit_that_servers_read_differently_is_refused(proxy, asked, fields, said):
    answer = asked(fields)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["type"], error["code"]) == ("invalid_request_error", "invalid")
    assert said in error["message"]
    assert proxy.upstream.requests == []


@pytest.mark.parametrize(
    "fields",
    [{"service_tier": "priority"}, {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}],
)
def test_what_costs_more_than_the_model_s_price_is_refused_where_the_platform_pays(proxy, asked, fields):
    answer = asked({"max_tokens": 1, **fields})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid"), answer.text
    assert f"`{next(iter(fields))}` may cost more" in answer.json()["error"]["message"]
    assert proxy.upstream.requests == []
    assert asked({"model": "free/local", "max_tokens": 1, **fields}).status_code == 200


def test_who_pays_with_an_own_key_may_ask_for_what_costs_more(proxy, asked, person):
    keys.add(person.ledger, Settings(secret_key=KEYS_SECRET), person.user.user_id, "openai", "sk-of-the-user")
    assert asked({"max_tokens": 1, "service_tier": "priority"}).status_code == 200
    assert proxy.upstream.requests[-1].body["service_tier"] == "priority"


def test_where_the_platform_pays_an_answer_has_a_limit(proxy, sdk, person):
    def sent(model="fake-1", **limits):
        sdk().chat.completions.create(model=model, messages=HELLO, **limits)
        body = proxy.upstream.requests[-1].body
        return {name: body[name] for name in ("max_completion_tokens", "max_tokens") if name in body}

    assert sent() == {"max_completion_tokens": ANSWER_TOKENS}
    assert sent(max_tokens=7) == {"max_tokens": 7}
    assert sent(max_tokens=-1) == {"max_tokens": ANSWER_TOKENS}
    assert sent("free/local") == {}
    keys.add(person.ledger, Settings(secret_key=KEYS_SECRET), person.user.user_id, "openai", "sk-of-the-user")
    assert sent() == {}


def test_a_streams_usage_is_asked_for_and_hidden_from_a_client_that_did_not_ask(proxy, asked, calls):
    stream = Reply.stream("Good ", "morning.", usage=True)
    plain = Reply.stream("Good ", "morning.")
    fields = {"model": "fake-1", "stream": True}
    proxy.upstream.replies += [stream, stream, plain]
    hidden = asked(fields)
    assert proxy.upstream.requests[-1].body["stream_options"] == {"include_usage": True}
    assert hidden.content == plain.body
    shown = asked({**fields, "stream_options": {"include_usage": True}})
    assert shown.content == stream.body
    # A server that reports none.
    assert asked(fields).content == plain.body
    reported = (USAGE["prompt_tokens"], USAGE["completion_tokens"])
    first, second, counted = calls()
    assert first == second == reported
    assert counted[1] >= len("Good morning.")


def test_a_server_that_refuses_to_tell_a_streams_usage_is_not_asked_for_it_again(proxy, asked):
    refusal = {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "not permitted"}]}
    plain = Reply.stream("Good ", "morning.")
    proxy.upstream.replies += [Reply.document(refusal, status=422), plain, plain]
    fields = {"model": "free/local", "stream": True}
    assert [asked(fields).content for _ in range(2)] == [plain.body, plain.body]
    asking = ["stream_options" in request.body for request in proxy.upstream.requests]
    assert asking == [True, False, False]


def test_an_error_that_is_not_about_the_usage_is_passed_on(proxy, asked):
    refusal = Reply.document({"error": {"message": "Unknown parameter: 'top_k'."}}, status=400)
    proxy.upstream.replies += [refusal]
    answer = asked({"model": "fake-1", "stream": True})
    assert (answer.status_code, answer.content) == (400, refusal.body)
    assert len(proxy.upstream.requests) == 1


def test_an_sdks_stream_shows_usage_only_where_it_was_asked_for(proxy, sdk):
    proxy.upstream.replies += [Reply.stream("Good ", "morning.", usage=True)] * 2
    ask = sdk().chat.completions.create
    events = list(ask(model="fake-1", messages=HELLO, stream=True))
    assert [event.usage for event in events if event.usage] == []
    assert all(event.choices for event in events)
    with_usage = list(ask(model="fake-1", messages=HELLO, stream=True, stream_options={"include_usage": True}))
    assert with_usage[-1].usage.completion_tokens == USAGE["completion_tokens"]


def test_all_that_came_is_settled_where_no_usage_is_reported(proxy, asked, calls):
    proxy.upstream.replies.append(Reply.deltas({"content": "word " * 100, "of_tomorrow": [{"text": "word " * 100}]}))
    assert asked({"model": "fake-1", "stream": True}).status_code == 200
    ((prompt, output),) = calls()
    assert output >= 1000
    assert prompt >= len(json.dumps(HELLO))


def test_every_choice_and_what_breaks_off_is_settled(proxy, asked, calls):
    proxy.upstream.replies.append(Reply.stream("word " * 200, "and", ending="drop"))
    with pytest.raises(httpx2.RemoteProtocolError):
        asked({"model": "fake-1", "stream": True})
    ((_, output),) = calls()
    assert output >= 1000


def test_a_usage_that_can_not_be_is_none(proxy, asked, calls):
    usage = {"prompt_tokens": 10**30, "completion_tokens": -7}
    message = {"role": "assistant", "content": "word " * 200}
    proxy.upstream.replies.append(Reply.document({"choices": [{"index": 0, "message": message}], "usage": usage}))
    assert asked({"model": "fake-1"}).status_code == 200
    ((prompt, output),) = calls()
    assert 1000 <= output < BEYOND
    assert len(json.dumps(HELLO)) <= prompt < BEYOND


def test_reasoning_that_stands_in_the_total_alone_is_settled(proxy, asked, calls):
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 915}
    message = {"role": "assistant", "content": "Yes."}
    proxy.upstream.replies.append(Reply.document({"choices": [{"index": 0, "message": message}], "usage": usage}))
    asked({"model": "fake-1"})
    assert calls() == [(10, 905)]


def test_a_refused_limit_is_the_sdks_own_error(proxy, sdk):
    with pytest.raises(openai.BadRequestError, match="`n` must be a whole number from 1 to 128"):
        sdk().chat.completions.create(model="fake-1", messages=HELLO, n=500)
    assert proxy.upstream.requests == []
