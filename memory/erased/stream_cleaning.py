"""Enqueues the removal of erased items from the Redis streams."""

from datetime import timedelta
from uuid import UUID

from schemas.ledger.kinds import CLEAN_STREAMS
from store.ledger import work
from store.transaction import Transaction

# A reader that is processing an entry may write it to `patrol:rejected` after the first cleaning.
WAITS = {"now": timedelta(0), "later": timedelta(minutes=1)}


def enqueue(tx: Transaction, being_id: UUID) -> None:
    """Enqueue two cleanings of a Being's stream entries; the Being may be erased by then."""
    for key, wait in WAITS.items():
        work.ask(tx, being_id, CLEAN_STREAMS, key, after=wait)
