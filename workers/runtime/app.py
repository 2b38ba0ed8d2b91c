"""The Celery app, and the resources of each of its worker processes."""

import logging
import os
import signal
import threading
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any

from celery import Celery, signals

from providers import embedding, thinkers
from schemas.ledger.kinds import TICK_QUEUE
from schemas.settings import Settings
from store.migrate import await_migrated
from workers.runtime import alive, collector
from workers.runtime.addresses import schema_url
from workers.runtime.dispatch import send
from workers.runtime.logs import configure_logs
from workers.runtime.resources import STEP_STATEMENT_SECONDS, Resources, resources


class Patrol(Celery):  # type: ignore[misc]  # Celery is published without types
    """A Celery app that opens `Resources` in each worker process after the fork, and closes them when it ends."""

    opened: AbstractContextManager[Resources] | None = None
    resources: Resources | None = None

    def open_resources(self) -> None:
        """Open this process's resources."""
        settings = Settings()
        opened = resources(settings, partial(send, self), statement_seconds=STEP_STATEMENT_SECONDS)
        self.resources = opened.__enter__()
        self.opened = opened

    def process_resources(self) -> Resources:
        """Return this process's resources; opens them first if opening failed when the process started."""
        if self.resources is None:
            self.open_resources()
        resources: Any = self.resources
        return resources  # type: ignore[no-any-return]  # the base class is untyped

    def close_resources(self) -> None:
        """Close them. A process that is killed leaves closing its connections to the server."""
        if self.opened is not None:
            self.opened.__exit__(None, None, None)
            self.opened = self.resources = None


app = Patrol("memory-patrol")
app.config_from_object("celeryconfig")


@signals.celeryd_init.connect  # type: ignore[untyped-decorator]  # published without types
def _name_connections(sender: str, options: dict[str, Any], **_: Any) -> None:
    """Let Postgres show which worker and which queues a connection serves, in its 63 bytes for a name."""
    os.environ["PGAPPNAME"] = f"patrol {sender.partition('@')[0]} {','.join(options['queues'] or ())}".rstrip()


@signals.celeryd_after_setup.connect  # type: ignore[untyped-decorator]  # published without types
def _take_ticks(**_: Any) -> None:
    """Let a worker of `upkeep` take beat's ticks, whichever queues a deployment names."""
    queues = app.amqp.queues
    if "upkeep" in queues.consume_from:
        queues.select_add(queues[TICK_QUEUE])


@signals.worker_init.connect  # type: ignore[untyped-decorator]  # published without types
def _prepare(**_: Any) -> None:
    prepare()


@cache
def prepare() -> None:
    """Import before the fork the modules that each process of the pool needs and then shares; wait for the migration.

    A fork of a process that has done so, such as one of a group's workers, does nothing.
    """
    settings = Settings()
    with collector.paused():
        embedding.preload(settings)
        thinkers.preload(settings)
    await_migrated(schema_url(settings))
    collector.keep_out_of_it()


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]  # published without types
def _open(**_: Any) -> None:
    app.open_resources()


@signals.worker_process_shutdown.connect  # type: ignore[untyped-decorator]  # published without types
def _close(**_: Any) -> None:
    app.close_resources()


@signals.heartbeat_sent.connect  # type: ignore[untyped-decorator]  # published without types
def _touch(**_: Any) -> None:
    """Runs every two seconds in a worker's main process, while it is connected to the broker."""
    alive.touch()


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]  # published without types
def _stop_in_time(how: str, **_: Any) -> None:
    """Bound a warm shutdown, in which Celery would wait for running tasks without end, to PATROL_STOP_GRACE.

    A task that is ended by the SIGQUIT returns its work to the ledger (see `workers.runtime.step`), and its message
    returns to the queue.
    """
    if how == "Warm":
        timer = threading.Timer(Settings().stop_grace, os.kill, [os.getpid(), signal.SIGQUIT])
        timer.daemon = True
        timer.start()


@signals.setup_logging.connect  # type: ignore[untyped-decorator]  # published without types
def _log(**_: Any) -> None:
    """Configure the logs, unless the process has done so before it made the worker."""
    if not logging.getLogger().handlers:
        configure_logs(Settings())
