"""Records that nodes were found, at once or by a later task, so that recall never waits for a patrol's lock."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from schemas.ledger.kinds import ACTIVATE
from schemas.ledger.work import Claim
from store.database import Store
from store.nodes import nodes
from store.transaction import Transaction

# A patrol step holds the Being's lock for milliseconds, or for seconds if it writes thousands of nodes.
PATIENCE = timedelta(milliseconds=20)
AFTER = timedelta(seconds=1)
WORKERS_PATIENCE = timedelta(milliseconds=500)


def activate(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> None:
    """Record an activation of these nodes: at once if the Being's lock is free within 20 ms, else as work due in 1 s.

    It is one statement, which locks the Being: callers do it last in their transaction, or in none. The sweep sends the
    message of deferred work.

    Raises:
        NotFound: There is no such Being.
    """
    if node_ids:
        nodes.activate_or_keep(tx, being_id, node_ids, patience=PATIENCE, deferred=ACTIVATE, after=AFTER)


def activate_kept(store: Store, claim: Claim) -> None:
    """Record a deferred activation, as of the time when the nodes were found.

    Raises:
        Unavailable: The Being is still locked. The work backs off, so that no worker waits for the lock.
    """
    with store.finishing(claim) as tx:
        nodes.activate_kept(tx, claim.owner_id, UUID(claim.key), WORKERS_PATIENCE)
