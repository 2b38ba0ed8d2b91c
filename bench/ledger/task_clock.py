"""Loaded into workers by a benchmark: adds up each process's tasks, and the processor time inside of them.

Each process keeps both, in seconds and without beat's tasks, in a file of its own in the directory that
BENCH_TASK_CLOCK names. Celery's events would cost as much as the rest of Celery, and writing a file after each task
cost an eighth of it: the file is mapped into memory.
"""

import os
import struct
from mmap import mmap
from pathlib import Path
from time import process_time
from typing import Any

from celery import signals

from schemas.ledger.kinds import BEAT

DIRECTORY = "BENCH_TASK_CLOCK"
BEATS = {kind.name for kind in BEAT}
# Seconds and tasks.
BOTH = struct.Struct("=dd")


class _Clock:
    spent = 0.0
    begun = 0.0
    tasks = 0
    shown: mmap | None = None


@signals.task_prerun.connect  # type: ignore[untyped-decorator]  # published without types
def _begin(**_: Any) -> None:
    _Clock.begun = process_time()


@signals.task_postrun.connect  # type: ignore[untyped-decorator]  # published without types
def _end(task: Any, **_: Any) -> None:
    _Clock.spent += process_time() - _Clock.begun
    _Clock.tasks += task.name not in BEATS
    if _Clock.shown is None:
        file = Path(os.environ[DIRECTORY]) / str(os.getpid())
        file.write_bytes(bytes(BOTH.size))
        with file.open("r+b") as opened:
            _Clock.shown = mmap(opened.fileno(), BOTH.size)
    BOTH.pack_into(_Clock.shown, 0, _Clock.spent, _Clock.tasks)


def totals(directory: Path) -> tuple[float, int]:
    """The seconds and the tasks of all processes."""
    kept = [file.read_bytes() for file in directory.iterdir()]
    both = [BOTH.unpack(each) for each in kept if len(each) == BOTH.size]
    return sum(seconds for seconds, _ in both), sum(int(tasks) for _, tasks in both)
