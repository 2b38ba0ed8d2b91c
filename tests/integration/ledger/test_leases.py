"""Work whose lease is lost ends at its next request to a model."""

from datetime import timedelta

import pytest

from providers.lease_guard import before_request
from schemas.errors import LeaseLost
from tests.integration.ledger.conftest import LEASE
from workers.runtime.lease import Lease, renewed_lease

NOTHING = timedelta(0)


def test_who_holds_the_work_may_ask(store, ask, claim):
    ask()
    with renewed_lease(store, claim(), LEASE):
        before_request()


def test_who_has_lost_the_work_may_not(store, ask, claim):
    ask()
    late = claim(lease=NOTHING)
    claim()
    lease = Lease(store, late, LEASE)
    with pytest.raises(LeaseLost):
        lease.renew()

    with pytest.raises(LeaseLost):
        lease.check()


def test_a_lease_that_ran_out_while_the_process_stood_still_is_renewed_before_a_request(store, ask, claim, row):
    ask()
    lease = Lease(store, claim(lease=NOTHING), NOTHING)
    before = row()["lease_until"]

    lease.check()

    assert row()["lease_until"] > before


def test_one_that_another_took_meanwhile_is_lost(store, ask, claim):
    ask()
    lease = Lease(store, claim(lease=NOTHING), NOTHING)
    claim()

    with pytest.raises(LeaseLost):
        lease.check()


def test_outside_of_the_work_nothing_is_asked_for(store, ask, claim):
    ask()
    late = claim(lease=NOTHING)
    claim()
    with renewed_lease(store, late, NOTHING), pytest.raises(LeaseLost):
        before_request()

    before_request()
