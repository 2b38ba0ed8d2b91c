"""Where the ledger and the doorbell are: as set, else the embedded servers that run over our home."""

from schemas.settings import Settings
from workers.embedded import Addresses, running_servers
from workers.stack_errors import StackError

# A Redis on a socket: redis-py and kombu spell it differently, and whoever sets it may know either.
FOR_REDIS, FOR_KOMBU = "unix://", "redis+socket://"


class NothingRunsError(StackError):
    """No server is set, and none runs over this home."""


def addresses(settings: Settings) -> Addresses:
    """Find the servers.

    Raises:
        NothingRunsError: There are none.
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
            f"Nothing runs over {settings.home}. Start `patrol up` in another terminal, or set DATABASE_URL and "
            "REDIS_URL."
        )
    return found


def _spelled(url: str, before: str, after: str) -> str:
    return after + url.removeprefix(before) if url.startswith(before) else url
