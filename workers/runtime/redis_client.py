"""Opens clients of Redis: of one server, or of the master that Redis Sentinel names at the time."""

from typing import Any

from redis import Redis
from redis.sentinel import Sentinel

from workers.runtime.sentinel_url import SENTINEL, read_sentinel_url


def open_redis(url: str, **options: Any) -> Redis:
    """Return a client, which the caller closes.

    Args:
        url: As `workers.runtime.addresses` writes it. Each new connection of one to Sentinels asks them for the master.
        options: Other arguments of `redis.Redis`.
    """
    if not url.startswith(SENTINEL):
        return Redis.from_url(url, **options)
    read = read_sentinel_url(url)
    waits = {name: value for name, value in options.items() if name.startswith("socket_")}
    sentinel = Sentinel(read.hosts, sentinel_kwargs=waits)  # type: ignore[no-untyped-call]  # untyped in redis-py
    client: Redis = sentinel.master_for(  # type: ignore[no-untyped-call]  # likewise
        read.master, db=read.database, username=read.username, password=read.password, **options
    )
    return client
