"""A live note beside somebody's bulk import: from accepted to recallable within twice its usual time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic, perf_counter, sleep
from uuid import UUID

from bench.figures import Figure, Times
from bench.ground import Ground
from bench.memories import in_batches, scene_note
from bench.workforce import ring, wait_for, workforce
from memory.intake import accept_notes
from memory.patrol_demand import demand
from schemas.settings import Settings
from store import notes

NOTES = 8
EVERY = 2.0
BATCH = 1_000
PATIENCE = 60.0


def fairness(ground: Ground) -> Iterator[Figure]:
    """The same note, its patrol demanded at once, without and with an import of thousands for another Being."""
    shipped = Settings()
    with workforce(ground, pending_notes=shipped.pending_notes, pending_wait=shipped.pending_wait) as settings:
        live = ground.new_being()
        alone = _live_notes(ground, settings, live, 0)
        with _importing(ground, settings) as importer:
            beside = _live_notes(ground, settings, live, NOTES)
            waiting = _pending(ground, importer)
    for name, measured, limit in (("median", beside.p50, alone.p50), ("p95", beside.p95, alone.p95)):
        yield Figure(
            what=f"a live note during an import, {name}",
            measured=measured,
            unit="ms",
            limit=limit,
            against="without the import",
            remark=f"{waiting:,} of {ground.scale.imported:,} imported notes still waited at the end",
        )


def _live_notes(ground: Ground, settings: Settings, being_id: UUID, first: int) -> Times:
    """Hand in a note every two seconds; how long each takes from accepted to recallable. The first does not count."""
    took = []
    for position in range(first, first + NOTES):
        due = monotonic() + EVERY
        accepted = accept_notes(ground.store, settings, being_id, [scene_note(position)])
        begun = perf_counter()
        ring(accepted.rings + demand(ground.store, settings, being_id)[1])
        (note_id,) = accepted.receipt.ids
        wait_for(partial(_is_remembered, ground, being_id, note_id), PATIENCE)
        took.append(perf_counter() - begun)
        sleep(max(0.0, due - monotonic()))
    return Times(took[1:])


@contextmanager
def _importing(ground: Ground, settings: Settings) -> Iterator[UUID]:
    """Import notes for a Being of its own while the block runs; it begins when the first batch is in."""
    importer = ground.new_being()
    enough, begun = threading.Event(), threading.Event()

    def hand_in() -> None:
        for batch in in_batches(map(scene_note, range(ground.scale.imported)), BATCH):
            if enough.is_set():
                break
            ring(accept_notes(ground.store, settings, importer, batch).rings)
            begun.set()

    importing = threading.Thread(target=hand_in)
    importing.start()
    try:
        begun.wait(PATIENCE)
        yield importer
    finally:
        enough.set()
        importing.join()


def _is_remembered(ground: Ground, being_id: UUID, note_id: UUID | None) -> bool:
    with ground.store.transaction() as tx:
        return bool(
            tx.execute(
                "select from memory.memory_nodes where being_id = %s and note_id = %s", [being_id, note_id]
            ).rowcount
        )


def _pending(ground: Ground, being_id: UUID) -> int:
    with ground.store.transaction() as tx:
        return notes.pending(tx, being_id, ground.scale.imported)
