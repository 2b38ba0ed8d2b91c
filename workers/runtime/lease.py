"""Renews the lease on a unit of work while it runs, and aborts the work when the lease is lost."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import timedelta
from time import monotonic

import structlog

from providers.lease_guard import checking_each_request
from schemas.errors import LeaseLost, Unavailable
from schemas.ledger.work import Claim
from store.database import Store
from store.ledger import work

log = structlog.get_logger()


class Lease:
    """The lease on a claimed unit of work, which starts now.

    Args:
        claim: The claim that was just made.
        length: How long a claim or a renewal holds.
    """

    def __init__(self, store: Store, claim: Claim, length: timedelta) -> None:
        self._store = store
        self._claim = claim
        self._length = length
        self._until = monotonic() + length.total_seconds()
        self._lost = False

    def renew(self) -> None:
        """Extend the lease by its length from now.

        Raises:
            LeaseLost: Another worker holds the work.
            Unavailable: The ledger is out of reach.
        """
        begun = monotonic()
        try:
            self._store.run(work.renew, self._claim, self._length)
        except LeaseLost:
            self._lost = True
            raise
        self._until = begun + self._length.total_seconds()

    def check(self) -> None:
        """Check the lease before a model request; renews one that expired, for example in a suspended process.

        Raises:
            LeaseLost: Another worker holds the work.
            Unavailable: The lease has expired, and the ledger is out of reach.
        """
        if self._lost:
            raise LeaseLost(f"Another worker holds the lease on {self._claim.kind}.")
        if monotonic() >= self._until:
            self.renew()


@contextmanager
def renewed_lease(store: Store, claim: Claim, length: timedelta) -> Iterator[None]:
    """Renew the lease from a thread, every third of its length, until the block ends or the lease is lost.

    After it is lost no further request goes to a model, and the finishing transaction fails whole, since the fencing
    token has increased.
    """
    lease = Lease(store, claim, length)
    over = threading.Event()

    def renew() -> None:
        while not over.wait(length.total_seconds() / 3):
            try:
                lease.renew()
            except LeaseLost:
                log.warning("lease.lost", kind=claim.kind, owner_id=str(claim.owner_id), key=claim.key)
                return
            except Unavailable:
                log.warning("lease.not_renewed", kind=claim.kind, owner_id=str(claim.owner_id), key=claim.key)

    thread = threading.Thread(target=copy_context().run, args=[renew], name=f"lease {claim.kind}", daemon=True)
    thread.start()
    try:
        with checking_each_request(lease.check):
            yield
    finally:
        over.set()
        thread.join()
