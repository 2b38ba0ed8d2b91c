"""Several Celery workers of one machine, forked from one process that has imported their common modules.

    python -m workers.runtime.celery.worker_group OPTIONS [-- OPTIONS ...]

Importing takes most of a worker's start, and of its memory: with two processes that import for themselves, `patrol
up` is ready after 5.4 s instead of 3.4, and its stack takes 845 MB instead of 750 (`make bench`, 2026-11-27). If one
of the workers ends, the others get SIGTERM and the group ends, for its supervisor to start it anew. SIGTERM and
SIGINT are passed on to all of them. Any other signal that ends the group ends them at once: SIGQUIT is not passed on,
since Celery waits for ever where it interrupts a worker that is handing a task to its pool.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import groupby
from typing import Any

from workers.embedded.launch import end_with_parent
from workers.runtime import collector
from workers.runtime.app import app, prepare
from workers.runtime.celery.celery_command import run

PASSED_ON = (signal.SIGTERM, signal.SIGINT)
BETWEEN = "--"
# A caller waits for the API, and seldom for workers: where both are ready, the API runs first.
NICENESS = 10
# The modules that Celery's command imports when it starts; each fork would import them for itself.
COMMAND = ("celery.bin.worker", "celery.apps.worker", "celery.concurrency.prefork")


def main(arguments: Sequence[str]) -> int:
    """Run the workers until all have ended.

    Args:
        arguments: The options of each worker's `celery worker`, with `--` between two workers.

    Returns:
        0 after an order to stop, else the exit status of the one that ended first.
    """
    os.nice(NICENESS)
    with collector.paused():
        app.loader.import_default_modules()
        for module in COMMAND:
            import_module(module)
    prepare()
    running: list[int] = []
    orders: list[int] = []

    def pass_on(number: int, _: Any = None) -> None:
        orders.append(number)
        for pid in running:
            os.kill(pid, number)

    # Held back until both the workers and the handlers are there.
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    parent = os.getpid()
    for command in _commands(arguments):
        if not (pid := os.fork()):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
            end_with_parent(parent, signal.SIGKILL)
            run("worker", command)
        running.append(pid)
    for number in PASSED_ON:
        signal.signal(number, pass_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
    ended, status = os.wait()
    ordered = bool(orders)
    running.remove(ended)
    pass_on(signal.SIGTERM)
    while running:
        running.remove(os.wait()[0])
    # Celery's exit status after a hurried stop would be a failure.
    return 0 if ordered else os.waitstatus_to_exitcode(status)


def _commands(arguments: Sequence[str]) -> Iterator[list[str]]:
    for between, command in groupby(arguments, lambda argument: argument == BETWEEN):
        if not between:
            yield list(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
