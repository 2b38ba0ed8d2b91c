"""Prices of models, in US dollars per million tokens."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PositiveInt

Dollars = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]


class Price(BaseModel):
    """The prices of one model, per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: Dollars
    output: Dollars = Decimal(0)
    cache_read: Dollars | None = None
    """Of input read from the provider's prompt cache; None: the price of input."""
    cache_write: Dollars | None = None
    """Of input written to the prompt cache; None: the price of input."""
    long_prompt: PositiveInt | None = None
    """A request with more input tokens than this costs `long_factor` times as much, including its output."""
    long_factor: Dollars = Decimal(1)


Prices = Mapping[str, Price]

# As published by Anthropic (cache writes for five minutes) and OpenAI in November 2026.
KNOWN: Prices = {
    "claude-sonnet-5-5": Price(
        input=Decimal(2), output=Decimal(10), cache_read=Decimal("0.20"), cache_write=Decimal("2.50")
    ),
    "claude-haiku-5-5": Price(
        input=Decimal("0.10"),
        output=Decimal("0.50"),
        cache_read=Decimal("0.01"),
        cache_write=Decimal("0.125"),
        long_prompt=100_000,
        long_factor=Decimal(5),
    ),
    "text-embedding-3-small": Price(input=Decimal("0.02")),
    "text-embedding-3-large": Price(input=Decimal("0.13")),
}


def _with_known(prices: dict[str, Price]) -> dict[str, Price]:
    return {**KNOWN, **prices}


PriceList = Annotated[dict[str, Price], AfterValidator(_with_known)]
"""Prices by model name: configured prices override the built-in ones."""
