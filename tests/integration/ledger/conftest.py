"""One unit of work, to be asked for, claimed and looked at."""

from datetime import timedelta
from uuid import uuid4

import pytest

from store import work

KIND, KEY, QUEUE = "upkeep.tidy", "everything", "upkeep"
LEASE = timedelta(seconds=30)


@pytest.fixture
def owner():
    return uuid4()


@pytest.fixture
def ask(store, owner):
    """Ask for the work; says what is to be rung for."""

    def asking(**when):
        with store.transaction() as tx:
            return work.ask(tx, owner, KIND, KEY, QUEUE, **when)

    return asking


@pytest.fixture
def claim(store, owner):
    """Try to claim the work."""

    def claiming(lease=LEASE, attempts=5):
        with store.transaction() as tx:
            return work.claim(tx, owner, KIND, KEY, lease=lease, attempts=attempts)

    return claiming


@pytest.fixture
def row(store, owner):
    """The work's row as it is now."""

    def read():
        with store.transaction() as tx:
            return tx.execute("select * from memory.work where owner_id = %s and kind = %s", [owner, KIND]).fetchone()

    return read
