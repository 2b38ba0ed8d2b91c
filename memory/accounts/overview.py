"""What a Being's memory holds, and what waits."""

from schemas.accounts.accounts import Being
from schemas.accounts.overview import Overview
from store.accounts import overview as counts
from store.database import Store


def overview(store: Store, being: Being) -> Overview:
    """Count what a Being's memory holds, and what waits."""
    with store.transaction() as tx:
        return counts.overview(tx, being)
