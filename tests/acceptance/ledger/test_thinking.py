"""Workers die while a batch of questions is out: one whose arrival was stored is never sent again."""

from tests.acceptance.ledger.conftest import BAKERY, FAMILY


def steps(life):
    """The outcome of each patrol's consolidation, in order."""
    with life.store.transaction() as tx:
        rows = tx.execute(
            "select steps -> 'consolidate' ->> 'outcome' as outcome from memory.patrol_runs order by run_id"
        )
        return [row["outcome"] for row in rows]


def test_only_a_batch_whose_arrival_was_not_stored_is_sent_twice(life, wait_until):
    points = ["after the model call@patrol.consolidate", "after the response is stored@patrol.consolidate"]
    life.thinker(crash_at=points, PATROL_BATCH_THINKING="on", PATROL_BATCH_WAIT="PT0.2S")
    life.remember(*BAKERY, *FAMILY)
    wait_until(lambda: life.has_died(points) and life.settled() and steps(life) != [])

    batches = [request for request in life.provider.requests if request.endpoint == "batches"]
    of_consolidation = [batch for batch in batches if "Consolidation" in str(batch.body)]
    assert len(of_consolidation) == len(steps(life)) + 1
    assert {*steps(life)} == {"done"}
    assert not [request for request in life.provider.asked("Consolidation") if request.endpoint == "messages"]
