"""Users' keys and budgets, and the most that a user may store."""

from datetime import timedelta
from decimal import Decimal

from pydantic import Field, PositiveInt, SecretStr, field_validator
from pydantic_core import PydanticCustomError

from schemas.settings.section import Budget, Duration, Section

SECRET_CHARACTERS = 32


class AccountSettings(Section):
    """Users' keys and budgets, and the most that a user may store."""

    secret_key: SecretStr | None = Field(
        None,
        description="Encrypts users' keys at rest: 32 random characters or more, or several such secrets separated by "
        "commas, the newest first. Not set: with embedded servers one is generated and kept in the home; else users' "
        "keys are refused.",
    )
    request_key_life: Duration = Field(
        timedelta(hours=1),
        description="How long a key that came with a request is kept, to pay for the work it caused.",
    )
    daily_cost: Budget = Field(
        Decimal(5),
        ge=0,
        description="The daily budget in dollars of a Being that has none of its own; `none`: unlimited. If it is set, "
        "a call whose price is unknown is refused; the default lets it pass.",
    )
    daily_tokens: int | None = Field(
        None, ge=0, description="The most tokens that one Being's model calls may use in a day. Not set: unlimited."
    )
    user_daily_cost: Budget = Field(
        None,
        ge=0,
        description="The daily budget in dollars of a user that has none of its own, for all calls of the user's "
        "Beings together; `none`: unlimited. If it is set, a call whose price is unknown is refused.",
    )
    user_daily_tokens: int | None = Field(
        None, ge=0, description="The most tokens that one user's model calls may use in a day. Not set: unlimited."
    )
    platform_daily_cost: Budget = Field(
        None,
        ge=0,
        description="The daily budget in dollars of all model calls that the platform's keys pay for, chat completions "
        "included; `none`: unlimited. Its day is that of UTC. If it is set, a call whose price is unknown is refused.",
    )
    platform_daily_tokens: int | None = Field(
        None,
        ge=0,
        description="The most tokens that calls on the platform's keys may use in a day of UTC. Not set: unlimited.",
    )
    most_beings: PositiveInt = Field(100, description="The most Beings of one user.")
    most_tokens: PositiveInt = Field(100, description="The most valid tokens of one user.")
    most_kept_notes: PositiveInt = Field(
        10_000, description="The most todos, reminders and knowledge notes of one Being."
    )
    most_keyed_knowledge: PositiveInt = Field(
        100_000, description="Under how many keys a program may keep knowledge for one Being."
    )

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value and any(len(part.strip()) < SECRET_CHARACTERS for part in value.get_secret_value().split(",")):
            raise PydanticCustomError("secret", "Each secret must have 32 characters or more")
        return value
