"""One unit of work, to be asked for, claimed and looked at."""

from datetime import timedelta
from uuid import uuid4

import pytest

from schemas.ledger.kinds import CURATE
from store.ledger import work

KIND, KEY = CURATE, "everything"
LEASE = timedelta(seconds=30)


@pytest.fixture
def owner():
    return uuid4()


@pytest.fixture
def ask(store, owner, sent):
    """Ask for the work; returns the messages that were sent for it."""

    def asking(**when):
        sent.clear()
        with store.transaction() as tx:
            work.ask(tx, owner, KIND, KEY, **when)
        return sent.take()

    return asking


@pytest.fixture
def claim(store, owner):
    """Try to claim the work."""

    def claiming(lease=LEASE, attempts=5):
        with store.transaction() as tx:
            return work.claim(tx, owner, KIND.name, KEY, lease=lease, attempts=attempts)

    return claiming


@pytest.fixture
def row(store, owner):
    """The work's row as it is now."""

    def read():
        with store.transaction() as tx:
            return tx.execute(
                "select * from memory.work where owner_id = %s and kind = %s", [owner, KIND.name]
            ).fetchone()

    return read
