"""What time brings: due work is rung for again, whoever lost the ring, and idle sessions end."""

from schemas.work import Ring
from store import messages, work
from store.database import Store

SWEPT_AT_ONCE = 200
ENDED_AT_ONCE = 1000


def sweep(store: Store) -> list[Ring]:
    """Find due work that nobody holds and nobody rang for lately, one of each owner before the second of any."""
    with store.transaction() as tx:
        return work.ring_due(tx, limit=SWEPT_AT_ONCE)


def end_idle_sessions(store: Store) -> list[Ring]:
    """End the sessions that have been idle for 30 minutes."""
    with store.transaction() as tx:
        messages.end_idle_sessions(tx, ENDED_AT_ONCE)
    return []
