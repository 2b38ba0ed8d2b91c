"""Somebody who imports notes by the thousand, as fast as they are taken: `python -m bench.importer BEING NOTES`."""

import sys
from uuid import UUID

from bench.memories import in_batches, scene_note
from memory.intake import accept_notes
from schemas.limits import BATCH_ITEMS
from schemas.settings import Settings
from workers import doorbell
from workers.app import app
from workers.resources import resources


def import_notes(being_id: UUID, count: int) -> None:
    """Hand them in, and ring for what they cause."""
    with resources(Settings()) as on:
        for batch in in_batches(map(scene_note, range(count)), BATCH_ITEMS):
            doorbell.ring(app, accept_notes(on.store, on.settings, being_id, batch).rings)


if __name__ == "__main__":
    import_notes(UUID(sys.argv[1]), int(sys.argv[2]))
