"""The thinkers by the settings; and whose key a key is."""

from contextlib import closing

import pytest

from providers.errors import Misconfigured
from providers.thinkers import Thinkers
from schemas.settings import Settings

ANTHROPIC = {"anthropic_api_key": "sk-ant-1"}
OPENAI = {"openai_api_key": "sk-1", "openai_thinking_model": "gpt"}
SERVER = {"openai_base_url": "http://127.0.0.1:1/v1", "openai_thinking_model": "llama"}


def thinkers(**given):
    unset = {"anthropic_api_key": None, "openai_api_key": None, "openai_base_url": None, "openai_thinking_model": None}
    return closing(Thinkers(Settings(**(unset | given))))


@pytest.mark.parametrize(
    ("given", "provider"),
    [
        ({}, None),
        (ANTHROPIC, "anthropic"),
        (OPENAI, "openai"),
        (SERVER, "openai"),
        (ANTHROPIC | OPENAI, "anthropic"),
        (ANTHROPIC | OPENAI | {"thinker": "openai"}, "openai"),
        (ANTHROPIC | OPENAI | {"thinker": "none"}, None),
        ({"openai_api_key": "sk-1"}, None),
        ({"openai_thinking_model": "gpt"}, None),
    ],
)
def test_the_platforms_thinker_follows_from_the_settings(given, provider):
    with thinkers(**given) as made:
        thinker = made.platform()
        assert (thinker and thinker.provider) == provider


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        ({"thinker": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"thinker": "openai", "openai_thinking_model": "gpt"}, "OPENAI_API_KEY"),
        ({"thinker": "openai", "openai_api_key": "sk-1"}, "PATROL_OPENAI_THINKING_MODEL"),
    ],
)
def test_a_thinker_that_lacks_something_says_what_to_set(given, setting):
    with thinkers(**given) as made, pytest.raises(Misconfigured, match=setting):
        made.platform()


def test_a_disabled_thinker_rejects_user_keys():
    with thinkers(thinker="none") as made, pytest.raises(Misconfigured, match="PATROL_THINKER"):
        made.with_key("anthropic", "sk-ant-2")


def test_a_users_key_needs_no_platform_key():
    with thinkers() as made:
        assert made.with_key("anthropic", "sk-ant-2").model("small") == "claude-haiku-5-5"
        with pytest.raises(Misconfigured, match="PATROL_OPENAI_THINKING_MODEL"):
            made.with_key("openai", "sk-2")


def test_a_small_model_that_is_not_named_is_the_large_one():
    with thinkers(**OPENAI) as made:
        thinker = made.platform()
        assert thinker.model("small") == thinker.model("large") == "gpt"


@pytest.mark.parametrize(
    ("given", "key", "provider"),
    [
        ({}, "sk-ant-2", "anthropic"),
        (OPENAI, "sk-ant-2", "anthropic"),
        (OPENAI, "sk-2", "openai"),
        (SERVER, "anything", "openai"),
        ({}, "sk-2", "anthropic"),
    ],
)
def test_a_keys_provider_is_guessed(given, key, provider):
    with thinkers(**given) as made:
        assert made.provider_of(key) == provider
