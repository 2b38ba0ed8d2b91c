"""Servers that speak like OpenAI's differ in what they can: the strictest form that one takes is found and kept."""

from contextlib import closing
from dataclasses import replace

import pytest

from providers.errors import BadAnswer, InputRefused, Misconfigured, Transient
from providers.sdk.context_limits import context_limit
from providers.thinkers import Thinkers
from providers.thinking import read
from samples.canned.provider import served
from samples.canned.server import Reply
from schemas.settings import Settings
from tests.fakes.provider import Behaviour, FakeProvider
from tests.integration.providers.questions import ABOUT, ANSWER, INSTRUCTIONS, WORDS, question


@pytest.fixture
def thinker(thinkers):
    return thinkers.with_key("openai", "key")


def form_of(request):
    return request.body.get("response_format", {}).get("type", "text")


def refusing(*forms, message="response_format is not supported by this server"):
    return [
        Behaviour(do="fail", on="chat", when=f'"type": "{form}"', status=400, message=message, times=None)
        for form in forms
    ]


def test_a_server_that_takes_schemas_gets_one(provider, thinker):
    thinker.ask(question())
    wanted = provider.requests[0].body["response_format"]["json_schema"]
    assert (wanted["name"], wanted["strict"], wanted["schema"]["title"]) == ("Merges", True, "Merges")


@pytest.mark.parametrize(
    ("refused", "tried"),
    [
        (["json_schema"], ["json_schema", "json_object"]),
        (["json_schema", "json_object"], ["json_schema", "json_object", "text"]),
    ],
)
def test_what_a_server_refuses_is_weakened_and_not_tried_again(provider, thinkers, refused, tried):
    provider.script(*refusing(*refused), Behaviour(do="answer", text=f"Sure!\n```json\n{ANSWER}\n```", times=None))
    for key in ("one", "another"):
        assert thinkers.with_key("openai", key).ask(question()).text == ANSWER
    assert [form_of(request) for request in provider.requests] == [*tried, tried[-1]]


def test_each_model_of_a_server_is_tried_for_itself(provider, thinker):
    provider.script(*refusing("json_schema"))
    thinker.ask(question())
    thinker.ask(question(size="small"))
    assert [form_of(request) for request in provider.requests] == ["json_schema", "json_object"] * 2


def test_a_refusal_for_another_reason_is_no_reason_to_weaken(provider, thinker):
    provider.script(Behaviour(do="fail", status=400, message="This model's maximum context length is 8192 tokens."))
    with pytest.raises(InputRefused):
        thinker.ask(question())
    assert len(provider.requests) == 1


def test_what_never_worked_is_not_taken_for_knowledge(provider, thinker):
    provider.script(Behaviour(do="fail", status=400, message="response_format? No: your text.", times=3))
    with pytest.raises(InputRefused):
        thinker.ask(question())
    thinker.ask(question())
    assert [form_of(request) for request in provider.requests] == ["json_schema", "json_object", "text", "json_schema"]


def test_a_server_elsewhere_is_told_the_schema_and_the_older_limit(provider, thinker, settings):
    thinker.ask(question(most_tokens=123))
    system, user = provider.requests[0].body["messages"]
    assert system["content"].startswith(INSTRUCTIONS)
    assert system["content"].endswith(ABOUT)
    assert '"title": "Merges"' in system["content"]
    assert user["role"] == "user"
    assert provider.requests[0].body["max_tokens"] == 123 + settings.thinking_room


def test_a_limit_that_a_server_refuses_is_called_by_its_other_name(provider, thinker):
    message = "Unsupported parameter: 'max_tokens' is not supported with this model."
    provider.script(Behaviour(do="fail", when='"max_tokens"', status=400, message=message, times=None))
    thinker.ask(question())
    thinker.ask(question())
    assert ["max_tokens" in request.body for request in provider.requests] == [True, False, False]


def test_what_openai_kept_by_itself_is_counted_once(thinker):
    first, second = thinker.ask(question("Monday")).usage, thinker.ask(question("Tuesday")).usage
    assert first.cache_read_tokens == 0
    assert second.cache_read_tokens > second.input_tokens > 0
    assert second.prompt_tokens == second.input_tokens + second.cache_read_tokens


def test_a_content_filter_is_a_refusal(provider, thinker):
    provider.script(Behaviour(do="filter"))
    with pytest.raises(BadAnswer, match="declined") as caught:
        thinker.ask(question())
    assert caught.value.why == "refusal"


def test_missing_usage_is_estimated(provider, thinker):
    provider.script(Behaviour(do="uncounted", text=ANSWER))
    usage = thinker.ask(question("some words " * 100)).usage
    assert usage.input_tokens > 100
    assert usage.output_tokens > 10


def test_a_users_key_is_sent_without_the_platforms_organization(settings, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-platform")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-the-platform")
    ours = settings.model_copy(update={"thinker": "openai", "openai_api_key": None})
    with closing(Thinkers(ours)) as thinkers:
        assert thinkers.platform().client.default_headers["OpenAI-Organization"] == "org-of-the-platform"
        brought = thinkers.with_key("openai", "key").client
        assert not {"org-of-the-platform", "project-of-the-platform"} & set(map(str, brought.default_headers.values()))


def is_with_schema(body):
    return body.get("response_format", {}).get("type") == "json_schema"


def is_with_system(body):
    return body["messages"][0]["role"] == "system"


def is_whole(body):
    return not body.get("stream")


OPTIONS = [
    (is_with_schema, "Invalid JSON payload received. Unknown name \"$defs\" at 'generation_config.response_schema'"),
    (is_with_schema, "JSON schema conversion failed: Unrecognized schema"),
    (is_with_system, "Developer instruction is not enabled for models/gemma-3-27b-it"),
    (is_with_system, "System role not supported"),
    (is_with_system, "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
    (is_with_system, "Conversation roles must alternate user/assistant/user/assistant/..."),
    (is_whole, "parameter.enable_thinking must be set to false for non-streaming calls"),
    (is_whole, "This model only support stream mode, please enable the stream parameter to access the model."),
    (is_whole, "enable thinking can not be support when `stream=False`."),
]


@pytest.mark.parametrize(("option", "said"), OPTIONS)
def test_what_a_model_cannot_do_is_not_asked_of_it(settings, option, said):
    class Unable(FakeProvider):
        def provide(self, request, *, known):
            if option(request.body):
                self._received(request)
                return Reply.json(400, [{"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}}])
            return super().provide(request, known=known)

    with (
        served(Unable(answer=lambda _: ANSWER)) as unable,
        closing(Thinkers(settings.model_copy(update={"openai_base_url": unable.openai_url}))) as thinkers,
    ):
        for _ in range(2):
            assert thinkers.with_key("openai", "key").ask(question()).text == ANSWER
    assert [option(request.body) for request in unable.requests] == [True, False, False]
    assert all(WORDS in str(request.body["messages"]) for request in unable.requests)
    assert all(INSTRUCTIONS in str(request.body["messages"]) for request in unable.requests)


class Listing(FakeProvider):
    """A server that also lists its models."""

    def __init__(self, *replies):
        super().__init__()
        self.replies = list(replies)

    def reply(self, method, path, key, content):
        if path == "/v1/models":
            return self.replies.pop(0)
        return super().reply(method, path, key, content)


def told(listing, times=1, **settings):
    """The instructions of some questions to a server."""
    with served(listing):
        usual = {"openai_base_url": listing.openai_url, "openai_thinking_model": "tiny"}
        with closing(Thinkers(Settings(**usual, **settings))) as thinkers:
            asked = replace(question(), short="In short.")
            for _ in range(times):
                thinkers.with_key("openai", "key").ask(asked)
    systems = [request.body["messages"][0]["content"] for request in listing.requests]
    return ["short" if said.startswith("In short.") else "full" for said in systems]


def listed(**fields):
    return Reply.json(200, {"data": [{"id": "other", "max_model_len": 4096}, {"id": "tiny", **fields}]})


@pytest.mark.parametrize(
    ("fields", "form"),
    [
        ({"max_model_len": 8192}, "short"),
        ({"context_length": 131_072}, "full"),
        ({"meta": {"n_ctx": 4096, "n_ctx_train": 131_072}}, "short"),
        ({"max_model_len": "many", "context_window": True}, "full"),
        ({}, "full"),
    ],
)
def test_a_model_with_little_context_gets_the_short_form(fields, form):
    assert told(Listing(listed(**fields)), times=2) == [form, form]


@pytest.mark.parametrize("body", [b"no JSON", b"[]", b'{"data": {}}', b'{"data": [7]}'])
def test_a_list_of_models_that_cannot_be_read_tells_nothing(body):
    assert told(Listing(Reply(200, body)), times=2) == ["full", "full"]


def test_a_server_that_lists_no_models_is_asked_for_them_once():
    assert told(Listing(Reply.json(404, {})), times=2) == ["full", "full"]


def test_a_busy_server_is_asked_for_its_models_again():
    assert told(Listing(Reply.json(503, {}), listed(max_model_len=8192)), times=3) == ["full", "short", "short"]


def test_a_server_with_one_model_answers_to_any_name():
    assert told(Listing(Reply.json(200, {"data": [{"id": "/models/q4.gguf", "meta": {"n_ctx": 8192}}]}))) == ["short"]


@pytest.mark.parametrize("form", ["short", "full"])
def test_a_form_that_is_set_is_used_without_asking(form):
    assert told(Listing(), prompts=form) == [form]


@pytest.mark.parametrize("status", [400, 404, 415, 422, 500])
def test_a_refused_option_is_known_by_its_name_in_any_error_of_a_request(provider, thinker, status):
    provider.script(
        Behaviour(
            do="fail",
            on="chat",
            when='"type": "json_schema"',
            status=status,
            message="Unsupported response_format: json_schema",
            times=None,
        ),
        Behaviour(do="answer", text=ANSWER, times=None),
    )
    assert thinker.ask(question()).text == ANSWER
    assert [form_of(request) for request in provider.requests] == ["json_schema", "json_object"]


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_that_fails_for_another_reason_is_away(provider, thinker, status):
    provider.script(Behaviour(do="fail", on="chat", status=status, message="Internal error", times=None))
    with pytest.raises(Transient):
        thinker.ask(question())
    assert len(provider.requests) == 1


TOO_LONG = [
    (400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 8192),
    (
        400,
        "This model's maximum context length is 8192 tokens. However, you requested 9726 tokens (8726 in messages).",
        8192,
    ),
    (400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 8192),
    (400, "the request exceeds the available context size (8192 tokens), try increasing it", 8192),
    (500, "the request exceeds the available context size. try increasing the context size", None),
    (500, "Requested tokens (9516) exceed context window of 8192", 8192),
    (400, "prompt is too long: 208310 tokens > 200000 maximum", 200000),
    (400, "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length", 200000),
    (400, "the input length exceeds the context length", None),
    (500, "prompt too long; exceeded max context length by 4 tokens", None),
    (400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32768),
    (400, "The input token count (9000) exceeds the maximum number of tokens allowed (8192).", 8192),
    (
        400,
        (
            "Trying to keep the first 9000 tokens when context the overflows. The model is loaded with context "
            "length of only 8192 tokens, which is not enough."
        ),
        8192,
    ),
    (404, "The number of tokens to keep from the initial prompt is greater than the context length.", None),
    (413, "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000.", None),
    (429, "Request too large for the model on tokens per min (TPM): Limit 30000, Requested 40000.", None),
    (422, "`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000 `inputs` tokens", 8192),
    (500, "input is too large to process. increase the physical batch size", None),
    (400, "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)", 8192),
    (400, "This model's maximum prompt length is 8192 but the request contains 9000 tokens.", 8192),
    (400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 8192]", 8192),
    (400, "invalid params, context window exceeds limit (2013)", None),
    (400, "Prompt exceeds max length", None),
]


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize(("status", "said", "limit"), TOO_LONG)
def test_a_request_that_is_longer_than_the_context_is_too_large(provider, thinkers, wire, status, said, limit):
    assert context_limit(said) == limit
    provider.script(Behaviour(do="fail", status=status, message=said, times=None))
    with pytest.raises(InputRefused) as refused:
        thinkers.with_key(wire, "key").ask(replace(question(), most_tokens=1))
    assert refused.value.too_large
    assert "8192" not in str(refused.value)


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("input length and `max_tokens` exceed context limit: 6000 + 9000 > 8192, decrease input length", 2092),
        (
            (
                "'max_tokens' is too large: 9000. The maximum context length is 8192 tokens and your request has "
                "6000 input tokens (9000 > 8192 - 6000)."
            ),
            2092,
        ),
        ("max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for this model", 8192),
        ("max_tokens is too large: 9000. This model supports at most 4096 completion tokens", 4096),
        ("`max_tokens` must be less than or equal to `8192`", 8192),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192),
        ("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]", 8192),
    ],
)
def test_an_answer_that_may_be_too_long_is_made_shorter_before_the_material(provider, thinkers, wire, said, left):
    provider.script(Behaviour(do="fail", status=400, message=said), Behaviour(do="answer", text=ANSWER, times=None))
    asked = replace(question(), most_tokens=9000)
    assert thinkers.with_key(wire, "key").ask(asked).text == ANSWER
    first, second = (limit_of(request) for request in provider.requests)
    assert (first >= 9000, second) == (True, left)

    # What the model writes at most is known from then on; what a prompt leaves is not the same for the next.
    thinkers.with_key(wire, "another").ask(asked)
    assert limit_of(provider.requests[2]) == (left if "context" not in said else first)


def limit_of(request):
    return next(request.body[name] for name in ("max_tokens", "max_completion_tokens") if name in request.body)


def test_an_answer_may_be_as_long_as_the_context_leaves(provider, thinker):
    said = "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens."
    provider.script(Behaviour(do="fail", on="chat", status=400, message=said))
    provider.script(Behaviour(do="answer", text=ANSWER, times=None))
    assert thinker.ask(replace(question(), most_tokens=9000)).text == ANSWER

    first, second = provider.requests
    limit = {"max_tokens", "max_completion_tokens"}.intersection(first.body).pop()
    assert first.body[limit] >= 9000
    assert 500 <= second.body[limit] < 4096


@pytest.mark.parametrize(
    ("reason", "why"),
    [("sensitive", "refusal"), ("SAFETY", "refusal"), ("insufficient_system_resource", "truncation")],
)
def test_why_an_answer_ended_is_read_in_the_words_of_other_servers(settings, reason, why):
    class Ending(FakeProvider):
        def provide(self, _request, *, known):  # noqa: ARG002  # it answers whatever the key
            choice = {"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": reason}
            return Reply.json(200, {"model": "m", "choices": [choice]})

    with (
        served(Ending()) as ending,
        closing(Thinkers(settings.model_copy(update={"openai_base_url": ending.openai_url}))) as thinkers,
        pytest.raises(BadAnswer) as caught,
    ):
        thinkers.with_key("openai", "key").ask(question())
    assert caught.value.why == why


def failed(message, **fields):
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, [failed("API key not valid. Please pass a valid API key.", status="INVALID_ARGUMENT")], Misconfigured),
        (400, [failed("User location is not supported for the API use.")], Misconfigured),
        (429, [failed("You exceeded your current quota, please check your plan and billing details.")], Transient),
        (400, failed("The model `m` has been decommissioned.", code="model_decommissioned"), Misconfigured),
        (400, failed("Model Not Exist", code="invalid_request_error"), Misconfigured),
        (400, failed("deepseek/m is not a valid model ID", code=400), Misconfigured),
        (400, {"object": "error", "message": "Invalid model: m", "type": "invalid_model"}, Misconfigured),
        (400, {"code": 20012, "message": "Model does not exist. Please check it.", "data": None}, Misconfigured),
        (400, failed("Budget has been exceeded! Max budget: 1.0", type="budget_exceeded"), Misconfigured),
        (429, failed("Your account is suspended.", type="exceeded_current_quota_error"), Misconfigured),
        (500, failed("insufficient balance (1008)", type="api_error"), Misconfigured),
        (200, {"choices": None, "base_resp": {"status_code": 1004, "status_msg": "login fail: no key"}}, Misconfigured),
        (200, {"choices": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit exceeded"}}, Transient),
        (429, failed("Too many tokens, please wait before trying again."), Transient),
        (503, failed("The upstream is flagged as unhealthy."), Transient),
        (503, failed("Model not found in cache, loading."), Transient),
        (400, failed("The response was filtered.", code="content_filter", param="prompt"), InputRefused),
        (400, {"detail": [{"msg": "no", "input": {"content": "I said: insufficient funds"}}]}, InputRefused),
    ],
)
def test_what_an_error_says_counts_before_its_status(settings, status, body, kind):
    assert_fails(settings, Reply.json(status, body), kind)


@pytest.mark.parametrize(
    ("status", "kind"), [(400, Transient), (403, Transient), (404, Misconfigured), (413, InputRefused)]
)
def test_the_page_of_a_gateway_is_no_word_about_key_or_input(settings, status, kind):
    assert_fails(settings, Reply(status, b"<html><title>Just a moment...</title></html>"), kind)


def assert_fails(settings, reply, kind):
    class Failing(FakeProvider):
        def provide(self, _request, *, known):  # noqa: ARG002  # it fails, whatever the key
            return reply

    with (
        served(Failing()) as failing,
        closing(Thinkers(settings.model_copy(update={"openai_base_url": failing.openai_url}))) as thinkers,
        pytest.raises(kind),
    ):
        thinkers.with_key("openai", "key").ask(question())


@pytest.mark.parametrize("status", [400, 200])
@pytest.mark.parametrize("written", [f"```json\n{ANSWER}\n```", f'{{"name": "merges", "arguments": {ANSWER}}}', ""])
def test_an_answer_that_a_server_refuses_for_its_form_is_an_answer(settings, status, written):
    class Validating(FakeProvider):
        def provide(self, _request, *, known):  # noqa: ARG002  # it answers whatever the key
            return Reply.json(status, failed("Failed.", code="json_validate_failed", failed_generation=written))

    with (
        served(Validating()) as validating,
        closing(Thinkers(settings.model_copy(update={"openai_base_url": validating.openai_url}))) as thinkers,
    ):
        thinker = thinkers.with_key("openai", "key")
        for ask in (thinker.ask, lambda asked: list(thinker.stream(asked))[-1]):
            if written:
                assert read(question(), ask(question())).answer.pairs[0].survivor == "n1"
            else:
                with pytest.raises(BadAnswer):
                    ask(question())


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "Provider returned error", "code": 502}, Transient),
        ({"message": "No such key", "code": 401}, Misconfigured),
        ({"message": "You exceeded your current quota", "code": "insufficient_quota"}, Misconfigured),
        ({"message": "Overloaded", "type": "overloaded_error"}, Transient),
        ({"message": "prompt is too long: 9000 tokens > 8192 maximum", "code": 400}, InputRefused),
        ("The model is not loaded.", Transient),
    ],
)
def test_an_error_with_the_status_of_an_answer_is_an_error(settings, wire, error, kind):
    class Failing(FakeProvider):
        def provide(self, _request, *, known):  # noqa: ARG002  # it fails, whatever the key
            return Reply.json(200, {"error": error})

    with served(Failing()) as failing:
        usual = {"anthropic_base_url": failing.url, "openai_base_url": failing.openai_url}
        with closing(Thinkers(settings.model_copy(update=usual))) as thinkers, pytest.raises(kind):
            thinkers.with_key(wire, "key").ask(question())
