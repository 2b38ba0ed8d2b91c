"""A file that a process touches while it makes progress, so that a health check needs to start no Python process."""

from functools import cache
from pathlib import Path
from typing import Any

from celery.beat import PersistentScheduler

from schemas.settings import Settings


@cache
def _file() -> Path | None:
    return Settings().alive_file


def touch() -> None:
    """Touch PATROL_ALIVE_FILE, if it is set."""
    if path := _file():
        path.touch()


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # Celery is published without types
    """Celery beat's scheduler, which touches the file with each iteration of its loop."""

    def tick(self, *args: Any, **options: Any) -> float:
        """Send the tasks that are due; returns the seconds until the next iteration."""
        touch()
        seconds: float = super().tick(*args, **options)
        return seconds
