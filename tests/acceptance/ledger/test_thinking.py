"""Workers die while models answer: what is stored is never paid for again, and a kill before that costs one call."""

from collections import Counter

import pytest

from tests.acceptance.ledger.conftest import BAKERY, FAMILY

AFTER_THE_CALL = "after the model call@patrol.consolidate"
ONCE_STORED = ["after the response is stored@patrol.consolidate", "inside apply@patrol.consolidate"]


@pytest.fixture
def think(life):
    """Start a worker that thinks, and is to die once."""

    def started(where, **settings):
        life.worker(
            ANTHROPIC_API_KEY="sk-ant-of-the-platform",
            ANTHROPIC_BASE_URL=life.provider.url,
            PATROL_CRASH_AT=where,
            **settings,
        )
        return life.settings.home / f"crashed {where.partition('@')[0]}"

    return started


def paid(life):
    """How often each question about what belongs together was answered."""
    return Counter(request.prompt for request in life.provider.asked("Consolidation", paid=True))


def steps(life):
    """What each patrol's consolidation came to, in order."""
    with life.store.transaction() as tx:
        rows = tx.execute(
            "select steps -> 'consolidate' ->> 'outcome' as outcome from memory.patrol_runs order by run_id"
        )
        return [row["outcome"] for row in rows]


def accounts(life):
    """How many calls came to what."""
    with life.store.transaction() as tx:
        rows = tx.execute("select outcome from memory.model_calls where purpose = 'consolidate'")
        return Counter(row["outcome"] for row in rows)


@pytest.mark.parametrize("where", [AFTER_THE_CALL, *ONCE_STORED])
def test_an_answer_is_paid_for_once_or_twice_where_it_was_not_stored_yet(life, think, wait_until, where):
    mark = think(where)
    life.remember(*BAKERY, *FAMILY)
    life.demand()
    wait_until(lambda: mark.exists() and life.settled())

    repeated = sum(paid(life).values()) - len(paid(life))
    assert paid(life)
    assert repeated == (1 if where == AFTER_THE_CALL else 0)
    assert {*steps(life)} == {"done"}
    assert accounts(life)["answered"] == len(paid(life))
    assert accounts(life)["unknown"] == repeated, "a call without a recorded outcome stays in the accounts"


@pytest.mark.parametrize("where", [AFTER_THE_CALL, ONCE_STORED[0]])
def test_a_batch_is_sent_once_or_twice_where_its_arrival_was_not_stored(life, think, wait_until, where):
    mark = think(where, PATROL_BATCH_THINKING="on", PATROL_BATCH_WAIT="PT0.2S")
    life.remember(*BAKERY, *FAMILY)
    wait_until(lambda: mark.exists() and life.settled() and steps(life) != [])

    batches = [request for request in life.provider.requests if request.endpoint == "batches"]
    of_consolidation = [batch for batch in batches if "Consolidation" in str(batch.body)]
    assert len(of_consolidation) == len(steps(life)) + (1 if where == AFTER_THE_CALL else 0)
    assert {*steps(life)} == {"done"}
    assert not [request for request in life.provider.asked("Consolidation") if request.endpoint == "messages"]
