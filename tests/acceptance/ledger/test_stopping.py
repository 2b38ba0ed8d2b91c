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
def stuck(life, wait_until):
    """Start a worker that hangs in a model call, and a second one; returns both."""

    def start(grace):
        life.provider.script(Behaviour(do="hang", seconds=600))
        first = life.worker("first", PATROL_STOP_GRACE=str(grace), **HOURS)
        life.remember(*BAKERY)
        life.demand()
        life.provider.wait_for_requests(1)
        second = life.worker("second", **HOURS)
        wait_until(lambda: "second@" in life.started.logs("second") and " ready." in life.started.logs("second"))
        return first, second

    return start


@pytest.mark.parametrize(
    ("grace", "orders"),
    [
        pytest.param(1.0, [signal.SIGTERM], id="after the grace"),
        pytest.param(60.0, [signal.SIGTERM, signal.SIGQUIT], id="at the second word"),
        pytest.param(60.0, [signal.SIGQUIT], id="when told to hurry"),
    ],
)
def test_what_can_not_be_finished_is_given_back_at_once(life, stuck, wait_until, fresh, grace, orders):
    first, _ = stuck(grace)
    for order in orders:
        first.send(order)
        # The second word comes after the first was heard.
        wait_until(lambda: " shutdown (MainProcess)" in life.started.logs("first"))
    life.provider.wait_for_requests(2)

    wait_until(lambda: not first.alive)
    wait_until(life.settled)
    assert life.attempts() == {1}
    assert life.departs_from_replay(fresh) == []


def test_what_is_soon_finished_is_finished(life, stuck, wait_until):
    first, _ = stuck(240.0)
    first.send(signal.SIGTERM)
    wait_until(lambda: "Warm shutdown" in life.started.logs("first"))
    life.provider.release()
    wait_until(lambda: not first.alive)
    wait_until(life.settled)

    assert first.succeeded
    assert "work.handed_back" not in life.started.logs("first")
    assert max(life.texts_embedded().values()) == 1


def test_a_stopping_worker_leaves_no_message_behind(life, stuck, wait_until, redis_client):
    first, second = stuck(0.5)
    # A worker that is killed may leave one.
    second.stop(signal.SIGTERM, grace=PATIENCE)
    assert second.succeeded
    first.send(signal.SIGTERM)
    wait_until(lambda: not first.alive)

    assert redis_client.hlen("unacked") == 0
    life.worker("third", **HOURS)
    wait_until(life.settled)
