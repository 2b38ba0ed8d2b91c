"""Records that nodes were found, at once or by a later task, so that recall never waits for a patrol's lock."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from schemas.ledger.kinds import ACTIVATE
from schemas.ledger.work import Claim
from store.database import Store
from store.nodes import finding
from store.nodes.finding import Activation
from store.transaction import Transaction

# A patrol step holds the Being's lock for milliseconds, or for seconds if it writes thousands of nodes.
ACTIVATION = Activation(patience=timedelta(milliseconds=5), deferred=ACTIVATE, after=timedelta(seconds=1))
WORKERS_PATIENCE = timedelta(milliseconds=500)


def activate(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> None:
    """Record an activation of these nodes: at once if the Being's lock is free within 5 ms, else as work due in 1 s.

    It locks the Being: callers do it last in their transaction. The sweep sends the message of deferred work.

    Raises:
        NotFound: There is no such Being.
    """
    if node_ids:
        finding.activate_or_keep(tx, being_id, node_ids, ACTIVATION)


def activate_kept(store: Store, claim: Claim) -> None:
    """Record a deferred activation, as of the time when the nodes were found.

    Raises:
        Unavailable: The Being is still locked. The work backs off, so that no worker waits for the lock.
    """
    with store.finishing(claim) as tx:
        finding.activate_kept(tx, claim.owner_id, UUID(claim.key), WORKERS_PATIENCE)
