"""The base of every section of the settings, and their types."""

import os
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

CHECKOUT = Path(__file__).resolve().parents[2]


def _seconds(value: Any) -> Any:
    """Parse a number in the environment, which is a string there, as seconds."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _none(value: Any) -> Any:
    """Read the word `none` as no limit; an empty variable means the default."""
    return None if isinstance(value, str) and value.strip().casefold() == "none" else value


Duration = Annotated[timedelta, BeforeValidator(_seconds)]
Budget = Annotated[Decimal | None, BeforeValidator(_none)]
"""An amount in dollars; None: unlimited."""


def parts_of(value: str) -> list[str]:
    """The parts of a setting that are separated by commas."""
    return [part for one in value.split(",") if (part := one.strip())]


class Section(BaseSettings):
    """The base of sections. An empty variable counts as not set."""

    model_config = SettingsConfigDict(
        env_prefix="PATROL_",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        # An invalid setting may be a secret.
        hide_input_in_errors=True,
        secrets_dir=os.environ.get("PATROL_SECRETS") or None,
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  # the interface of the package
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  # it looks at each setting, and there is no file
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources, the first of which wins. Without a file `.env`, which took half of the time."""
        return init_settings, env_settings, file_secret_settings

    @model_validator(mode="before")
    @classmethod
    def _nothing_is_not_set(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if value != ""}
