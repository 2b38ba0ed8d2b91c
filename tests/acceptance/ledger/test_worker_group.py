"""The workers of `patrol up` share a process that forks them: they work as two, and begin and end together."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from cli.operations import stack
from tests.acceptance.ledger.conftest import BAKERY


def workers_of(group):
    """The ids of the group's workers, without those of their pools."""
    return [int(pid) for pid in Path(f"/proc/{group.pid}/task/{group.pid}/children").read_text().split()]


def alive(pid):
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


@pytest.fixture
def group(started, wait_until):
    """Both workers, ready."""
    workers = started.start("workers", list(stack.workers(1, lambda _: None).argv))
    wait_until(lambda: started.logs("workers").count(" ready.") == 2)
    return workers


def stops_at(order, group, wait_until):
    both = workers_of(group)
    group.send(order)

    wait_until(lambda: not any(map(alive, both)))
    wait_until(lambda: not group.alive)
    assert group.succeeded


def test_each_worker_does_its_part_of_a_patrol_until_both_are_told_to_stop(life, group, wait_until):
    life.remember(*BAKERY)
    life.demand()
    wait_until(life.settled)

    assert group.alive
    assert len(workers_of(group)) == 2
    stops_at(signal.SIGTERM, group, wait_until)


@pytest.mark.parametrize("which", [0, 1])
def test_a_group_ends_with_any_of_its_workers(group, wait_until, which):
    both = workers_of(group)
    os.kill(both[which], signal.SIGKILL)

    wait_until(lambda: not group.alive)
    assert not group.succeeded
    wait_until(lambda: not any(map(alive, both)))


def test_ctrl_c_reaches_both(group, wait_until):
    stops_at(signal.SIGINT, group, wait_until)


def test_no_worker_outlives_its_group(group, wait_until):
    both = workers_of(group)
    os.kill(group.pid, signal.SIGKILL)

    wait_until(lambda: not any(map(alive, both)))
