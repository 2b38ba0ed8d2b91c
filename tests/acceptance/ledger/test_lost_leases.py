"""A worker that slept through its lease wakes up believing that the work is still its own."""

import os
import signal

from memory.patrol import PROTOTYPES
from tests.acceptance.ledger.conftest import BAKERY
from tests.fakes.provider import Behaviour


def test_who_wakes_up_too_late_changes_nothing(life, wait_until, fresh):
    life.provider.script(Behaviour(do="hang", seconds=120, when=PROTOTYPES["Private"]))
    sleeper = life.worker("sleeper")
    life.remember(*BAKERY)
    life.demand()
    life.provider.wait_for_requests(2)
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
