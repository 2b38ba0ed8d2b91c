"""The fake provider speaks well enough for the real SDKs, and can be scripted from another process."""

import hashlib
import json
import threading
from contextlib import closing, suppress
from http.client import HTTPConnection

import anthropic
import openai
import pytest
from pydantic import BaseModel

from tests.conftest import PATIENCE
from tests.fakes.provider import Behaviour, running_provider


class Merge(BaseModel):
    """An answer that a model might be asked for."""

    survivor: str
    absorbed: list[str]
    reason: str | None


@pytest.fixture
def openai_client(provider):
    with openai.OpenAI(api_key="key", base_url=provider.openai_url, max_retries=0) as client:
        yield client


@pytest.fixture
def anthropic_client(provider):
    with anthropic.Anthropic(api_key="key", base_url=provider.url, max_retries=0) as client:
        yield client


def ask_openai(client, **options):
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Merge?"}], **options)


def ask_anthropic(client, **options):
    return client.messages.create(model="m", max_tokens=99, messages=[{"role": "user", "content": "Merge?"}], **options)


def http(provider, method, path, body=None):
    with closing(HTTPConnection(provider.url.removeprefix("http://"))) as connection:
        connection.request(method, path, json.dumps(body))
        return json.load(connection.getresponse())


def test_queued_answers_come_in_order(provider, openai_client, anthropic_client):
    provider.script(
        Behaviour(do="answer", on="chat", text="first"),
        Behaviour(do="answer", on="chat", text="second"),
        Behaviour(do="answer", on="messages", text="third"),
    )
    assert ask_anthropic(anthropic_client).content[0].text == "third"
    assert ask_openai(openai_client).choices[0].message.content == "first"
    assert ask_openai(openai_client).choices[0].message.content == "second"


def test_an_unscripted_answer_is_the_smallest_that_the_schema_allows(openai_client, anthropic_client):
    smallest = Merge(survivor="", absorbed=[], reason=None)
    asked = [{"role": "user", "content": "Merge?"}]
    claude = anthropic_client.messages.parse(model="m", max_tokens=99, messages=asked, output_format=Merge)
    gpt = openai_client.chat.completions.parse(model="m", messages=asked, response_format=Merge)
    assert claude.parsed_output == smallest
    assert gpt.choices[0].message.parsed == smallest


def test_a_function_can_answer_from_the_prompt():
    with (
        running_provider(answer=lambda request: request.prompt.upper()) as provider,
        anthropic.Anthropic(api_key="key", base_url=provider.url, max_retries=0) as client,
    ):
        assert ask_anthropic(client, system="Hm.").content[0].text == "HM.\nMERGE?"


def test_truncation_and_refusal_look_as_they_do(provider, openai_client, anthropic_client):
    provider.script(
        Behaviour(do="truncate", text="12345678", times=2),
        Behaviour(do="refuse", times=2),
    )
    cut = ask_openai(openai_client).choices[0]
    assert (cut.finish_reason, cut.message.content) == ("length", "1234")
    cut = ask_anthropic(anthropic_client)
    assert (cut.stop_reason, cut.content[0].text) == ("max_tokens", "1234")
    declined = ask_openai(openai_client).choices[0].message
    assert (declined.content, bool(declined.refusal)) == (None, True)
    declined = ask_anthropic(anthropic_client)
    assert (declined.stop_reason, declined.content) == ("refusal", [])


@pytest.mark.parametrize(
    "options",
    [
        {"extra_body": {"temperature": 0}},
        {"extra_body": {"tool_choice": {"type": "any"}}},
        {"thinking": {"type": "disabled"}},
        {"output_config": {"effort": "utmost"}},
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object", "properties": {}}}}},
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "string", "maxLength": 9}}}},
        {"system": [{"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}]},
        {"system": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}] * 5},
    ],
)
def test_what_the_models_refuse_is_refused(anthropic_client, options):
    with pytest.raises(anthropic.BadRequestError):
        ask_anthropic(anthropic_client, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"max_tokens": 9, "max_completion_tokens": 9},
        {"response_format": {"type": "json_object"}},
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "a", "strict": True, "schema": {"type": "string", "default": ""}},
            }
        },
    ],
)
def test_what_openai_refuses_is_refused(openai_client, options):
    with pytest.raises(openai.BadRequestError):
        ask_openai(openai_client, **options)


def test_an_answer_that_is_too_long_breaks_off(provider, openai_client, anthropic_client):
    provider.script(Behaviour(do="answer", text="word " * 1000, times=None))
    assert ask_anthropic(anthropic_client).stop_reason == "max_tokens"
    assert ask_openai(openai_client, max_completion_tokens=99).choices[0].finish_reason == "length"
    response = openai_client.responses.create(model="m", input="Merge?", max_output_tokens=99)
    assert response.incomplete_details.reason == "max_output_tokens"


def test_responses_are_spoken(provider, openai_client):
    parsed = openai_client.responses.parse(model="m", instructions="Merge.", input="These?", text_format=Merge)
    assert parsed.output_parsed == Merge(survivor="", absorbed=[], reason=None)
    assert parsed.usage.input_tokens > 0
    assert provider.requests[0].prompt == "Merge.\nThese?"
    provider.script(Behaviour(do="refuse"), Behaviour(do="fail", status=429, headers={"retry-after": "7"}))
    assert openai_client.responses.create(model="m", input="Merge?").output[0].content[0].type == "refusal"
    with pytest.raises(openai.RateLimitError) as caught:
        openai_client.responses.create(model="m", input="Merge?")
    assert caught.value.response.headers["retry-after"] == "7"


def test_batches_are_spoken(provider, anthropic_client):
    params = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "Merge?"}]}
    provider.script(Behaviour(do="answer", on="batched", text="first"), Behaviour(do="unfinished", on="batch"))
    batches = anthropic_client.messages.batches
    batch = batches.create(requests=[{"custom_id": name, "params": params} for name in ("one", "two")])
    assert batches.retrieve(batch.id).processing_status == "in_progress"
    assert batches.retrieve(batch.id).request_counts.succeeded == 2
    said = {result.custom_id: result.result.message.content[0].text for result in batches.results(batch.id)}
    assert said == {"one": "first", "two": "ok"}
    batches.cancel(batch.id)
    assert {result.result.type for result in batches.results(batch.id)} == {"canceled"}


@pytest.mark.parametrize("custom_ids", [[], ["a b"], ["a" * 65], ["a", "a"]])
def test_a_batch_whose_ids_won_t_do_is_refused(anthropic_client, custom_ids):
    params = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "Merge?"}]}
    with pytest.raises(anthropic.BadRequestError):
        anthropic_client.messages.batches.create(
            requests=[{"custom_id": custom_id, "params": params} for custom_id in custom_ids]
        )


def test_what_was_asked_is_counted_by_what_for_and_whether_it_was_paid(provider, anthropic_client):
    asked = [{"role": "user", "content": "Merge?"}]
    provider.script(Behaviour(do="fail", status=529), Behaviour(do="refuse"))
    for _ in range(3):
        with suppress(anthropic.APIStatusError, ValueError):
            anthropic_client.messages.parse(model="m", max_tokens=99, messages=asked, output_format=Merge)
    assert len(provider.asked("Merge")) == 3
    assert len(provider.asked("Merge", paid=True)) == 2
    assert http(provider, "GET", "/counts") == {"Merge": {"asked": 3, "paid": 2}}


def test_it_is_scripted_and_read_over_http(provider, openai_client):
    http(provider, "POST", "/script", [{"do": "answer", "text": "from afar"}])
    assert ask_openai(openai_client).choices[0].message.content == "from afar"
    (request,) = http(provider, "GET", "/requests")
    assert request["endpoint"] == "chat"
    assert request["key_sha256"] == hashlib.sha256(b"key").hexdigest()
    http(provider, "POST", "/reset")
    assert provider.requests == []


def test_what_hangs_goes_on_when_released(provider, openai_client):
    provider.script(Behaviour(do="hang"))
    answers = []
    asking = threading.Thread(target=lambda: answers.append(ask_openai(openai_client)))
    asking.start()
    provider.wait_for_requests(1)
    assert answers == []
    provider.release()
    asking.join(PATIENCE)
    assert answers[0].choices[0].message.content == "ok"
