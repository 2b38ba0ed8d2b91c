"""The HTTP server, in one process or several: `python -m api.server` takes uvicorn's options.

The processes are forked from one that has imported the application: importing takes longer than all else that a start
does, and the processes share the memory of the imported modules.

Prometheus's client adds up the request times of all processes through files in a directory. The first process makes
the directory and removes it when all have ended; a directory that a killed server left behind is removed by the next
server that starts.
"""

import fcntl
import multiprocessing
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.supervisors import multiprocess

from schemas.settings import Settings
from workers.runtime.logs import configure_logs

if TYPE_CHECKING:
    from fastapi import FastAPI

# Names the directory in which the processes count together. Prometheus's client looks for it when it is imported, so
# the modules that use it, `api.http.request_metrics` among them, are imported only after it is set.
COUNTS = "PROMETHEUS_MULTIPROC_DIR"
PREFIX = "patrol-api-"
# A directory that was just made may not be locked yet.
STALE_AFTER_SECONDS = 60.0
PRELOADED = "api.preloaded"


def main() -> None:
    """Serve until a signal stops the server."""
    # uvicorn passes on the signal that stopped it; by itself that would end us before the directory is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    configure_logs(Settings())
    # Uvicorn's handlers would write its lines in a form of their own.
    uvicorn.config.LOGGING_CONFIG["loggers"].clear()
    remove_stale_directories()
    with counts_directory() as directory:
        os.environ[COUNTS] = str(directory)
        multiprocessing.set_forkserver_preload([PRELOADED])
        # uvicorn has no setting for this.
        multiprocess.Process = _Forked  # type: ignore[misc]  # the class that the supervisor makes
        uvicorn.main()


class _Forked(multiprocess.Process):
    """A serving process that is forked from one that has imported the application.

    Forked from the process that counts its children it would swallow signals until it serves, since it would inherit
    that process's handlers.
    """

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self.process = multiprocessing.get_context("forkserver").Process(target=self.target, args=[sockets])  # type: ignore[assignment]

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal stops the process."""
        self.config.configure_logging()
        # uvicorn passes on the signal that stopped it.
        with suppress(KeyboardInterrupt):
            super().target(sockets)


@contextmanager
def counts_directory() -> Iterator[Path]:
    """Make a directory, locked for as long as this process lives, and remove it at the end of the block."""
    with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield Path(directory)
        finally:
            os.close(descriptor)


def remove_stale_directories() -> None:
    """Remove the directories of servers that were killed: those that no process holds locked."""
    for directory in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            if time.time() - directory.stat().st_mtime < STALE_AFTER_SECONDS:
                continue
            descriptor = os.open(directory, os.O_RDONLY)
        except OSError:
            # It is another user's, or its server has just removed it.
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(directory, ignore_errors=True)
        except BlockingIOError:
            pass
        finally:
            os.close(descriptor)


def application() -> "FastAPI":
    """Return the application of one process, which ends when the process that started it has, however that ended."""
    if (parent := multiprocessing.parent_process()) is None:
        from api.app import server_app  # noqa: PLC0415  # the process that only starts others does without

        return server_app()
    threading.Thread(target=_end_with, args=[parent], name="parent", daemon=True).start()
    from api.preloaded import app  # noqa: PLC0415  # likewise

    return app


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
