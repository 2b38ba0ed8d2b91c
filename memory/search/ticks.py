"""The common part of the index's ticks: the order of owners, and the outcome of work that a tick could not do."""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from uuid import UUID, uuid4

from schemas.errors import StoreError
from schemas.ledger.work import Claim
from store.database import Store
from store.ledger import work
from store.search.queue import LOWEST_ID


def take_turns(serve_after: Callable[[UUID], UUID | None], ends: float) -> None:
    """Serve owners by their ids, from a random one on and then from the first, so that no owner is always the last.

    Args:
        serve_after: Serves the first owners with higher ids than this; returns the last of them, None: there is none.
        ends: No others are served after this time of `monotonic`.
    """
    for start in (uuid4(), LOWEST_ID):
        after: UUID | None = start
        while after is not None and monotonic() < ends:
            after = serve_after(after)


def hand_over(store: Store, claim: Claim) -> None:
    """Make a unit due at once and have its task sent; if that fails, the sweep sends it when the lease is over."""
    with suppress(StoreError), store.transaction() as tx:
        work.hand_back(tx, claim)
