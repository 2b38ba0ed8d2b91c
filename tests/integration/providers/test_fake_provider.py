"""The fake provider speaks well enough for the real SDKs, and can be scripted from another process."""

import hashlib
import json
import threading
from contextlib import closing
from http.client import HTTPConnection

import anthropic
import openai
import pytest
from pydantic import BaseModel

from tests.fakes.provider import Behaviour, running_provider


class Merge(BaseModel):
    """What a model might be asked for."""

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
    ],
)
def test_what_the_models_refuse_is_refused(anthropic_client, options):
    with pytest.raises(anthropic.BadRequestError):
        ask_anthropic(anthropic_client, **options)


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
    asking.join(10)
    assert answers[0].choices[0].message.content == "ok"
