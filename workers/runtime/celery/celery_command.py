"""One of Celery's commands. Celery's own command line imports all of them, and Flower.

With it `patrol up` is ready a fifth later (3.9 s instead of 3.2), and its stack takes 60 MB more (`make bench`,
2026-11-27).

`python -m workers.runtime.celery.celery_command worker OPTIONS` takes the options of `celery worker`, and `beat` those
of `celery beat`.
"""

import os
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

import structlog
from celery.bin.base import CLIContext

from schemas.settings import Settings
from workers.runtime import collector
from workers.runtime.logs import configure_logs

log = structlog.get_logger()

# The module of each command's app: beat sends tasks by name, and does without them.
APPS = {"worker": "workers.runtime.app", "beat": "workers.runtime.celery.celery_client"}


def run(name: str, options: Sequence[str]) -> NoReturn:
    """Run a command, and exit with its status.

    Args:
        name: `worker` or `beat`.
        options: Those of `celery worker` or `celery beat`.
    """
    with collector.paused():
        app = import_module(APPS[name]).app
        command = getattr(import_module(f"celery.bin.{name}"), name)
    configure_logs(Settings())
    _log_prints()
    context = CLIContext(app, no_color=True, workdir=None, quiet=True)
    sys.exit(command.main([*options], prog_name=f"celery {name}", obj=context))


def _log_prints() -> None:
    """Log each line that is printed on stdout: Celery prints there, in plain text, that it stops and how."""
    reading, writing = os.pipe()
    os.dup2(writing, sys.__stdout__.fileno() if sys.__stdout__ else 1)
    os.close(writing)

    def copy() -> None:
        with os.fdopen(reading, encoding="utf-8", errors="replace") as printed:
            for line in printed:
                if line.strip():
                    log.info(line.strip())

    threading.Thread(target=copy, name="printed", daemon=True).start()


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2:])
