"""The settings, read from the environment and validated once. Each module has one section."""

import os
from difflib import get_close_matches

from pydantic.fields import FieldInfo

from schemas.settings.facts_and_vault import KnowledgeSettings
from schemas.settings.http import HttpSettings
from schemas.settings.keys_and_budgets import AccountSettings
from schemas.settings.models import ModelSettings
from schemas.settings.operations import OperationsSettings
from schemas.settings.patrol import PatrolSettings
from schemas.settings.proxy import ProxySettings
from schemas.settings.section import CHECKOUT
from schemas.settings.servers import ServerSettings

__all__ = ["CHECKOUT", "Settings", "unknown_variables", "variable"]

# Where the files of secrets are: it is read before the settings.
OF_NO_SETTING = {"PATROL_SECRETS"}


class Settings(  # in the order of docs/settings.md
    ServerSettings,
    HttpSettings,
    ModelSettings,
    ProxySettings,
    PatrolSettings,
    AccountSettings,
    KnowledgeSettings,
    OperationsSettings,
):
    """The settings of one process, from environment variables, or from files of the same names in PATROL_SECRETS.

    Durations are ISO 8601 (`PT24H`), `HH:MM:SS` or seconds. An empty variable counts as not set.
    """


def variable(name: str, field: FieldInfo) -> str:
    """Return the environment variable of a setting."""
    return str(field.validation_alias or f"PATROL_{name.upper()}")


def unknown_variables() -> dict[str, str | None]:
    """Return the variables of the environment that look like settings and are none, with the most similar setting."""
    known = OF_NO_SETTING | {variable(name, field) for name, field in Settings.model_fields.items()}
    given = {name.upper() for name in os.environ if name.upper().startswith("PATROL_")}
    return {name: next(iter(get_close_matches(name, known, 1)), None) for name in sorted(given - known)}
