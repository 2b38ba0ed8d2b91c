"""Recall does not wait for a writer: the credit is kept, and entered once."""

from datetime import timedelta

import pytest

from memory.nodes import activation
from schemas.errors import Unavailable
from schemas.ledger.kinds import ACTIVATE
from store.ledger import work
from store.nodes import nodes
from store.patrol import steps
from tests.models.walking import ATTEMPTS, LEASE
from tests.scenes import remember, seen, words


@pytest.fixture
def node_id(store, being):
    with store.transaction() as tx:
        (node_id,) = remember(tx, being, words())
        return node_id


@pytest.fixture
def found(store, being, node_id):
    """Let the node be found while the Being is written to."""

    def finding():
        with store.transaction() as writer:
            steps.raise_counter(writer, being.being_id)
            with store.transaction() as tx:
                activation.activate(tx, being.being_id, [node_id])

    return finding


@pytest.fixture
def look(store, being, node_id):
    """The node as it is now."""

    def looking():
        with store.transaction() as tx:
            return seen(tx, being, node_id)

    return looking


@pytest.fixture
def claims(store, being):
    """Claim all that was kept."""

    def claiming():
        with store.transaction() as tx:
            tx.execute("update memory.work set next_at = clock_timestamp()")
            keys = [row["key"] for row in tx.execute("select key from memory.work where kind = %s", [ACTIVATE.name])]
            made = [work.claim(tx, being.being_id, ACTIVATE.name, key, lease=LEASE, attempts=ATTEMPTS) for key in keys]
            return [claim for claim in made if claim]

    return claiming


def test_what_is_found_without_concurrent_writers_is_credited_at_once(store, being, node_id, look, claims):
    with store.transaction() as tx:
        activation.activate(tx, being.being_id, [node_id])

    assert look().reactivation_count == 1
    assert claims() == []


def test_what_is_found_meanwhile_is_kept_and_credited_once(store, found, look, claims):
    found()
    found()
    assert look().reactivation_count == 0

    for claim in claims():
        activation.activate_kept(store, claim)

    assert (look().reactivation_count, look().session_count) == (2, 0)
    assert claims() == []
    with store.transaction() as tx:
        assert tx.execute("select from memory.pending_activations").rowcount == 0


def test_it_was_activated_when_it_was_found(store, clock, found, look, claims):
    found()
    then = clock.now()
    clock.advance(days=3)
    (claim,) = claims()
    activation.activate_kept(store, claim)

    assert abs(look().last_activated - then) < timedelta(days=1)


def test_what_was_found_again_meanwhile_keeps_the_later_time(store, being, node_id, clock, found, look, claims):
    found()
    clock.advance(days=3)
    with store.transaction() as tx:
        activation.activate(tx, being.being_id, [node_id])
    later = look().last_activated
    (claim,) = claims()
    activation.activate_kept(store, claim)

    assert (look().last_activated, look().reactivation_count) == (later, 2)


def test_a_worker_gives_up_on_a_being_that_is_written_to_and_the_credit_stays(store, being, found, look, claims):
    found()
    (claim,) = claims()
    with store.transaction() as writer:
        steps.raise_counter(writer, being.being_id)
        with pytest.raises(Unavailable):
            activation.activate_kept(store, claim)
    assert look().reactivation_count == 0

    activation.activate_kept(store, claim)

    assert look().reactivation_count == 1


def test_a_memory_that_was_forgotten_meanwhile_takes_no_credit(store, being, node_id, found, look, claims):
    found()
    with store.transaction() as tx:
        nodes.change_state(tx, being.being_id, node_id, "forget")
    (claim,) = claims()
    activation.activate_kept(store, claim)

    assert look().reactivation_count == 0
