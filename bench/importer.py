"""Somebody who imports: hands in notes by the thousand as fast as they are taken, and demands patrols until none waits.

`python -m bench.importer BEING NOTES`
"""

import sys
from uuid import UUID

from bench.memories import in_batches, scene_note
from memory.intake import accept_notes
from memory.patrol_demand import demand
from schemas.limits import BATCH_ITEMS
from schemas.settings import Settings
from store import notes
from workers import doorbell
from workers.app import app
from workers.processes import wait_until
from workers.resources import Resources, resources

PATIENCE = 60.0


def import_notes(on: Resources, being_id: UUID, count: int) -> None:
    """Hand them in, and ring for what they cause."""
    for batch in in_batches(map(scene_note, range(count)), BATCH_ITEMS):
        doorbell.ring(app, accept_notes(on.store, on.settings, being_id, batch).rings)
    while waiting := _waiting(on, being_id, count):
        doorbell.ring(app, demand(on.store, on.settings, being_id)[1])
        wait_until(lambda before=waiting: _waiting(on, being_id, count) < before, PATIENCE)  # type: ignore[misc]  # a default


def _waiting(on: Resources, being_id: UUID, at_most: int) -> int:
    with on.store.transaction() as tx:
        return notes.pending(tx, being_id, at_most)


if __name__ == "__main__":
    with resources(Settings()) as opened:
        import_notes(opened, UUID(sys.argv[1]), int(sys.argv[2]))
