"""Measures patrols of many Beings with a few notes each: their rate, their tasks, and the share of Celery."""

import os
from collections.abc import Iterator
from datetime import timedelta
from time import perf_counter

from bench import processes
from bench.figures import Figure
from bench.ground import Ground
from bench.ledger import task_clock
from bench.ledger.workforce import wait_for, workforce
from bench.memories import scene_note
from memory.intake.notes import accept_notes
from store.transaction import value

NOTES = 20
STEPS = 9
SHARE_GOAL = 0.15
PATIENCE = 1_200.0
OVER = "select count(*) from memory.patrol_runs where state = 'done'"


def many_beings(ground: Ground) -> Iterator[Figure]:
    """Hand in 20 notes for each of many Beings, whose twentieth starts a patrol, and wait until all patrols are over.

    A pool process's time outside of tasks is Celery's, and all of the workers' main processes and of beat. The sending
    of a task's first message happens inside of a task.
    """
    count = ground.scale.beings
    directory = ground.home / "task-clock"
    directory.mkdir()
    with workforce(ground, pending_notes=NOTES, pending_wait=timedelta(hours=1), clock=directory) as (settings, store):
        beings = [ground.new_being() for _ in range(count)]
        before, (inside_before, tasks_before) = _processor_times(), task_clock.totals(directory)
        begun = perf_counter()
        for being_id in beings:
            accept_notes(store, settings, being_id, [scene_note(position) for position in range(NOTES)])
        accepting = perf_counter() - begun
        wait_for(lambda: _over(ground) == count, PATIENCE)
        took = perf_counter() - begun
        used = {of: seconds - before.get(of, 0.0) for of, seconds in _processor_times().items()}
        inside, tasks = task_clock.totals(directory)
        inside, tasks = inside - inside_before, tasks - tasks_before
    celery = sum(seconds for (_, name), seconds in used.items() if "workers.runtime" in name) - inside
    total = sum(used.values())
    yield Figure(
        what=f"patrols of {count:,} Beings with {NOTES} notes each",
        measured=count / took,
        unit="/s",
        remark=f"notes handed in within {accepting:.0f} s; {1000 * total / count:.0f} ms of processor time a patrol",
    )
    yield Figure(
        what="share of Celery and kombu in processor time",
        measured=celery / total,
        unit="",
        limit=SHARE_GOAL,
        against="the goal",
        remark=f"{1000 * celery / count:.1f} ms a patrol; inside of tasks {1000 * inside / count:.0f} ms",
    )
    yield Figure(what="tasks a patrol", measured=tasks / count, unit="", limit=float(STEPS), against="its steps")


def _over(ground: Ground) -> int:
    with ground.store.transaction() as tx:
        return int(value(tx, OVER))


def _processor_times() -> dict[tuple[int, str], float]:
    """The processor seconds of all processes that this one started, and these in turn, but for the provider's."""
    started = [(pid, processes.command(pid)) for pid in processes.family(os.getpid())[1:]]
    return {(pid, name): processes.processor_seconds(pid) for pid, name in started if "samples.canned" not in name}
