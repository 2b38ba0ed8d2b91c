"""Requests to Anthropic's models: a prefix that a cache can live on, nothing that they refuse, batches for half."""

import json
from contextlib import closing
from dataclasses import replace

import pytest

from providers.completion import Usage
from providers.errors import BadAnswer, InputRefused, Misconfigured, Transient
from providers.thinkers import Thinkers
from providers.thinking import BatchThinker
from tests.fakes.provider import Behaviour
from tests.integration.providers.questions import ABOUT, ANSWER, INSTRUCTIONS, question


@pytest.fixture
def thinker(thinkers):
    return thinkers.with_key("anthropic", "key")


def prefix(body):
    """Everything that a cache's key is made of, up to the last mark, in the order in which it is read."""
    assert all("cache_control" not in message for message in body["messages"])
    assert all("cache_control" in block for block in body["system"])
    return json.dumps([body["model"], body["output_config"], body["system"]])


def test_cache_breakpoints_follow_the_stable_parts(provider, thinker):
    thinker.ask(question("Monday"))
    thinker.ask(question("a Tuesday with more in it"))
    one, other = (request.body for request in provider.requests)
    assert prefix(one) == prefix(other)
    instructions, about = (block["text"] for block in one["system"])
    assert instructions.startswith(INSTRUCTIONS)
    assert about == ABOUT
    assert one["messages"] != other["messages"]
    assert "Monday" not in prefix(one)


def test_a_cached_prefix_is_read_and_not_written_again(thinker):
    first, second, stranger = (
        thinker.ask(asked).usage
        for asked in (
            question("Monday"),
            question("Tuesday"),
            question("Monday", about="You are Noor."),
        )
    )
    assert first.cache_read_tokens == 0
    assert second.cache_write_tokens == 0
    assert second.cache_read_tokens == first.cache_write_tokens > 0
    assert 0 < stranger.cache_read_tokens < second.cache_read_tokens
    assert stranger.cache_write_tokens > 0
    assert second.input_tokens > 0


def test_a_question_without_a_being_has_one_breakpoint(provider, thinker):
    thinker.ask(question(about=""))
    assert len(provider.requests[0].body["system"]) == 1


@pytest.mark.parametrize(("form", "told"), [("auto", INSTRUCTIONS), ("full", INSTRUCTIONS), ("short", "In short.")])
def test_instructions_are_short_if_the_setting_says_so(provider, settings, form, told):
    with closing(Thinkers(settings.model_copy(update={"prompts": form}))) as thinkers:
        thinkers.with_key("anthropic", "key").ask(replace(question(), short="In short."))
    assert provider.requests[0].body["system"][0]["text"].startswith(told)


def test_schema_effort_and_token_limit_are_sent(provider, thinker, settings):
    thinker.ask(question(most_tokens=123))
    body = provider.requests[0].body
    assert body["output_config"]["format"]["schema"]["title"] == "Merges"
    assert body["output_config"]["effort"] == settings.thinking_effort
    assert body["max_tokens"] == 123 + settings.thinking_room
    assert body.keys() == {"model", "max_tokens", "system", "messages", "output_config"}


def test_a_model_of_anthropic_without_effort_is_a_configuration_error(provider, settings):
    with closing(Thinkers(settings.model_copy(update={"anthropic_base_url": None}))) as thinkers:
        own = thinkers.with_key("anthropic", "key")
        own.client.base_url = provider.url
        provider.script(Behaviour(do="fail", status=400, message="This model does not support the effort parameter."))
        with pytest.raises(Misconfigured, match="PATROL_THINKING_EFFORT"):
            own.ask(question())
        own.ask(question())
    assert provider.requests[-1].body["system"][0]["text"] == INSTRUCTIONS


def test_a_compatible_server_is_told_the_schema_and_asked_without_one_that_it_refuses(provider, thinkers):
    provider.script(
        Behaviour(do="fail", status=400, message="output_config: Extra inputs are not permitted"),
        Behaviour(do="answer", text=ANSWER, times=None),
    )
    for key in ("one", "another"):
        assert thinkers.with_key("anthropic", key).ask(question()).text == ANSWER
    assert ["output_config" in request.body for request in provider.requests] == [True, False, False]
    assert all('"title": "Merges"' in request.body["system"][0]["text"] for request in provider.requests)


def test_a_batch_is_handed_in_and_fetched(provider, thinker):
    assert isinstance(thinker, BatchThinker)
    provider.script(
        Behaviour(do="answer", on="batched", text=ANSWER, times=2),
        Behaviour(do="refuse", on="batched"),
        Behaviour(do="fail", on="batched", status=400),
        Behaviour(do="fail", on="batched", status=529),
        Behaviour(do="fail", on="batched", status=403),
        Behaviour(do="expire", on="batched"),
        Behaviour(do="unfinished", on="batch"),
    )
    names = ["first", "second", "declined", "refused", "overloaded", "forbidden", "late"]
    batch_id = thinker.submit([(name, question(name)) for name in names])
    assert thinker.collect(batch_id) is None
    came = thinker.collect(batch_id)
    assert came.keys() == thinker.collect(batch_id).keys() == set(names)
    assert came["first"].text == came["second"].text == ANSWER
    assert came["second"].usage.cache_read_tokens == came["first"].usage.cache_write_tokens
    assert isinstance(came["declined"], BadAnswer)
    assert came["declined"].completion.usage != Usage()
    assert isinstance(came["refused"], InputRefused)
    assert isinstance(came["overloaded"], Transient)
    assert isinstance(came["forbidden"], Misconfigured)
    assert isinstance(came["late"], Transient)


def test_a_batch_ends_early_when_it_is_cancelled(provider, thinker):
    provider.script(Behaviour(do="early", on="batched", text=ANSWER, when="first"))
    batch_id = thinker.submit([(name, question(name)) for name in ("first", "second")])
    thinker.cancel(batch_id)
    came = thinker.collect(batch_id)
    assert came["first"].text == ANSWER
    assert isinstance(came["second"], Transient)

    provider.script(Behaviour(do="fail", status=400, on="batch_cancel"))
    thinker.cancel(batch_id)
    with pytest.raises(Misconfigured, match="no such batch"):
        thinker.cancel("msgbatch_999")


def test_what_separates_lines_elsewhere_may_stand_in_an_answer(provider, thinker):
    text = '{"pairs": [], "reason": "one\u2028two\u0085three"}'
    provider.script(Behaviour(do="answer", on="batched", text=text))
    assert thinker.collect(thinker.submit([("one", question())]))["one"].text == text


def test_a_question_in_a_batch_is_asked_as_it_is_asked_alone(provider, thinker):
    thinker.ask(question())
    thinker.submit([("one", question())])
    alone, _, batched = provider.requests
    assert batched.body == alone.body


def test_an_unknown_batch_says_so(thinker, thinkers):
    with pytest.raises(Misconfigured, match="no such batch"):
        thinker.collect("msgbatch_999")
    batch_id = thinker.submit([("one", question())])
    with pytest.raises(Misconfigured, match="no such batch"):
        thinkers.with_key("anthropic", "another").collect(batch_id)


@pytest.mark.parametrize("on", ["batches", "batch", "batch_results"])
@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (Behaviour(do="fail", status=429, headers={"retry-after": "7"}), Transient),
        (Behaviour(do="fail", status=401), Misconfigured),
        (Behaviour(do="drop"), Transient),
        (Behaviour(do="garble"), Transient),
    ],
)
def test_what_goes_wrong_with_a_batch_says_what_to_do(provider, thinker, on, behaviour, kind):
    provider.script(behaviour.model_copy(update={"on": on}))
    with pytest.raises(kind):
        thinker.collect(thinker.submit([("one", question())]))
