"""The sweep: whatever rings were lost, and whoever died holding what, due work is rung for again."""

from schemas.work import Ring
from store import work
from store.database import Store

SWEPT_AT_ONCE = 200


def sweep(store: Store) -> list[Ring]:
    """Find due work that nobody holds and nobody rang for lately, one of each owner before the second of any."""
    with store.transaction() as tx:
        return work.ring_due(tx, limit=SWEPT_AT_ONCE)
