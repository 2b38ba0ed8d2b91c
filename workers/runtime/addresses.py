"""The URLs of Postgres and Redis: from the settings, else those of embedded servers that run over the home."""

from urllib.parse import quote

from schemas.settings import Settings
from workers.embedded.errors import StackError
from workers.embedded.postgres import as_application, as_superuser
from workers.embedded.servers import Addresses, running_servers
from workers.runtime.sentinel_url import SENTINEL, read_sentinel_url

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


def direct_url(settings: Settings) -> str:
    """Return the URL of Postgres as the tables' owner and without a pooler in between.

    Raises:
        NothingRunsError: DATABASE_URL is that of a pooler and PATROL_DIRECT_URL is not set; or as `database_url`.
    """
    if settings.direct_url:
        return settings.direct_url.get_secret_value()
    if not settings.database_url:
        return as_superuser(database_url(settings))
    if settings.pooled:
        raise NothingRunsError(
            "DATABASE_URL is that of a pooler (PATROL_POOLED is on): set PATROL_DIRECT_URL to the database itself."
        )
    return database_url(settings)


def schema_url(settings: Settings) -> str:
    """Return the URL by which a process looks whether the database is migrated.

    It is not the application's at an embedded server, where the migration makes that role.

    Raises:
        NothingRunsError: As `database_url`.
    """
    return database_url(settings) if settings.database_url else direct_url(settings)


def broker_url(settings: Settings) -> str:
    """Return the URL of Celery's broker in kombu's form, for a process that needs no Postgres: beat, and Flower.

    Raises:
        NothingRunsError: REDIS_URL is not set, and no embedded server runs.
    """
    if settings.redis_url:
        return _for_kombu(settings.redis_url.get_secret_value(), settings)
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
            _for_redis(redis_url, settings),
            _for_kombu(redis_url, settings),
        )
    if settings.database_url or settings.redis_url:
        raise NothingRunsError("Set both DATABASE_URL and REDIS_URL, or neither to use the embedded servers.")
    found = running_servers(settings.home)
    if found is None:
        raise NothingRunsError(
            f"No embedded servers run over {settings.home}. Start `patrol up` in another terminal, or set DATABASE_URL "
            "and REDIS_URL."
        )
    return Addresses(as_application(found.database_url), found.redis_url, found.broker_url)


def _for_redis(url: str, settings: Settings) -> str:
    if url.startswith(SENTINEL) and not read_sentinel_url(url).master:
        return f"{url}?master={quote(settings.redis_master, safe='')}"
    return _spelled(url, FOR_KOMBU, FOR_REDIS)


def _for_kombu(url: str, settings: Settings) -> str:
    if url.startswith(SENTINEL):
        return read_sentinel_url(url, settings.redis_master).for_kombu
    return _spelled(url, FOR_REDIS, FOR_KOMBU)


def _spelled(url: str, before: str, after: str) -> str:
    return after + url.removeprefix(before) if url.startswith(before) else url
