"""The Celery app, and the resources of each of its worker processes."""

from contextlib import AbstractContextManager
from typing import Any

from celery import Celery, signals

from schemas.settings import Settings
from workers.logs import configure_logs
from workers.resources import Resources, resources


class Patrol(Celery):  # type: ignore[misc]  # Celery is published without types
    """A Celery app whose worker processes hold resources, from after the fork until they end."""

    opened: AbstractContextManager[Resources] | None = None
    resources: Resources | None = None

    def open_resources(self) -> None:
        """Open this process's resources."""
        self.opened = resources(Settings())
        self.resources = self.opened.__enter__()

    def close_resources(self) -> None:
        """Close them; a process that ends otherwise leaves that to the server."""
        if self.opened is not None:
            self.opened.__exit__(None, None, None)
            self.opened = self.resources = None


app = Patrol("memory-patrol")
app.config_from_object("celeryconfig")


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]  # published without types
def _open(**_: Any) -> None:
    app.open_resources()


@signals.worker_process_shutdown.connect  # type: ignore[untyped-decorator]  # published without types
def _close(**_: Any) -> None:
    app.close_resources()


@signals.setup_logging.connect  # type: ignore[untyped-decorator]  # published without types
def _log(**_: Any) -> None:
    configure_logs(Settings())
