"""The URLs of Postgres and Redis: from the settings, else those of embedded servers that run over the home."""

from schemas.settings import Settings
from workers.embedded.errors import StackError
from workers.embedded.servers import Addresses, running_servers

# redis-py and kombu spell the URL of a Unix socket differently; REDIS_URL may have either form.
FOR_REDIS, FOR_KOMBU = "unix://", "redis+socket://"


class NothingRunsError(StackError):
    """The settings name no server, and no embedded server runs over this home."""


def database_url(settings: Settings) -> str:
    """Return the URL of Postgres, for a process that needs no Redis.

    Raises:
        NothingRunsError: DATABASE_URL is not set, and no embedded server runs.
    """
    return settings.database_url.get_secret_value() if settings.database_url else addresses(settings).database_url


def broker_url(settings: Settings) -> str:
    """Return the URL of Celery's broker in kombu's form, for a process that needs no Postgres: beat, and Flower.

    Raises:
        NothingRunsError: REDIS_URL is not set, and no embedded server runs.
    """
    if settings.redis_url:
        return _spelled(settings.redis_url.get_secret_value(), FOR_REDIS, FOR_KOMBU)
    return addresses(settings).broker_url


def addresses(settings: Settings) -> Addresses:
    """Return the URLs of both servers.

    Raises:
        NothingRunsError: Neither variable is set and no embedded server runs, or only one of the two is set.
    """
    if settings.database_url and settings.redis_url:
        redis_url = settings.redis_url.get_secret_value()
        return Addresses(
            settings.database_url.get_secret_value(),
            _spelled(redis_url, FOR_KOMBU, FOR_REDIS),
            _spelled(redis_url, FOR_REDIS, FOR_KOMBU),
        )
    if settings.database_url or settings.redis_url:
        raise NothingRunsError("Set both DATABASE_URL and REDIS_URL, or neither to use the embedded servers.")
    found = running_servers(settings.home)
    if found is None:
        raise NothingRunsError(
            f"No embedded servers run over {settings.home}. Start `patrol up` in another terminal, or set DATABASE_URL "
            "and REDIS_URL."
        )
    return found


def _spelled(url: str, before: str, after: str) -> str:
    return after + url.removeprefix(before) if url.startswith(before) else url
