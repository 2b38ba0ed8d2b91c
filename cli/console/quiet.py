"""The settings of a command that writes to a terminal; a module of its own, because `patrol up` needs no more."""

import logging

from schemas.settings import Settings
from workers.runtime.logs import configure_logs


def quiet_settings() -> Settings:
    """Return the settings; sets up logging on stderr, from WARNING on unless PATROL_LOG_LEVEL is set."""
    settings = Settings()
    level_is_set = "log_level" in settings.model_fields_set
    configure_logs(settings if level_is_set else settings.model_copy(update={"log_level": "WARNING"}))
    if not level_is_set:
        # A command reports itself, once, that it reaches no database.
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    return settings
