"""The settings, read from the environment and validated once. Each module has one section."""

from schemas.settings.accounts import AccountSettings
from schemas.settings.http import HttpSettings
from schemas.settings.knowledge import KnowledgeSettings
from schemas.settings.models import ModelSettings
from schemas.settings.operations import OperationsSettings
from schemas.settings.patrol import PatrolSettings
from schemas.settings.proxy import ProxySettings
from schemas.settings.section import CHECKOUT
from schemas.settings.servers import ServerSettings

__all__ = ["CHECKOUT", "Settings"]


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
