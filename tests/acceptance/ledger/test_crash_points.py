"""Worker processes die at the worst moments there are; others go on, and the memory is as if none had died."""

import pytest

from tests.acceptance.ledger.conftest import BAKERY, FAMILY
from tests.processes.crashing import POINTS

AGAIN = ["the oven failed again", "the bread burned again"]


def test_processes_die_and_nothing_is_lost_or_done_twice(life, fresh, wait_until):
    points = [*POINTS, "inside apply@patrol.assign", "before the ack@patrol.embed"]
    life.worker(crash_at=points)
    life.remember(*BAKERY, *FAMILY, *AGAIN)
    life.demand()
    life.remember("the cat came back")
    life.demand()
    wait_until(lambda: life.has_died(points) and life.settled())

    # The answer that the first worker had, and did not store, is paid for again.
    assert max(life.texts_embedded().values()) == 2, life.texts_embedded()
    assert life.departs_from_replay(fresh) == []
    with life.store.transaction() as tx:
        (counted,) = tx.execute("select count(*) as nodes, count(distinct note_id) as notes from memory.memory_nodes")
    assert (counted["nodes"], counted["notes"]) == (13, 13)


@pytest.mark.usefixtures("locks_in_order")
def test_processes_die_in_thought_and_only_an_answer_that_was_not_stored_yet_is_paid_for_twice(life, fresh, wait_until):
    points = [
        "after the model call@patrol.consolidate",
        "after the response is stored@patrol.consolidate",
        "inside apply@patrol.consolidate",
        "inside apply@patrol.split",
        "after commit@patrol.diary",
    ]
    life.worker(crash_at=points, **life.thinking())
    life.remember(*BAKERY, *FAMILY, *AGAIN)
    life.demand()
    wait_until(lambda: life.has_died(points) and life.settled())

    paid = life.questions_paid_for()
    assert sum(paid.values()) - len(paid) == 1
    consolidations = len(life.provider.asked("Consolidation", paid=True))
    with life.store.transaction() as tx:
        calls = tx.execute("select outcome from memory.model_calls where purpose = 'consolidate'").fetchall()
        (run,) = tx.execute("select steps -> 'consolidate' ->> 'outcome' as outcome from memory.patrol_runs")
        (told,) = tx.execute("select count(*) as times from memory.node_history where event = 'took in'")
        (days,) = tx.execute("select count(*) as entries from memory.diary")
    # A call without a recorded outcome stays in the accounts.
    assert sorted(call["outcome"] for call in calls) == ["answered"] * (consolidations - 1) + ["unknown"]
    assert (run["outcome"], told["times"], days["entries"]) == ("done", 2, 1)
    assert life.departs_from_replay(fresh) == []
