"""Beat's scheduler."""

import subprocess
import sys

# The signal comes while the file is opened. An import that SystemExit interrupts raises a KeyError in its place.
STOPPED_WHILE_IT_OPENS = """
import os, shelve, signal, sys
from celery import Celery
from workers.runtime.celery.scheduler import Scheduler


class Interrupted:
    sent = False

    @classmethod
    def open(cls, *arguments, **options):
        if not cls.sent:
            cls.sent = True
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            except SystemExit:
                raise KeyError("an import") from None
        return shelve.open(*arguments, **options)


Scheduler.persistence = Interrupted
app = Celery(broker="memory://")
app.Beat(scheduler_cls=Scheduler, schedule=sys.argv[1], quiet=True).run()
print("stopped")
"""


def test_beat_stops_if_it_is_told_to_while_it_starts(tmp_path):
    beat = subprocess.run(
        [sys.executable, "-c", STOPPED_WHILE_IT_OPENS, str(tmp_path / "schedule")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "stopped" in beat.stderr
    assert "corrupted" not in beat.stderr


# A beat that waits 10 ms less than it must goes through its schedule some fifty times for each task.
ITERATIONS_FOR_TEN_TASKS = """
import sys
from celery import Celery
from workers.runtime.celery.scheduler import Scheduler


class Counted(Scheduler):
    iterations = sent = 0

    def tick(self, *arguments, **options):
        self.iterations += 1
        return super().tick(*arguments, **options)

    def apply_entry(self, entry, producer=None):
        self.sent += 1
        if self.sent == 10:
            print(self.iterations, file=sys.__stdout__, flush=True)
            raise SystemExit


app = Celery(broker="memory://")
app.conf.beat_schedule = {"often": {"task": "any", "schedule": 0.1}}
app.Beat(scheduler_cls=Counted, schedule=sys.argv[1], quiet=True).run()
"""


def test_beat_sleeps_until_a_task_is_due(tmp_path):
    beat = subprocess.run(
        [sys.executable, "-c", ITERATIONS_FOR_TEN_TASKS, str(tmp_path / "schedule")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert int(beat.stdout) <= 50
