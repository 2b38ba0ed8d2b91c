"""Loaded into workers by a benchmark: adds up each process's tasks, and the processor time inside of them.

Each process writes both, in seconds and without beat's tasks, to a file of its own in the directory that
BENCH_TASK_CLOCK names. Celery's events would cost as much as the rest of Celery.
"""

import os
from pathlib import Path
from time import process_time
from typing import Any

from celery import signals

from schemas.ledger.kinds import BEAT

DIRECTORY = "BENCH_TASK_CLOCK"
BEATS = {kind.name for kind in BEAT}


class _Clock:
    spent = 0.0
    begun = 0.0
    tasks = 0


@signals.task_prerun.connect  # type: ignore[untyped-decorator]  # published without types
def _begin(**_: Any) -> None:
    _Clock.begun = process_time()


@signals.task_postrun.connect  # type: ignore[untyped-decorator]  # published without types
def _end(task: Any, **_: Any) -> None:
    _Clock.spent += process_time() - _Clock.begun
    _Clock.tasks += task.name not in BEATS
    file = Path(os.environ[DIRECTORY]) / str(os.getpid())
    # Replaced at once, since it is read meanwhile.
    unfinished = file.with_suffix(".new")
    unfinished.write_text(f"{_Clock.spent} {_Clock.tasks}", "utf-8")
    unfinished.rename(file)


def totals(directory: Path) -> tuple[float, int]:
    """The seconds and the tasks of all processes."""
    both = [file.read_text("utf-8").split() for file in directory.iterdir() if not file.suffix]
    return sum(float(seconds) for seconds, _ in both), sum(int(tasks) for _, tasks in both)
