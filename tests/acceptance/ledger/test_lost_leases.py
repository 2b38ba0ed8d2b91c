"""A worker that slept through its lease wakes up believing that the work is still its own."""

import os
import signal

from memory.patrol.root_examples import EXAMPLES
from tests.acceptance.ledger.conftest import BAKERY
from tests.fakes.provider import Behaviour


def test_a_worker_that_wakes_up_too_late_changes_nothing(life, wait_until, fresh):
    life.provider.script(Behaviour(do="hang", seconds=600, when=EXAMPLES["Private"][0]))
    sleeper = life.worker("sleeper")
    life.remember(*BAKERY)
    life.demand()
    # Not before the model was asked: the heir would wait for the answer then, as long as for a model that is down.
    wait_until(lambda: any(EXAMPLES["Private"][0] in sent.body["input"] for sent in life.provider.requests))
    os.killpg(sleeper.pid, signal.SIGSTOP)
    heir = life.worker("heir")
    wait_until(life.settled)
    before = life.rows()

    heir.kill()
    life.provider.release()
    os.killpg(sleeper.pid, signal.SIGCONT)
    wait_until(lambda: "lease.lost" in life.started.logs("sleeper"))
    sleeper.send(signal.SIGTERM)
    wait_until(lambda: not sleeper.alive)

    assert life.rows() == before
    assert life.departs_from_replay(fresh) == []


def test_a_worker_that_lost_the_lease_asks_no_model_any_more(life, wait_until):
    halved = (Behaviour(do="fail", status=400, when=BAKERY[0]) for _ in range(2))
    life.provider.script(*halved, Behaviour(do="hang", seconds=600))
    worker = life.worker()
    life.remember(*BAKERY)
    life.demand()
    life.provider.wait_for_requests(3)

    with life.store.transaction() as tx:
        tx.execute(
            "update memory.work set fence = fence + 1, lease_until = clock_timestamp() + interval '1 hour'"
            " where kind = 'patrol.embed' and state = 'running'"
        )
    wait_until(lambda: "lease.lost" in life.started.logs("worker"))
    life.provider.release()
    worker.send(signal.SIGTERM)
    wait_until(lambda: not worker.alive)

    assert len(life.provider.requests) == 3
