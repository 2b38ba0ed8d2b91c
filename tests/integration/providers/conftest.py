"""Shared by the tests of providers."""

from contextlib import closing

import pytest

from providers.thinkers import Thinkers
from schemas.settings import Settings
from tests.conftest import PATIENCE
from tests.fakes.provider import running_provider


@pytest.fixture
def provider():
    with running_provider() as running:
        yield running


@pytest.fixture
def settings(provider):
    return Settings(
        anthropic_base_url=provider.url,
        openai_base_url=provider.openai_url,
        openai_thinking_model="gpt-large",
        openai_small_thinking_model="gpt-small",
        thinking_timeout=PATIENCE,
    )


@pytest.fixture
def thinkers(settings):
    with closing(Thinkers(settings)) as made:
        yield made
