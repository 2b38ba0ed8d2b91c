"""Celery beat's scheduler; a module of its own, because only beat needs to load Celery's."""

import signal
from typing import Any

from celery.beat import PersistentScheduler

from workers.runtime import alive

STOPS = (signal.SIGTERM, signal.SIGINT)


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # Celery is published without types
    """Celery beat's scheduler, which touches the file with each iteration of its loop.

    While it opens its file, signals that stop beat are held back until the first iteration. Celery's handler closes the
    scheduler and raises SystemExit. In the middle of an import both would be lost: Python replaces SystemExit by a
    KeyError, which Celery takes for a corrupted file, and beat would run on.
    """

    def setup_schedule(self) -> None:
        """Open the file and merge the configured schedule into it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        super().setup_schedule()

    def adjust(self, n: float | None, drift: float = 0.0) -> float | None:
        """Return the seconds to wait for a task that is due in `n`.

        Celery's own takes 10 ms off, and beat then loops over its schedule without a pause until they have passed.
        """
        adjusted: float | None = super().adjust(n, drift)
        return adjusted

    def tick(self, *args: Any, **options: Any) -> float:
        """Send the tasks that are due; returns the seconds until the next iteration."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        alive.touch()
        seconds: float = super().tick(*args, **options)
        return seconds
