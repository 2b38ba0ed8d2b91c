"""What models cost: in US dollars for a million tokens, as far as we know."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PositiveInt

Dollars = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]


class Price(BaseModel):
    """The prices of one model, for a million tokens each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: Dollars
    output: Dollars = Decimal(0)
    cache_read: Dollars | None = None
    """Of input that the provider had kept from an earlier request; None: as any input."""
    cache_write: Dollars | None = None
    """Of input that it keeps for later ones; None: as any input."""
    long_prompt: PositiveInt | None = None
    """A request with more input tokens than this costs `long_factor` times as much, answer and all."""
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
"""Prices by a model's name: what is given, over what is known."""
