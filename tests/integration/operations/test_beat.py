"""Beat may tick twice, or not for a day: nothing is done twice, and nothing piles up."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from memory.patrol import demand
from memory.upkeep import periodic
from schemas.ledger.kinds import BEAT, PATROL_DUE
from schemas.settings import Settings
from store.ledger import work
from store.patrol import runs
from tests.scenes import make_being, make_user

SETTINGS = Settings(tick=timedelta(hours=24))


@pytest.fixture
def schedule(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nowhere")
    monkeypatch.setenv("REDIS_URL", "redis://nowhere")
    import celeryconfig  # noqa: PLC0415  # it reads where the servers are

    return celeryconfig.beat_schedule


def at_once(do):
    """Let two beats tick at the same moment."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: do(), range(2)))


def test_a_tick_that_no_worker_took_in_time_is_dropped(schedule):
    for name, tick in schedule.items():
        assert tick["options"]["expires"] <= max(10 * tick["schedule"], 600), name
        assert tick["options"]["queue"] in {"ticks", "ingest"}, name


def test_beat_sends_each_registered_tick_at_its_time(schedule):
    assert {tick["task"]: tick["schedule"] for tick in schedule.values()} == {
        kind.name: kind.every.total_seconds() if kind.every else SETTINGS.sweep_every for kind in BEAT
    }


def test_two_sweeps_send_once_for_each_unit(store, sent):
    with store.transaction() as tx:
        beings = [make_being(tx, make_user(tx)).being_id for _ in range(20)]
        for being_id in beings:
            work.ask(tx, being_id, PATROL_DUE)
        tx.execute("update memory.work set dispatched_at = null")
    sent.clear()
    at_once(lambda: periodic.sweep(store, SETTINGS))
    assert sorted(message.owner_id for message in sent) == sorted(beings)


def test_two_beats_after_a_day_away_ask_each_being_for_one_patrol(store, clock, sent):
    with store.transaction() as tx:
        beings = [make_being(tx, make_user(tx)).being_id for _ in range(5)]
        tx.execute("update memory.beings set ticked_at = memory.now()")
    clock.advance(days=3)
    sent.clear()
    at_once(lambda: demand.ask_for_ticks(store, SETTINGS))
    assert sorted(message.owner_id for message in sent) == sorted(beings)
    for being_id in beings:
        with store.transaction() as tx:
            claim = work.claim(tx, being_id, "patrol.due", "", lease=timedelta(seconds=30), attempts=5)
        assert claim is not None
        demand.begin_due(store, SETTINGS, claim)
        with store.transaction() as tx:
            assert len(runs.newest(tx, being_id, 10)) == 1
            assert work.claim(tx, being_id, "patrol.due", "", lease=timedelta(seconds=30), attempts=5) is None
