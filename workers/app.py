"""The Celery app, and the resources of each of its worker processes."""

import os
import signal
import threading
from contextlib import AbstractContextManager
from typing import Any

from celery import Celery, signals

from providers.embedding import load_sdk
from schemas.settings import Settings
from workers.logs import configure_logs
from workers.resources import Resources, resources


class Patrol(Celery):  # type: ignore[misc]  # Celery is published without types
    """A Celery app whose worker processes hold resources, from after the fork until they end."""

    opened: AbstractContextManager[Resources] | None = None
    resources: Resources | None = None

    def open_resources(self) -> None:
        """Open this process's resources."""
        opened = resources(Settings())
        self.resources = opened.__enter__()
        self.opened = opened

    def at_hand(self) -> Resources:
        """This process's resources, opened now where something kept it from doing so when it began."""
        if self.resources is None:
            self.open_resources()
        resources: Any = self.resources
        return resources  # type: ignore[no-any-return]  # the base class is untyped

    def close_resources(self) -> None:
        """Close them; a process that ends otherwise leaves that to the server."""
        if self.opened is not None:
            self.opened.__exit__(None, None, None)
            self.opened = self.resources = None


app = Patrol("memory-patrol")
app.config_from_object("celeryconfig")


@signals.worker_init.connect  # type: ignore[untyped-decorator]  # published without types
def _prepare(**_: Any) -> None:
    load_sdk(Settings())


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]  # published without types
def _open(**_: Any) -> None:
    app.open_resources()


@signals.worker_process_shutdown.connect  # type: ignore[untyped-decorator]  # published without types
def _close(**_: Any) -> None:
    app.close_resources()


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]  # published without types
def _stop_in_time(how: str, **_: Any) -> None:
    """Celery waits for running tasks for as long as they take; after a while, have it end them instead.

    Ended so, a task gives back what it had begun (see `workers.step`), and its message goes back into the queue.
    """
    if how == "Warm":
        timer = threading.Timer(Settings().stop_grace, os.kill, [os.getpid(), signal.SIGQUIT])
        timer.daemon = True
        timer.start()


@signals.setup_logging.connect  # type: ignore[untyped-decorator]  # published without types
def _log(**_: Any) -> None:
    configure_logs(Settings())
