"""A call's cost: exact where the price is known, else unknown."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.completion import Usage
from providers.prices import cost_of
from schemas.llm.prices import KNOWN, Price
from schemas.settings import Settings

tokens = st.integers(0, 10_000_000)
usages = st.builds(Usage, tokens, tokens, tokens, tokens)


def test_each_kind_of_token_has_its_price():
    assert cost_of("claude-sonnet-5-5", Usage(1_000, 100, 10_000, 2_000), KNOWN) == Decimal("0.010")
    assert cost_of("text-embedding-3-small", Usage(input_tokens=50), KNOWN) == Decimal("0.000001")


def test_a_long_prompt_costs_more_including_its_answer():
    short, long = Usage(100_000, 1_000), Usage(90_000, 1_000, cache_read_tokens=10_001)
    assert cost_of("claude-haiku-5-5", short, KNOWN) == Decimal("0.0105")
    assert cost_of("claude-haiku-5-5", long, KNOWN) == 5 * Decimal("0.00960001")


@given(usages, st.sampled_from(sorted(KNOWN)))
def test_a_batch_costs_half(usage, model):
    assert cost_of(model, usage, KNOWN, batch=True) * 2 == cost_of(model, usage, KNOWN)


@given(usages)
def test_an_unknown_model_has_no_price(usage):
    assert cost_of("some-model", usage, KNOWN) is None


@pytest.mark.parametrize("name", ["claude-haiku-5-5-20261007", "claude-haiku-5-5-2026-10-07"])
def test_a_dated_name_costs_what_the_model_does(name):
    assert cost_of(name, Usage(1_000), KNOWN) == cost_of("claude-haiku-5-5", Usage(1_000), KNOWN)


def test_without_a_price_of_its_own_the_cache_costs_what_input_does():
    assert cost_of("m", Usage(1, 0, 2, 3), {"m": Price(input=Decimal(1_000_000))}) == 6


def test_prices_from_the_environment_come_over_what_is_known(monkeypatch):
    monkeypatch.setenv("PATROL_PRICES", '{"claude-haiku-5-5": {"input": 7}, "llama": {"input": "0.5", "output": 1}}')
    prices = Settings().prices
    assert prices["claude-haiku-5-5"] == Price(input=Decimal(7))
    assert prices["llama"] == Price(input=Decimal("0.5"), output=Decimal(1))
    assert prices["claude-sonnet-5-5"] == KNOWN["claude-sonnet-5-5"]
