"""Work that could not be done can be looked at, replayed and dropped."""

import pytest

from tests.acceptance.http.intake.scenes import scene
from tests.conftest import PATIENCE
from workers.embedded.processes import wait_until


@pytest.fixture
def dead_step(person):
    """A patrol's step that is dead, as it is after its last attempt failed."""
    person.ask("POST", "/notes", json=scene())
    run = person.patrol()
    with person.ledger.transaction() as tx:
        tx.execute(
            "update memory.work set state = 'dead', error = 'ValueError in merge, line 7'"
            " where owner_id = %s and key = %s and kind = 'patrol.merge'",
            [person.being.being_id, run["run_id"]],
        )
    (work,) = person.client.get("/v1/work").json()["work"]
    return work


def test_dead_work_says_what_went_wrong(person, dead_step):
    shown = person.client.get(f"/v1/work/{dead_step['work_id']}").json()
    assert (shown["kind"], shown["error"]) == ("patrol.merge", "ValueError in merge, line 7")


def test_a_dead_step_is_replayed_as_a_new_patrol(person, dead_step):
    assert person.client.post(f"/v1/work/{dead_step['work_id']}/replay").status_code == 202
    assert person.client.get("/v1/work").json()["work"] == []

    def two_are_done():
        return [run["state"] for run in person.ask("GET", "/patrols").json()["patrols"]] == ["done", "done"]

    assert wait_until(two_are_done, PATIENCE, pause=0.1)


def test_dead_work_can_be_dropped(person, dead_step, problem):
    assert person.client.delete(f"/v1/work/{dead_step['work_id']}").status_code == 204
    problem(person.client.get(f"/v1/work/{dead_step['work_id']}"), 404)


def test_living_work_is_neither_replayed_nor_dropped(person, problem):
    person.ask("POST", "/notes", json=scene())
    person.patrol()
    (work, *_) = person.client.get("/v1/work", params={"state": "done"}).json()["work"]
    problem(person.client.post(f"/v1/work/{work['work_id']}/replay"), 409)
    problem(person.client.delete(f"/v1/work/{work['work_id']}"), 409)
