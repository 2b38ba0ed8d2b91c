"""Beat may tick twice, or not for a day: nothing is done twice, and nothing piles up."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from memory import patrol_demand, upkeep
from schemas.settings import Settings
from schemas.work import QUEUES
from store import runs, work
from tests.scenes import make_being, make_user

SETTINGS = Settings(tick=timedelta(hours=24))


@pytest.fixture
def schedule(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nowhere")
    monkeypatch.setenv("REDIS_URL", "redis://nowhere")
    import celeryconfig  # noqa: PLC0415  # it reads where the servers are

    return celeryconfig.beat_schedule


def at_once(do):
    """Let two beats tick at the same moment; returns what both rang for."""
    with ThreadPoolExecutor(2) as pool:
        return [ring for rings in pool.map(lambda _: do(), range(2)) for ring in rings]


def test_a_tick_that_nobody_took_in_time_is_dropped(schedule):
    for name, tick in schedule.items():
        assert tick["options"]["expires"] <= max(10 * tick["schedule"], 600), name
        assert tick["options"]["queue"] in QUEUES, name


def test_two_sweeps_ring_once_for_each_unit(store):
    with store.transaction() as tx:
        beings = [make_being(tx, make_user(tx)).being_id for _ in range(20)]
        for being_id in beings:
            work.ask(tx, being_id, "patrol.due", "", "patrol")
        tx.execute("update memory.work set rung_at = null")
    rung = at_once(lambda: upkeep.sweep(store, SETTINGS))
    assert sorted(ring.owner_id for ring in rung) == sorted(beings)


def test_two_beats_after_a_day_away_ask_each_being_for_one_patrol(store, clock):
    with store.transaction() as tx:
        beings = [make_being(tx, make_user(tx)).being_id for _ in range(5)]
        tx.execute("update memory.beings set ticked_at = memory.now()")
    clock.advance(days=3)
    rung = at_once(lambda: patrol_demand.ask_for_ticks(store, SETTINGS))
    assert sorted(ring.owner_id for ring in rung) == sorted(beings)
    for being_id in beings:
        with store.transaction() as tx:
            claim = work.claim(tx, being_id, "patrol.due", "", lease=timedelta(seconds=30), attempts=5)
        assert claim is not None
        patrol_demand.begin_due(store, SETTINGS, claim)
        with store.transaction() as tx:
            assert len(runs.newest(tx, being_id, 10)) == 1
            assert work.claim(tx, being_id, "patrol.due", "", lease=timedelta(seconds=30), attempts=5) is None
