"""Work of a kind that this version does not know stays in the ledger, and is reported."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
import structlog

from memory.accounts.access import Operator
from memory.upkeep import health, periodic
from operations.ledger.work import list_work, remove_work, replay_work
from schemas.errors import Refused
from schemas.settings import Settings
from store.ledger import work
from tests.databases import answer_of

FOREIGN = "upkeep.of_the_next_version"
SETTINGS = Settings()


@pytest.fixture
def foreign(store, owner):
    """Two units that another version asked for, due an hour ago; returns their rows."""

    def read():
        with store.transaction() as tx:
            return tx.execute("select * from memory.work where kind = %s order by key", [FOREIGN]).fetchall()

    with store.transaction() as tx:
        tx.execute(
            "insert into memory.work (owner_id, kind, key, queue, next_at)"
            " select %s, %s, key, 'upkeep', clock_timestamp() - interval '1 hour' from unnest(array['a', 'b']) as key",
            [owner, FOREIGN],
        )
    return read


def finding(store, settings=SETTINGS):
    return {found.name: found for found in health.findings(store, settings)}["kinds of work"]


def test_the_sweep_reports_it_once_and_leaves_it_while_other_work_goes_on(store, ask, sent, foreign):
    ask()
    with store.transaction() as tx:
        tx.execute("update memory.work set dispatched_at = null")
    before = foreign()
    with structlog.testing.capture_logs() as logs:
        periodic.sweep(store, SETTINGS)
    assert [entry for entry in logs if entry["log_level"] == "error"] == [
        {"event": "sweep.unknown_kind", "kind": FOREIGN, "units": 2, "log_level": "error"}
    ]
    assert [message.kind for message in sent] == ["upkeep.curate"]
    assert foreign() == before
    assert len(before) == 2


def test_the_sweep_reports_nothing_where_all_is_known(store, ask):
    ask()
    with structlog.testing.capture_logs() as logs:
        periodic.sweep(store, SETTINGS)
    assert "sweep.unknown_kind" not in {entry["event"] for entry in logs}


@pytest.mark.usefixtures("foreign")
def test_health_says_so_when_no_version_that_knows_it_takes_it(store):
    assert not finding(store).good
    assert f"2 of {FOREIGN}" in finding(store).words
    assert finding(store, Settings(due_limit=timedelta(hours=2))).good, "a version that knows it may be on its way"
    assert health.findings(store, SETTINGS)[0].words == "no work is due", "no worker of this version is to blame"


def test_health_says_that_all_kinds_are_known(store, ask):
    ask()
    assert (finding(store).good, finding(store).words) == (True, "all known")


def test_it_is_listed_as_unknown_and_can_be_dropped_but_not_replayed(store, ask, foreign):
    ask()
    listed = answer_of(store, list_work, Operator(), state="ready", limit=10).work
    assert {(unit.kind, unit.known) for unit in listed} == {(FOREIGN, False), ("upkeep.curate", True)}
    unknown = [unit for unit in listed if not unit.known]
    with pytest.raises(Refused, match="unknown to this version"):
        answer_of(store, remove_work, Operator(), next(unit.work_id for unit in listed if unit.known))

    answer_of(store, remove_work, Operator(), unknown[0].work_id)
    assert [row["work_id"] for row in foreign()] == [unknown[1].work_id]
    with store.transaction() as tx:
        tx.execute(
            "update memory.work set state = 'dead', error = 'broken', finished_at = clock_timestamp() where kind = %s",
            [FOREIGN],
        )
    on = SimpleNamespace(store=store, settings=SETTINGS)
    with pytest.raises(Refused, match="knows no work of the kind"):
        replay_work.call(on, Operator(), unknown[1].work_id)
    assert [row["state"] for row in foreign()] == ["dead"]


def test_a_version_that_knows_it_takes_it(store, foreign, monkeypatch):
    monkeypatch.setattr(work, "WORK", {FOREIGN: None})
    with store.transaction() as tx:
        assert [message.key for message in work.take_due(tx, limit=10)] == ["a", "b"]
    assert all(row["dispatched_at"] for row in foreign())
