"""Loaded into workers by a benchmark: adds up the processor time that each process spends inside of tasks.

Each process writes its sum, in seconds, to a file of its own in the directory that BENCH_TASK_CLOCK names.
"""

import os
from pathlib import Path
from time import process_time
from typing import Any

from celery import signals

DIRECTORY = "BENCH_TASK_CLOCK"


class _Clock:
    spent = 0.0
    begun = 0.0


@signals.task_prerun.connect  # type: ignore[untyped-decorator]  # published without types
def _begin(**_: Any) -> None:
    _Clock.begun = process_time()


@signals.task_postrun.connect  # type: ignore[untyped-decorator]  # published without types
def _end(**_: Any) -> None:
    _Clock.spent += process_time() - _Clock.begun
    (Path(os.environ[DIRECTORY]) / str(os.getpid())).write_text(str(_Clock.spent), "utf-8")


def spent(directory: Path) -> float:
    """The seconds of all processes."""
    return sum(float(file.read_text("utf-8") or 0) for file in directory.iterdir())
