"""Being found keeps a memory alive, and keeps nobody waiting: what can't be entered now is entered soon."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from schemas.work import Claim
from store import nodes, work
from store.database import Store
from store.transaction import Transaction

KIND = "upkeep.activate"
# A step of a patrol holds a Being for some milliseconds, or for seconds where it remembers thousands.
PATIENCE = timedelta(milliseconds=20)
AFTER = timedelta(seconds=1)
WORKERS_PATIENCE = timedelta(milliseconds=500)


def activate(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> None:
    """Credit memories for having been found; while another writes to the Being the ledger keeps the credit for later.

    It locks the Being, and is what a transaction does last. What was kept is due in a second, which the sweep rings
    for: nobody else need.

    Raises:
        NotFound: There is no such Being.
    """
    if not node_ids:
        return
    if kept := nodes.activate_or_keep(tx, being_id, node_ids, PATIENCE):
        work.ask(tx, being_id, KIND, str(kept), "upkeep", after=AFTER)


def activate_kept(store: Store, claim: Claim) -> None:
    """Enter a credit that was kept, as of when the memories were found.

    Raises:
        Unavailable: The Being is still written to. Work that raises it backs off, so that no worker stands waiting.
    """
    with store.finishing(claim) as tx:
        nodes.activate_kept(tx, claim.owner_id, UUID(claim.key), WORKERS_PATIENCE)
