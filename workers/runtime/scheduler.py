"""Celery beat's scheduler; a module of its own, because only beat needs to load Celery's."""

from typing import Any

from celery.beat import PersistentScheduler

from workers.runtime import alive


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # Celery is published without types
    """Celery beat's scheduler, which touches the file with each iteration of its loop."""

    def tick(self, *args: Any, **options: Any) -> float:
        """Send the tasks that are due; returns the seconds until the next iteration."""
        alive.touch()
        seconds: float = super().tick(*args, **options)
        return seconds
