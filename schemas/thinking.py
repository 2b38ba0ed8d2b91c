"""The words of thinking: who is asked, whose key pays, what a call came to."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from schemas.rows import Row

Provider = Literal["anthropic", "openai"]
PaidWith = Literal["request", "user", "platform"]
Outcome = Literal["unknown", "answered", "bad", "failed"]
Lacking = Literal["tokens", "cost", "price"]


class ProviderKey(Row):
    """A key of a user's, without the key."""

    key_id: UUID
    provider: Provider
    last_four: str = Field(description="Its last four characters.")
    created_at: datetime
    expires_at: datetime | None = Field(description="When it is forgotten; null where it was stored to stay.")
    last_used_at: datetime | None
    refused_at: datetime | None = Field(description="Since when the provider refuses it.")
    refusal: str | None = Field(description="Why, in words.")


class SealedKey(ProviderKey):
    """A key of a user's, sealed."""

    user_id: UUID
    sealed: Annotated[bytes, Field(repr=False)]


class Response(Row):
    """What a model said to a question, as it was kept; `fault` says why it can't be used."""

    response_id: UUID
    model: str
    said: Annotated[str, Field(repr=False)]
    fault: str | None


class Batch(Row):
    """A lot of questions that a provider answers in its own time."""

    key_id: UUID | None
    batch_id: str | None
    calls: dict[str, UUID]
    over_at: datetime | None
    late: bool


class Spending(Row):
    """What calls came to. Numbers of calls whose outcome is unknown are the most that these can have come to."""

    day: date
    being_id: UUID | None = Field(description="Null for what was done for the user, across Beings.")
    purpose: str
    provider: str
    model: str
    paid_with: PaidWith = Field(description="Whose key paid.")
    calls: int
    unpriced: int = Field(description="Calls whose price is unknown; `cost` is without them.")
    unsettled: int = Field(description="Calls that are under way, or whose end nobody saw.")
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost: Decimal | None = Field(description="In the currency of the prices; null where no call has a known price.")
