"""When a patrol starts, and how many notes it takes."""

from datetime import timedelta
from uuid import UUID

import pytest

from memory.intake.notes import accept_notes
from memory.patrol import demand
from memory.upkeep import periodic
from schemas.ledger.kinds import PATROL_DUE
from schemas.settings import Settings
from store.accounts import beings
from store.ledger import work
from store.patrol import runs, steps
from tests.models.walking import ATTEMPTS, LEASE, walk_run

# Patrols without a request, of two notes each, begun when two wait.
PATIENT = Settings(embedder="minilm", pending_notes=2, run_notes=2, pending_wait=timedelta(hours=1))
# The same, but that a patrol for one note is due at once.
AT_ONCE = PATIENT.model_copy(update={"pending_wait": timedelta(0)})


def hand_in(life, *actions, settings=PATIENT):
    """Hand notes in; returns the messages that were sent for them."""
    items = [
        {"type": "scene", "content": {"action": action, "actors": ["Mira"], "when": ["2026-03-02"]}}
        for action in actions
    ]
    return life.sent.by(lambda: accept_notes(life.store, settings, life.being_id, items))


def begin_due(life):
    """Begin the patrol that is due, as a worker does; None if none is."""
    with life.store.transaction() as tx:
        claim = work.claim(tx, life.being_id, PATROL_DUE.name, "", lease=LEASE, attempts=ATTEMPTS)
    if claim is None:
        return None
    (begun,) = life.sent.by(lambda: demand.begin_due(life.store, PATIENT, claim))
    return UUID(begun.key)


def under_way(life):
    """The patrol that is under way; None if none is."""
    with life.store.transaction() as tx:
        return next((run.run_id for run in runs.newest(tx, life.being_id, 1) if run.state == "running"), None)


def swept(life):
    """The messages that the sweep sends when every one was lost."""
    with life.store.transaction() as tx:
        tx.execute("update memory.work set dispatched_at = null")
    return life.sent.by(lambda: periodic.sweep(life.store, PATIENT))


def waiting(life):
    """How many notes are no memories yet."""
    with life.store.transaction() as tx:
        return tx.value("select count(*) from memory.notes where state <> 'remembered'")


def test_one_note_waits_for_company(life):
    assert hand_in(life, "One.") == []
    assert begin_due(life) is None
    assert under_way(life) is None


def test_enough_notes_begin_a_patrol_with_the_last_of_them(life):
    hand_in(life, "One.")
    (message,) = hand_in(life, "Two.")
    assert message.kind == "patrol.embed"
    assert message.key == str(under_way(life))


def test_while_the_being_is_written_to_enough_notes_leave_the_beginning_to_a_task(life):
    hand_in(life, "One.")
    with life.store.transaction() as writer:
        steps.raise_counter(writer, life.being_id)
        (message,) = hand_in(life, "Two.")
    assert message.kind == "patrol.due"
    assert begin_due(life) is not None


def test_a_backlog_is_worked_off_run_after_run(life):
    hand_in(life, *(f"Thing number {number}." for number in range(6)))
    left = []
    while run_id := under_way(life):
        walk_run(life.store, life.embedders, PATIENT, life.being_id, run_id)
        left.append(waiting(life))
    assert left == [4, 2, 0]
    assert len(life.memories()) == 6


def test_what_a_patrol_left_over_does_not_wait_for_company(life):
    hand_in(life, *(f"Thing number {number}." for number in range(3)))
    walk_run(life.store, life.embedders, PATIENT, life.being_id, under_way(life))
    assert waiting(life) == 1

    walk_run(life.store, life.embedders, PATIENT, life.being_id, under_way(life))

    assert waiting(life) == 0
    hand_in(life, "Alone.")
    assert begin_due(life) is None
    assert under_way(life) is None


def test_what_comes_during_a_patrol_waits_for_company(life):
    run_id = demand.demand(life.store, PATIENT, life.being_id)
    hand_in(life, "One.")
    walk_run(life.store, life.embedders, PATIENT, life.being_id, run_id)
    assert begin_due(life) is None
    assert under_way(life) is None


def test_what_came_alone_goes_before_what_came_in_bulk(life):
    run_id = demand.demand(life.store, PATIENT, life.being_id)
    hand_in(life, *(f"Imported {number}." for number in range(101)))
    hand_in(life, "Told just now.")
    walk_run(life.store, life.embedders, PATIENT, life.being_id, run_id)
    walk_run(life.store, life.embedders, PATIENT, life.being_id, under_way(life))
    assert "Told just now." in [node.scene["action"] for node in life.memories()]


def test_nothing_is_sent_during_a_patrol_which_looks_at_what_waits_when_it_ends(life):
    run_id = demand.demand(life.store, PATIENT, life.being_id)
    assert hand_in(life, "One.", "Two.") == []
    walk_run(life.store, life.embedders, PATIENT, life.being_id, run_id)
    walk_run(life.store, life.embedders, PATIENT, life.being_id, under_way(life))
    assert len(life.memories()) == 2


def test_what_is_due_during_a_patrol_does_not_wait_for_its_writing(life):
    hand_in(life, "One.", settings=AT_ONCE)
    run_id = demand.demand(life.store, PATIENT, life.being_id)
    with life.store.transaction() as writer:
        steps.raise_counter(writer, life.being_id)
        assert [message.key for message in swept(life)] == [str(run_id)]
        with life.store.transaction() as tx:
            assert work.state(tx, life.being_id, PATROL_DUE.name, "") == "done"


def test_the_sweep_begins_what_became_due(life):
    hand_in(life, "One.", settings=AT_ONCE)
    (message,) = swept(life)
    assert message.kind == "patrol.embed"
    assert walk_run(life.store, life.embedders, PATIENT, life.being_id, UUID(message.key)).state == "done"


def test_the_sweep_leaves_a_patrol_to_its_task_while_its_being_is_written_to(life):
    hand_in(life, "One.", settings=AT_ONCE)
    with life.store.transaction() as writer:
        steps.raise_counter(writer, life.being_id)
        (message,) = swept(life)
    assert message.kind == "patrol.due"
    assert begin_due(life) is not None


@pytest.mark.parametrize(("hours", "counts"), [(23, 1), (24, 2)])
def test_time_passes_by_ticks_and_not_by_traffic(life, clock, hours, counts):
    for action in ("One.", "Two."):
        hand_in(life, action, action)
        walk_run(life.store, life.embedders, PATIENT, life.being_id, under_way(life))
        clock.advance(hours=hours)
    with life.store.transaction() as tx:
        assert beings.get_being(tx, life.being_id).patrol_counter == counts


def test_time_passes_for_a_being_without_new_notes(life, clock):
    hand_in(life, "One.", "Two.")
    walk_run(life.store, life.embedders, PATIENT, life.being_id, under_way(life))
    assert life.sent.by(lambda: demand.ask_for_ticks(life.store, PATIENT)) == []
    clock.advance(hours=24)
    (message,) = life.sent.by(lambda: demand.ask_for_ticks(life.store, PATIENT))
    assert message.kind == "patrol.due"
    run = walk_run(life.store, life.embedders, PATIENT, life.being_id, begin_due(life))
    assert "outcome" in run.steps["session_counts"]
    with life.store.transaction() as tx:
        assert beings.get_being(tx, life.being_id).patrol_counter == 2


def test_a_demand_during_a_patrol_queues_exactly_one_more(life):
    first = demand.demand(life.store, PATIENT, life.being_id)
    life.sent.clear()
    second = demand.demand(life.store, PATIENT, life.being_id)
    third = demand.demand(life.store, PATIENT, life.being_id)
    assert first != second == third
    assert life.sent == []
    walk_run(life.store, life.embedders, PATIENT, life.being_id, first)
    with life.store.transaction() as tx:
        assert runs.get(tx, life.being_id, second).state == "running"
