"""What time brings: due work is rung for again, whoever lost the ring, and idle sessions end."""

from collections.abc import Collection

from schemas.settings import Settings
from schemas.work import Ring
from store import messages, work
from store.database import Store

SWEPT_AT_ONCE = 200
ENDED_AT_ONCE = 1000
CLEARED_AT_ONCE = 10_000


def sweep(store: Store, empty_queues: Collection[str] = ()) -> list[Ring]:
    """Find due work that nobody holds and nobody rang for lately, one of each owner before the second of any.

    Args:
        store: The ledger.
        empty_queues: Queues in which no ring waits to be heard, so that what was rung for there was lost.
    """
    with store.transaction() as tx:
        work.feel_pulse(tx, "sweep")
        return work.ring_due(tx, limit=SWEPT_AT_ONCE, empty_queues=empty_queues)


def end_idle_sessions(store: Store) -> list[Ring]:
    """End the sessions that have been idle for 30 minutes."""
    with store.transaction() as tx:
        messages.end_idle_sessions(tx, ENDED_AT_ONCE)
    return []


def clear(store: Store, settings: Settings) -> list[Ring]:
    """Let go of what the ledger need not remember any longer."""
    with store.transaction() as tx:
        work.clear_done(tx, settings.keep_finished_work, CLEARED_AT_ONCE)
    return []
