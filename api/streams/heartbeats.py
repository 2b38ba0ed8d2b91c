"""Which readers of the streams run, by heartbeats in Redis: an older Redis knows only consumers that got an entry."""

from datetime import timedelta
from typing import Any

# A reader without a heartbeat for this long is stuck or gone.
SILENCE = timedelta(seconds=15)
KEYS = "patrol:reader:"


def write(redis: Any, name: str) -> None:
    """Write a reader's heartbeat."""
    redis.set(KEYS + name, "reads", ex=SILENCE)


def readers(redis: Any) -> list[str]:
    """Return the names of the running readers."""
    return sorted(key.decode().removeprefix(KEYS) for key in redis.scan_iter(f"{KEYS}*"))
