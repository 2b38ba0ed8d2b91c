"""Keeping a lease while work goes on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog

from schemas.work import Claim
from store import work
from store.database import Store
from store.errors import LeaseLost, Unavailable

log = structlog.get_logger()


@contextmanager
def kept(store: Store, claim: Claim, lease: timedelta) -> Iterator[None]:
    """Renew the lease from a thread, three times within its length, until the block ends or the lease is lost.

    Once it is lost, the transaction that would finish the work fails whole: the fence has gone up.
    """
    over = threading.Event()

    def renew() -> None:
        while not over.wait(lease.total_seconds() / 3):
            try:
                with store.transaction() as tx:
                    work.renew(tx, claim, lease)
            except LeaseLost:
                log.warning("lease.lost", kind=claim.kind, owner_id=str(claim.owner_id), key=claim.key)
                return
            except Unavailable:
                log.warning("lease.not_renewed", kind=claim.kind, owner_id=str(claim.owner_id), key=claim.key)

    thread = threading.Thread(target=renew, name=f"lease {claim.kind}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
