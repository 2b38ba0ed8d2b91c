"""A worker that is asked to stop finishes what is soon finished, and gives back the rest at once.

No lease expires in these tests: a worker gets work only because another gave it back.
"""

import signal

import pytest

from tests.acceptance.ledger.conftest import BAKERY
from tests.conftest import PATIENCE
from tests.fakes.provider import Behaviour

# Nor does a request to the model end before it is let go.
HOURS = {"PATROL_LEASE": "PT2H", "PATROL_PROVIDER_TIMEOUT": "600"}


@pytest.fixture
def ready(life, wait_until):
    """Start a worker; returns it when it is ready."""

    def start(name, **settings):
        worker = life.worker(name, **HOURS, **settings)
        wait_until(lambda: f"{name}@" in life.started.logs(name) and " ready." in life.started.logs(name))
        return worker

    return start


@pytest.fixture
def stuck(life, ready):
    """Start a worker that hangs in a model call, and a second one; returns both."""

    def start(grace, hanging=1):
        life.provider.script(Behaviour(do="hang", seconds=600, times=hanging))
        first = life.worker("first", PATROL_STOP_GRACE=grace, **HOURS)
        life.remember(*BAKERY)
        life.demand()
        life.provider.wait_for_requests(1)
        return first, ready("second", PATROL_STOP_GRACE="60")

    return start


def test_what_can_not_be_finished_is_given_back_at_once(life, stuck, ready, wait_until, fresh):
    first, second = stuck("1", hanging=3)
    # After the grace, at the second word, and when told to hurry.
    first.send(signal.SIGTERM)
    life.provider.wait_for_requests(2)
    wait_until(lambda: not first.alive)

    third = ready("third", PATROL_STOP_GRACE="60")
    second.send(signal.SIGTERM)
    # The second word comes after the first was heard.
    wait_until(lambda: " shutdown (MainProcess)" in life.started.logs("second"))
    second.send(signal.SIGQUIT)
    life.provider.wait_for_requests(3)
    wait_until(lambda: not second.alive)

    ready("fourth")
    third.send(signal.SIGQUIT)
    life.provider.wait_for_requests(4)
    wait_until(lambda: not third.alive)
    wait_until(life.settled)
    assert life.attempts() == {1}
    assert life.departs_from_replay(fresh) == []


def test_what_is_soon_finished_is_finished(life, stuck, wait_until):
    first, _ = stuck("240")
    first.send(signal.SIGTERM)
    wait_until(lambda: "Warm shutdown" in life.started.logs("first"))
    life.provider.release()
    wait_until(lambda: not first.alive)
    wait_until(life.settled)

    assert first.succeeded
    assert "work.handed_back" not in life.started.logs("first")
    assert max(life.texts_embedded().values()) == 1


def test_a_stopping_worker_leaves_no_message_behind(life, stuck, wait_until, redis_client):
    first, second = stuck("0.5")
    # A worker that is killed may leave one.
    second.stop(signal.SIGTERM, grace=PATIENCE)
    assert second.succeeded
    first.send(signal.SIGTERM)
    wait_until(lambda: not first.alive)

    assert redis_client.hlen("unacked") == 0
    life.worker("third", **HOURS)
    wait_until(life.settled)
