"""The cost of model calls."""

import re
from decimal import Decimal

from providers.completion import Usage
from schemas.llm.prices import Price, Prices

_MILLION = Decimal(1_000_000)
_BATCH_DISCOUNT = Decimal("0.5")
_DATE = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")


def priced_name(model: str, prices: Prices) -> str | None:
    """Return the name under which a model has its price; None if it has none. A date suffix is ignored."""
    return next((name for name in (model, _DATE.sub("", model)) if name in prices), None)


def cost_of(model: str, usage: Usage, prices: Prices, *, batch: bool = False) -> Decimal | None:
    """Compute the cost of a call.

    Args:
        model: The model's name as the provider reports it; a date suffix is ignored.
        usage: The call's tokens.
        prices: Prices by model name.
        batch: Whether the call was part of a provider batch, at half the price.

    Returns:
        US dollars, exact; None if the model's price is unknown.
    """
    name = priced_name(model, prices)
    if name is None:
        return None
    price = prices[name]
    dollars = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_read_tokens * (price.input if price.cache_read is None else price.cache_read)
        + usage.cache_write_tokens * (price.input if price.cache_write is None else price.cache_write)
    ) / _MILLION
    return dollars * _factor(price, usage) * (_BATCH_DISCOUNT if batch else 1)


def _factor(price: Price, usage: Usage) -> Decimal:
    return price.long_factor if price.long_prompt and usage.prompt_tokens > price.long_prompt else Decimal(1)
