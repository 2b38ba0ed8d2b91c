"""Notes of an import are remembered before a model is asked about any of them."""

import pytest

from memory.patrol import consolidation, steps
from memory.patrol.consolidation import MORE_TO_COME
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.ledger.kinds import PATROL_STEPS
from store.ledger import work
from store.llm import responses
from store.patrol import runs
from tests.fakes.provider import Behaviour
from tests.models.thinking import thinking_life
from tests.models.walking import ATTEMPTS, LEASE, walk_patrol, walk_run

RUN_NOTES = 4


@pytest.fixture
def life(store, user):
    with thinking_life(store, user, topic_birth=False, run_notes=RUN_NOTES, pending_notes=2) as made:
        yield made


@pytest.fixture(autouse=True)
def _a_run_decides_as_many_nodes_as_it_takes_notes(monkeypatch):
    monkeypatch.setattr(consolidation, "LEFT_OVER_NODES", 0)
    # Small topics are decided as a whole, whatever a run's limit.
    monkeypatch.setattr(consolidation, "PART_NODES", 0)


def told(life, notes):
    life.tell(*(f"Pip oils hinge number {number}." for number in range(notes)))


def running(life):
    with life.store.transaction() as tx:
        return next((run.run_id for run in runs.newest(tx, life.being_id, 1) if run.state == "running"), None)


def patrolled(life, run_id):
    """Walk a run to its end; returns its report of consolidation and how many notes wait then.

    What is left of consolidation to later runs is left of splitting, too.
    """
    embedders, thinkers = Embedders(life.settings), Thinkers(life.settings)
    run = walk_run(life.store, embedders, life.settings, life.being_id, run_id, PATROL_STEPS, thinkers)
    with life.store.transaction() as tx:
        waiting = tx.value("select count(*) from memory.notes where state <> 'remembered'")
    assert (run.steps["split"].get("reason") == MORE_TO_COME) == (
        run.steps["consolidate"].get("reason") == MORE_TO_COME
    )
    return run.steps["consolidate"], waiting


def fresh(life):
    return sum(node.fresh for node in life.nodes())


def test_all_is_remembered_before_any_is_consolidated_and_then_all_is_consolidated(life):
    told(life, 3 * RUN_NOTES)
    seen = []
    while run_id := running(life):
        report, waiting = patrolled(life, run_id)
        seen.append((report["outcome"], report.get("reason"), waiting, fresh(life)))
    assert seen == [
        ("skipped", MORE_TO_COME, 2 * RUN_NOTES, RUN_NOTES),
        ("skipped", MORE_TO_COME, RUN_NOTES, 2 * RUN_NOTES),
        ("done", None, 0, 2 * RUN_NOTES),
        ("done", None, 0, RUN_NOTES),
        ("done", None, 0, 0),
    ]


def test_a_few_notes_to_come_keep_no_run_from_consolidating(life):
    told(life, RUN_NOTES + 1)
    report, waiting = patrolled(life, running(life))
    assert (report["outcome"], waiting, fresh(life)) == ("done", 1, 0)


def test_a_demanded_patrol_consolidates_whatever_is_to_come(life):
    told(life, 2 * RUN_NOTES)
    first = running(life)
    with life.store.transaction() as tx:
        demanded = runs.want(tx, life.being_id, demanded=True, notes=RUN_NOTES)
    told(life, 3 * RUN_NOTES)
    assert patrolled(life, first)[0]["outcome"] == "skipped"
    assert patrolled(life, demanded)[0]["outcome"] == "done"


def test_notes_that_come_after_the_steps_first_claim_change_nothing(life):
    told(life, RUN_NOTES)
    run_id = running(life)
    settings, embedders, thinkers = life.settings, Embedders(life.settings), Thinkers(life.settings)
    walk_run(life.store, embedders, settings, life.being_id, run_id, ("embed", "assign", "session_counts", "dying"))
    with life.store.transaction() as tx:
        claim = work.claim(tx, life.being_id, "patrol.consolidate", str(run_id), lease=LEASE, attempts=ATTEMPTS)
    told(life, RUN_NOTES)
    steps.consolidate(life.store, embedders, thinkers, settings, claim)
    with life.store.transaction() as tx:
        assert runs.get(tx, life.being_id, run_id).steps["consolidate"]["outcome"] == "done"


def test_while_many_are_undecided_each_run_decides_some(life, monkeypatch):
    monkeypatch.setattr(consolidation, "MOST_UNDECIDED", 2 * RUN_NOTES)
    told(life, 4 * RUN_NOTES)
    outcomes = [patrolled(life, running(life))[0]["outcome"] for _ in range(2)]
    assert outcomes == ["skipped", "done"]


def test_a_run_that_decides_nothing_has_no_other_begin_in_its_place(life):
    told(life, 2 * RUN_NOTES)
    patrolled(life, running(life))
    life.provider.script(*(Behaviour(do="answer", on="messages", text="no JSON") for _ in range(40)))
    report, _ = patrolled(life, running(life))
    assert report.get("further") is None
    assert fresh(life) == 2 * RUN_NOTES
    assert running(life) is None


def test_what_was_left_is_taken_up_by_the_next_patrol(life):
    told(life, 2 * RUN_NOTES)
    patrolled(life, running(life))
    life.provider.script(*(Behaviour(do="answer", on="messages", text="no JSON") for _ in range(40)))
    patrolled(life, running(life))
    life.provider.reset()
    with life.store.transaction() as tx:
        responses.remove_unanswered(tx, life.being_id)
    settings = life.settings
    walk_patrol(life.store, Embedders(settings), settings, life.being_id, Thinkers(settings))
    assert fresh(life) == RUN_NOTES
