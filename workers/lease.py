"""Keeping a lease while work goes on, and ending the work when it is lost."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic

import structlog

from providers.permission import each_request_needs
from schemas.work import Claim
from store import work
from store.database import Store
from store.errors import LeaseLost, Unavailable

log = structlog.get_logger()


class Lease:
    """The right to go on with a unit of work, from a claim that was just made.

    Args:
        store: The ledger.
        claim: What was taken.
        length: For how long, and for how much longer each time that it is renewed.
    """

    def __init__(self, store: Store, claim: Claim, length: timedelta) -> None:
        self._store = store
        self._claim = claim
        self._length = length
        self._until = monotonic() + length.total_seconds()
        self._lost = False

    def renew(self) -> None:
        """Hold it for longer.

        Raises:
            LeaseLost: Another holds the work now.
            Unavailable: The ledger is out of reach.
        """
        begun = monotonic()
        try:
            with self._store.transaction() as tx:
                work.renew(tx, self._claim, self._length)
        except LeaseLost:
            self._lost = True
            raise
        self._until = begun + self._length.total_seconds()

    def check(self) -> None:
        """Return where the work is still ours; a lease that ran out unnoticed, in a stopped process, is renewed.

        Raises:
            LeaseLost: Another holds the work now.
            Unavailable: The lease has run out, and the ledger is out of reach.
        """
        if self._lost:
            raise LeaseLost(f"The lease on {self._claim.kind} is held by another now.")
        if monotonic() >= self._until:
            self.renew()


@contextmanager
def kept(store: Store, claim: Claim, length: timedelta) -> Iterator[None]:
    """Renew the lease from a thread, three times within its length, until the block ends or the lease is lost.

    Once it is lost no further request goes to a model, and the transaction that would finish the work fails whole: the
    fence has gone up.
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

    thread = threading.Thread(target=renew, name=f"lease {claim.kind}", daemon=True)
    thread.start()
    try:
        with each_request_needs(lease.check):
            yield
    finally:
        over.set()
        thread.join()
