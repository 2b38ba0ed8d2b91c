"""Rows of model calls: providers, payers, keys, responses, spending."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from schemas.rows import Row
from schemas.wire.answers import Answer, Cursor

Provider = Literal["anthropic", "openai"]
PaidWith = Literal["request", "user", "platform"]
Outcome = Literal["unknown", "answered", "bad", "failed"]
Lacking = Literal["tokens", "cost", "price"]
BudgetName = Literal["platform", "user", "proxy", "being"]


class ProviderKey(Row):
    """A user's key for a provider, without the secret itself."""

    key_id: UUID
    provider: Provider
    last_four: str = Field(description="Its last four characters.")
    created_at: datetime
    expires_at: datetime | None = Field(description="When it is removed; null if it was stored for good.")
    last_used_at: datetime | None
    refused_at: datetime | None = Field(description="Since when the provider rejects it.")
    refusal: str | None = Field(description="Why the provider rejects it.")


class KeyPage(Answer):
    """The keys that a user has stored."""

    keys: list[ProviderKey]
    cursor: Cursor = None


class EncryptedKey(ProviderKey):
    """A user's key with its ciphertext."""

    user_id: UUID
    sealed: Annotated[bytes, Field(repr=False)]


class ProviderAway(Row):
    """A provider that does not answer requests with one key."""

    provider: Provider
    key_id: UUID | None = Field(description="The user's key; null: the platform's.")
    since: datetime
    reason: str
    waits: timedelta = Field(description="The time until one request may try again.")

    def sentence(self) -> str:
        """Return a sentence with the provider, the beginning of its outage, and the reason."""
        return f"{self.provider} is away since {self.since:%Y-%m-%d %H:%M} UTC: {self.reason}"


class AwayProvider(Row):
    """A provider that does not answer, with the platform's key or with keys of users."""

    provider: Provider
    whose: Literal["platform", "users"] = Field(description="The keys with which it does not answer.")
    keys: int = Field(description="With how many keys.")
    since: datetime
    reason: str | None = Field(exclude=True)

    def sentence(self) -> str:
        """Return a sentence with the provider, its keys, the beginning of the outage, and the platform's reason."""
        key = "the platform's key" if self.whose == "platform" else f"{self.keys} of the users' keys"
        why = f": {self.reason}" if self.reason else ""
        return f"{self.provider} with {key} since {self.since:%Y-%m-%d %H:%M} UTC{why}"


class Response(Row):
    """A stored model response; `defect` is the reason why it is unusable."""

    response_id: UUID
    model: str
    completion: Annotated[str, Field(repr=False)]
    defect: str | None


class ProviderBatch(Row):
    """The provider batch of a unit of work."""

    key_id: UUID | None
    provider_batch_id: str | None
    call_ids: dict[str, UUID]
    cancelled_at: datetime | None
    ended_at: datetime | None
    late: bool
    overdue: bool


class Spending(Row):
    """The sum of calls. Calls whose outcome is unknown count with the highest usage that they can have had."""

    day: date
    being_id: UUID | None = Field(description="Null for calls for the user, across Beings.")
    purpose: str
    provider: str
    model: str
    paid_with: PaidWith = Field(description="The owner of the key that paid.")
    calls: int
    unpriced: int = Field(description="Calls whose price is unknown; `cost` is without them.")
    unsettled: int = Field(description="Calls in progress, or calls of crashed workers.")
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost: Decimal | None = Field(description="In the currency of the prices; null where no call has a known price.")
    budget_reached_at: datetime | None = Field(
        description="When that day's budget was exhausted: further calls wait for the next day. Null: it was not."
    )


class BudgetToday(Row):
    """One budget of the current day that has a limit, and how much of it is spent."""

    budget: BudgetName = Field(
        description="`being`: the Being's, or without one the user's for work across Beings. `user`: all of the user's"
        " calls. `proxy`: the user's chat completions on the platform's key. `platform`: all users' calls on its keys."
    )
    user_id: UUID | None = Field(description="Null for the platform's.")
    being_id: UUID | None = Field(description="Null unless it is a Being's.")
    day: date = Field(description="In the user's time zone; the platform's in UTC.")
    state: Literal["open", "near", "reached"] = Field(
        description="`near`: 80 % or more is spent. `reached`: a call was refused today, so work that needs a model"
        " waits for the next day."
    )
    limit_cost: Decimal | None = Field(description="Dollars; null: unlimited, or not shown.")
    limit_tokens: int | None = Field(description="Tokens; null: unlimited, or not shown.")
    spent_cost: Decimal | None = Field(
        description="Dollars, with the most that calls under way can cost; null: not shown, since it is the platform's."
    )
    spent_tokens: int | None = Field(description="Tokens, likewise.")

    @property
    def used(self) -> float:
        """The share of the limit that is spent, of the limit that is closer; 1: all of it."""
        shares = (
            (self.spent_cost, self.limit_cost),
            (self.spent_tokens, self.limit_tokens),
        )
        return max(
            (_share(spent, limit) for spent, limit in shares if spent is not None and limit is not None), default=0
        )


def _share(spent: Decimal | int, limit: Decimal | int) -> float:
    return float(spent) / float(limit) if limit else 1.0


class SpendingPage(Answer):
    """Sums of calls, newest day first, and the spent part of the current day's budgets."""

    spending: list[Spending]
    budgets: list[BudgetToday]
    cursor: Cursor = None


class BudgetReached(Row):
    """A budget of the current day that is exhausted: work that needs a model waits for the next day."""

    budget: BudgetName
    being_id: UUID | None = Field(description="Null unless the budget is a Being's.")
    day: date
    lacking: Lacking
    reached_at: datetime
