"""Thinkers ask the real way over real HTTP, and say what became of it."""

import json
import logging
import traceback
from contextlib import closing
from hashlib import sha256

import pytest

from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from providers.lease_guard import checking_each_request
from providers.thinkers import Thinkers
from providers.thinking import read
from samples.canned.server import Reply, Server
from schemas.settings import Settings
from tests.fakes.provider import Behaviour
from tests.integration.providers.questions import ANSWER, WORDS, question

SECRET = "sk-very-secret"  # noqa: S105 - made up, to look for it where it should not be
ENDPOINTS = {"anthropic": "messages", "openai": "chat"}


class LeaseLostError(Exception):
    """The error of a check when the work is no longer ours."""


@pytest.fixture(params=["anthropic", "openai"])
def thinker(request, thinkers):
    return thinkers.with_key(request.param, SECRET)


def test_an_answer_comes_in_its_form(provider, thinker):
    provider.script(Behaviour(do="answer", text=ANSWER))
    said = thinker.ask(question())
    answer = read(question(), said).answer
    assert answer.pairs[0].absorbed == ["n2"]
    assert said.model == thinker.model("large")
    assert said.usage.prompt_tokens > 0
    assert said.usage.output_tokens > 0
    assert provider.requests[0].endpoint == ENDPOINTS[thinker.provider]


def test_small_questions_go_to_the_small_model(provider, thinker):
    provider.script(Behaviour(do="answer", text=ANSWER))
    assert thinker.ask(question(size="small")).model == thinker.model("small") != thinker.model("large")


def test_a_refusal_is_a_bad_answer_that_was_paid_for(provider, thinker):
    provider.script(Behaviour(do="refuse"))
    with pytest.raises(BadAnswer, match="declined") as caught:
        thinker.ask(question())
    assert caught.value.why == "refusal"
    assert caught.value.completion.usage.prompt_tokens > 0


def test_an_answer_that_breaks_off_is_a_bad_answer_that_was_paid_for(provider, thinker):
    provider.script(Behaviour(do="truncate", text=ANSWER))
    with pytest.raises(BadAnswer, match="truncated") as caught:
        thinker.ask(question())
    assert caught.value.why == "truncation"
    assert ANSWER.startswith(caught.value.completion.text)
    assert caught.value.completion.usage.output_tokens > 0


@pytest.mark.parametrize("text", ["no JSON at all", " ", "{", '"a text"', "\0"])
def test_an_answer_other_than_one_json_object_is_bad_and_paid(provider, thinker, text):
    provider.script(Behaviour(do="answer", text=text))
    with pytest.raises(BadAnswer, match="not one JSON object") as caught:
        thinker.ask(question())
    assert "\0" not in caught.value.completion.text
    assert caught.value.completion.usage.prompt_tokens > 0


@pytest.mark.parametrize("around", ["{}", "Here it is:\n```json\n{}\n```\nDone.", "<think>{{never}}</think>\n{}"])
def test_text_around_the_object_is_passed_over(provider, thinker, around):
    provider.script(Behaviour(do="answer", text=around.replace("{}", ANSWER)))
    assert thinker.ask(question()).text == ANSWER


def test_garbage_instead_of_an_answer_is_asked_for_again_later_and_may_be_paid(provider, thinker):
    provider.script(Behaviour(do="garble"))
    with pytest.raises(Transient, match="no answer of a model") as caught:
        thinker.ask(question())
    assert caught.value.perhaps_paid


OPENAI = {"model": "gpt-large", "usage": {"prompt_tokens": 11, "completion_tokens": 3}}
ANTHROPIC = {"type": "message", "model": "claude", "stop_reason": "end_turn"}
CALL = {"function": {"name": "Merges", "arguments": ANSWER}}
SAID = {"content": ANSWER}


def chosen(message, **fields):
    return OPENAI | {"choices": [{"finish_reason": "stop", "message": message, **fields}]}


ODD = {
    "parts": (
        "openai",
        chosen({"content": [{"type": "text", "text": ANSWER[:9]}, {"type": "text", "text": ANSWER[9:]}]}),
    ),
    "an object": ("openai", chosen({"content": json.loads(ANSWER)})),
    "the call of a tool": ("openai", chosen({"content": None, "tool_calls": [CALL]}, finish_reason="tool_calls")),
    "the call of a tool behind a sentence": ("openai", chosen({"content": "I answer [now].", "tool_calls": [CALL]})),
    "reasoning that is JSON": ("openai", chosen({"content": "", "reasoning_content": ANSWER})),
    "no usage": ("openai", chosen(SAID) | {"usage": {}}),
    "usage in words": ("openai", chosen(SAID) | {"usage": {"prompt_tokens": "11", "completion_tokens": None}}),
    "no model": ("openai", chosen(SAID) | {"model": None}),
    "a reason that is none": ("openai", chosen(SAID, finish_reason=7)),
    "a text of Anthropic's": ("anthropic", ANTHROPIC | SAID),
    "another reason of Anthropic's": (
        "anthropic",
        ANTHROPIC | {"content": [{"type": "text", "text": ANSWER}], "stop_reason": "stop"},
    ),
    "a tool of Anthropic's": (
        "anthropic",
        ANTHROPIC | {"content": [{"type": "tool_use", "input": json.loads(ANSWER)}]},
    ),
    "a tool of Anthropic's behind a sentence": (
        "anthropic",
        ANTHROPIC
        | {"content": [{"type": "text", "text": "I answer:"}, {"type": "tool_use", "input": json.loads(ANSWER)}]},
    ),
}


@pytest.mark.parametrize("odd", ODD)
def test_an_answer_in_another_envelope_is_read_whole_or_as_a_stream_and_has_a_usage(odd):
    name, body = ODD[odd]
    with Server(0, lambda *_: Reply.json(200, body)) as server:
        settings = Settings(
            anthropic_base_url=server.url, openai_base_url=server.url, openai_thinking_model="gpt-large"
        )
        with closing(Thinkers(settings)) as thinkers:
            thinker = thinkers.with_key(name, SECRET)
            (*_, streamed) = thinker.stream(question())
            for answer in (thinker.ask(question()), streamed):
                assert json.loads(answer.text) == json.loads(ANSWER)
                assert answer.model in {"gpt-large", thinker.model("large")}
                assert answer.usage.prompt_tokens > 0 < answer.usage.output_tokens


@pytest.mark.parametrize("body", [{"detail": "busy"}, {"message": "Internal error"}, [], "", {"error": "loading"}])
@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_what_is_no_answer_of_a_model_is_transient(name, body):
    with Server(0, lambda *_: Reply.json(200, body)) as server:
        settings = Settings(
            anthropic_base_url=server.url, openai_base_url=server.url, openai_thinking_model="gpt-large"
        )
        with closing(Thinkers(settings)) as thinkers, pytest.raises(Transient):
            thinkers.with_key(name, SECRET).ask(question())


@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_busy_provider_is_transient_and_its_wait_is_kept(provider, thinker, status):
    provider.script(Behaviour(do="fail", status=status, headers={"retry-after": "7"}))
    with pytest.raises(Transient) as caught:
        thinker.ask(question())
    assert caught.value.retry_after == 7
    assert len(provider.requests) == 1


def test_a_dropped_connection_is_transient(provider, thinker):
    provider.script(Behaviour(do="drop"))
    with pytest.raises(Transient, match="unreachable"):
        thinker.ask(question())


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_no_answer_in_time_is_transient(provider, settings, name):
    provider.script(Behaviour(do="hang"))
    impatient = settings.model_copy(update={"thinking_timeout": 0.2})
    with closing(Thinkers(impatient)) as thinkers, pytest.raises(Transient, match="in time"):
        thinkers.with_key(name, SECRET).ask(question())


def test_an_input_that_the_provider_refuses_is_input_refused(provider, thinker):
    provider.script(Behaviour(do="fail", status=400))
    with pytest.raises(InputRefused):
        thinker.ask(question())


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_an_unknown_user_key_is_not_called_the_platforms(thinkers, name):
    with pytest.raises(Misconfigured, match="the user's key") as caught:
        thinkers.with_key(name, "wrong").ask(question())
    assert "API_KEY" not in str(caught.value)


def test_each_key_is_sent_for_itself_over_shared_connections(provider, thinkers):
    for key in ("sk-one", "sk-two"):
        thinkers.with_key("anthropic", key).ask(question())
        thinkers.with_key("openai", key).ask(question())
    one, two = (sha256(key.encode()).hexdigest() for key in ("sk-one", "sk-two"))
    assert [request.key_sha256 for request in provider.requests] == [one, one, two, two]


def test_no_request_is_sent_that_is_not_permitted(provider, thinker):
    def lost():
        raise LeaseLostError

    with checking_each_request(lost), pytest.raises(LeaseLostError):
        thinker.ask(question())
    assert provider.requests == []


@pytest.mark.parametrize("behaviour", ["fail", "garble", "refuse", "truncate", "drop", "answer"])
def test_no_error_and_no_log_line_holds_the_key_or_the_words(provider, thinker, behaviour, caplog):
    caplog.set_level(logging.WARNING)
    text = f"{WORDS} {SECRET} and more that is cut off"
    provider.script(Behaviour(do=behaviour, status=400, code=text, text=text))
    with pytest.raises(ProviderError) as caught:
        thinker.ask(question())
    printed = "".join(traceback.format_exception(caught.value))
    for place in (printed, caplog.text):
        assert SECRET not in place
        assert WORDS not in place
