"""A live note beside somebody's bulk import: from accepted to recallable within twice its usual time."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from random import Random
from time import monotonic, perf_counter, sleep
from uuid import UUID

from bench.figures import Figure, Times
from bench.ground import Ground
from bench.memories import scene_note
from bench.workforce import ring, wait_for, workforce
from cli import stack
from memory.intake import accept_notes
from memory.patrol_demand import demand
from schemas.settings import Settings
from store import notes
from workers.processes import Child

NOTES = 25
EVERY = 1.0
PATIENCE = 60.0


def fairness(ground: Ground) -> Iterator[Figure]:
    """The same note, its patrol demanded at once, without and with an import of thousands for another Being."""
    shipped = Settings()
    with workforce(ground, pending_notes=shipped.pending_notes, pending_wait=shipped.pending_wait) as settings:
        live, importer = ground.new_being(), ground.new_being()
        alone = _live_notes(ground, settings, live, 0)
        with _importing(ground, importer):
            beside = _live_notes(ground, settings, live, NOTES)
            waiting = _pending(ground, importer)
    for name, measured, limit in (
        ("median", beside.p50, alone.p50),
        ("worst", 1000 * max(beside.seconds), 1000 * max(alone.seconds)),
    ):
        yield Figure(
            what=f"a live note during an import, {name}",
            measured=measured,
            unit="ms",
            limit=limit,
            against="without the import",
            remark=f"of {ground.scale.imported:,} imported notes {waiting:,} still waited at the end",
        )


def _live_notes(ground: Ground, settings: Settings, being_id: UUID, first: int) -> Times:
    """Hand in a note now and then; how long each takes from accepted to recallable. The first does not count.

    At no fixed pace, or they would all come in an importer's pauses, or none.
    """
    chance = Random(first)  # noqa: S311  # for no secret
    took = []
    for position in range(first, first + NOTES):
        due = monotonic() + EVERY * chance.uniform(0.5, 1.5)
        accepted = accept_notes(ground.store, settings, being_id, [scene_note(position)])
        begun = perf_counter()
        ring(accepted.rings + demand(ground.store, settings, being_id)[1])
        (note_id,) = accepted.receipt.ids
        wait_for(partial(_is_remembered, ground, being_id, note_id), PATIENCE, pause=0.005)
        took.append(perf_counter() - begun)
        sleep(max(0.0, due - monotonic()))
    return Times(took[1:])


@contextmanager
def _importing(ground: Ground, being_id: UUID) -> Iterator[None]:
    """Let another process import notes while the block runs; it begins when the first batch is in."""
    command = [sys.executable, "-m", "bench.importer", str(being_id), str(ground.scale.imported)]
    child = Child(command, ground.home / "logs" / "importer.log", env=stack.environment())
    try:
        wait_for(lambda: _pending(ground, being_id) > 0, PATIENCE)
        yield
    finally:
        child.kill()


def _is_remembered(ground: Ground, being_id: UUID, note_id: UUID | None) -> bool:
    with ground.store.transaction() as tx:
        found = tx.execute("select from memory.memory_nodes where being_id = %s and note_id = %s", [being_id, note_id])
        return found.rowcount == 1


def _pending(ground: Ground, being_id: UUID) -> int:
    with ground.store.transaction() as tx:
        return notes.pending(tx, being_id, ground.scale.imported)
