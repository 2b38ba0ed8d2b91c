"""Whatever goes wrong between a real SDK and a provider arrives as one of four errors, and keeps secrets."""

import traceback

import anthropic
import openai
import pytest

from providers.errors import InputRefused, Misconfigured, ProviderError, Transient
from providers.sdk.sdk_errors import SettingNames, sdk_errors
from tests.conftest import PATIENCE
from tests.fakes.provider import Behaviour

NAMES = SettingNames(key="THE_KEY", model="THE_MODEL", address="THE_ADDRESS")
SECRET = "sk-very-secret"  # noqa: S105 - made up, to look for it where it should not be
WORDS = "the words of a person"


def ask_openai(url, key=SECRET, timeout=PATIENCE):
    with (
        sdk_errors(openai, NAMES),
        openai.OpenAI(api_key=key, base_url=f"{url}/v1", max_retries=0, timeout=timeout) as client,
    ):
        client.embeddings.create(model="some-model", input=[WORDS])


def ask_anthropic(url, key=SECRET, timeout=PATIENCE):
    with (
        sdk_errors(anthropic, NAMES),
        anthropic.Anthropic(api_key=key, base_url=url, max_retries=0, timeout=timeout) as client,
    ):
        client.messages.create(model="some-model", max_tokens=9, messages=[{"role": "user", "content": WORDS}])


@pytest.fixture(params=[ask_openai, ask_anthropic])
def ask(request):
    return request.param


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InputRefused),
        (401, Misconfigured),
        (402, Misconfigured),
        (403, Misconfigured),
        (404, Misconfigured),
        (405, Misconfigured),
        (408, Transient),
        (409, Transient),
        (413, InputRefused),
        (422, InputRefused),
        (429, Transient),
        (500, Transient),
        (503, Transient),
        (529, Transient),
    ],
)
def test_every_status_says_what_to_do(provider, ask, status, kind):
    provider.script(Behaviour(do="fail", status=status))
    with pytest.raises(kind, match=f"HTTP {status}"):
        ask(provider.url)
    assert len(provider.requests) == 1


@pytest.mark.parametrize("status", [429, 529])
def test_the_wait_that_a_provider_asks_for_is_kept(provider, ask, status):
    provider.script(Behaviour(do="fail", status=status, headers={"retry-after": "7"}))
    with pytest.raises(Transient) as caught:
        ask(provider.url)
    assert caught.value.retry_after == 7


def test_a_dropped_connection_is_transient(provider, ask):
    provider.script(Behaviour(do="drop"))
    with pytest.raises(Transient, match="unreachable"):
        ask(provider.url)


def test_a_refused_connection_is_transient(ask):
    with pytest.raises(Transient, match="unreachable"):
        ask("http://127.0.0.1:1")


def test_no_answer_in_time_is_transient(provider, ask):
    provider.script(Behaviour(do="hang"))
    with pytest.raises(Transient, match="in time"):
        ask(provider.url, timeout=0.2)


def test_a_request_with_too_many_tokens_is_halved(provider):
    provider.script(Behaviour(do="fail", status=400, code="max_tokens_per_request"))
    with pytest.raises(InputRefused) as caught:
        ask_openai(provider.url)
    assert caught.value.too_large


@pytest.mark.parametrize(
    ("status", "code", "setting"),
    [
        (400, "model_not_found", "THE_MODEL"),
        (400, "enforced_spend_limit_reached", "THE_KEY"),
        (400, "billing_hard_limit_reached", "THE_KEY"),
        (401, None, "THE_KEY"),
        (403, None, "THE_KEY and THE_MODEL"),
        (404, None, "THE_MODEL and THE_ADDRESS"),
    ],
)
def test_a_wrong_setting_is_named(provider, ask, status, code, setting):
    provider.script(Behaviour(do="fail", status=status, code=code))
    with pytest.raises(Misconfigured, match=setting):
        ask(provider.url)


@pytest.mark.parametrize("said", ["The model is moderated, and your input was flagged.", "Request blocked: injection"])
def test_a_flagged_input_is_no_reason_to_doubt_the_key(provider, ask, said):
    provider.script(Behaviour(do="fail", status=403, message=said))
    with pytest.raises(InputRefused, match="HTTP 403") as caught:
        ask(provider.url)
    assert said not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-a\nb", "sk-雨"])
def test_a_key_with_stray_characters_is_said_to_be_one(provider, ask, key):
    with pytest.raises(Misconfigured, match="THE_KEY") as caught:
        ask(provider.url, key=key)
    assert key not in str(caught.value)


def test_an_address_without_a_scheme_is_named(ask):
    with pytest.raises(Misconfigured, match="THE_ADDRESS"):
        ask("127.0.0.1:8000")


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_no_message_and_no_traceback_holds_the_key_or_the_words(provider, ask, status):
    echo = f"{WORDS} {SECRET}"
    provider.script(Behaviour(do="fail", status=status, code=echo))
    with pytest.raises(ProviderError) as caught:
        ask(provider.url)
    printed = "".join(traceback.format_exception(caught.value))
    assert WORDS not in printed
    assert SECRET not in printed
