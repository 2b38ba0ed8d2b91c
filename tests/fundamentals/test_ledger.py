"""Work is a row in Postgres: claimed by one worker, finished in one transaction, and never lost.

Celery messages only announce that a row is ready. Every message may be lost, delayed or delivered twice.
"""

from datetime import timedelta
from uuid import UUID

import pytest

from schemas.errors import LeaseLost, Refused
from schemas.ledger.kinds import CURATE
from store.accounts import users
from store.ledger import work

# A unit of work is identified by its owner, its kind and a key. No Being has this id.
OWNER = UUID(int=1)
LEASE = timedelta(seconds=30)
EXPIRED = timedelta(0)


def request(store):
    """Request the unit of work."""
    with store.transaction() as tx:
        work.ask(tx, OWNER, CURATE)


def claim(store, lease=LEASE, attempts=5):
    """Claim the unit of work for one worker; returns None if it is not available."""
    with store.transaction() as tx:
        return work.claim(tx, OWNER, CURATE.name, "", lease=lease, attempts=attempts)


def state(store):
    with store.transaction() as tx:
        return work.state(tx, OWNER, CURATE.name, "")


def test_a_unit_of_work_is_ready_then_running_then_done(store):
    request(store)
    assert state(store) == "ready"
    claimed = claim(store)
    assert state(store) == "running"
    with store.finishing(claimed):
        pass
    assert state(store) == "done"


def test_a_duplicate_message_finds_nothing_to_claim(store):
    request(store)
    assert claim(store) is not None
    assert claim(store) is None


def test_a_worker_s_writes_and_the_done_state_are_committed_together(store):
    def write_and_fail(claimed):
        with store.finishing(claimed) as tx:
            users.add_user(tx, "Ada", "UTC")
            raise Refused("The second write of this step is refused.")

    request(store)
    with pytest.raises(Refused):
        write_and_fail(claim(store))
    with store.transaction() as tx:
        assert users.find_user(tx, "Ada") is None
    assert state(store) == "running"


def test_work_of_a_vanished_worker_is_claimed_again_when_its_lease_expires(store):
    request(store)
    claim(store, lease=EXPIRED)
    assert claim(store).attempts == 2


def test_a_worker_that_lost_its_lease_to_another_cannot_write(store):
    request(store)
    late = claim(store, lease=EXPIRED)
    claim(store)
    with pytest.raises(LeaseLost), store.finishing(late) as tx:
        users.add_user(tx, "Ada", "UTC")
    with store.transaction() as tx:
        assert users.find_user(tx, "Ada") is None


def test_work_requested_while_it_runs_runs_once_more(store):
    request(store)
    claimed = claim(store)
    request(store)
    request(store)
    with store.finishing(claimed):
        pass
    assert state(store) == "ready"
    with store.finishing(claim(store)):
        pass
    assert state(store) == "done"


def test_work_that_fails_at_every_attempt_is_dead_until_an_operator_replays_it(store):
    request(store)
    claimed = claim(store)
    with store.transaction() as tx:
        assert work.fail(tx, claimed, attempts=1, error="broken") == "dead"
        (dead,) = work.listed(tx, [OWNER], state="dead", limit=1)
        assert dead.error == "broken"
        work.replay(tx, dead)
    assert claim(store) is not None


def test_a_message_is_sent_after_the_commit_and_none_after_a_rollback(store, sent):
    def request_and_fail():
        with store.transaction() as tx:
            work.ask(tx, OWNER, CURATE)
            raise Refused("The rest of this transaction is refused.")

    with pytest.raises(Refused):
        request_and_fail()
    assert sent == []
    request(store)
    assert [message.kind for message in sent] == [CURATE.name]


def test_the_sweep_sends_a_lost_message_again(store):
    request(store)
    with store.transaction() as tx:
        assert work.take_due(tx, limit=10) == []
        tx.execute("update memory.work set dispatched_at = null")
        (message,) = work.take_due(tx, limit=10)
    assert message.kind == CURATE.name
