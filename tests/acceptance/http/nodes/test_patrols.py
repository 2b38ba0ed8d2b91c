"""A patrol is demanded, watched, and told of."""

from schemas.ledger.kinds import PATROL_STEPS
from tests.acceptance.http.intake.scenes import scene


def test_a_report_tells_what_each_step_did(person):
    person.ask("POST", "/notes", json=[scene("One."), scene("Two.")])
    report = person.patrol()
    assert [step["step"] for step in report["steps"]] == list(PATROL_STEPS)
    told = {step["step"]: step for step in report["steps"]}
    assert told["embed"]["counts"] == {"nodes": 2, "repaired": 0, "parse_failed": 0, "embed_failed": 0}
    assert (told["diary"]["outcome"], told["diary"]["reason"]) == ("skipped", "no key")
    assert all(step["finished_at"] for step in report["steps"])
    assert (report["demanded"], report["under_way"], report["error"]) == (True, None, None)


def test_demands_during_a_patrol_are_one_more(person):
    demanded = {person.ask("POST", "/patrols").json()["run_id"] for _ in range(8)}
    person.patrol()
    patrols = person.ask("GET", "/patrols").json()["patrols"]
    assert {patrol["run_id"] for patrol in patrols} >= demanded
    assert [patrol["created_at"] for patrol in patrols] == sorted(
        (patrol["created_at"] for patrol in patrols), reverse=True
    )


def test_a_step_that_waits_says_for_what(person, ledger):
    with ledger.transaction() as tx:
        (run,) = tx.execute(
            "insert into memory.patrol_runs (being_id, demanded, state, as_of) values (%s, true, 'running', now())"
            " returning run_id",
            [person.being.being_id],
        )
        tx.execute(
            "insert into memory.work (owner_id, kind, key, queue, next_at, error) values"
            " (%s, 'patrol.dying', %s, 'patrol', clock_timestamp() + interval '1 hour', 'Transient: 429')",
            [person.being.being_id, str(run["run_id"])],
        )
    report = person.ask("GET", f"/patrols/{run['run_id']}").json()
    assert report["state"] == "running"
    assert (report["under_way"]["step"], report["under_way"]["state"]) == ("dying", "ready")
    assert report["under_way"]["error"] == "Transient: 429"
    assert {step["outcome"] for step in report["steps"]} == {"waiting"}
