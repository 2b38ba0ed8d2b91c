"""A worker process dies at the worst moments there are; another goes on, and the memory is as if none had died."""

import pytest

from tests.acceptance.ledger.conftest import BAKERY, FAMILY
from workers.runtime.crash_points import POINTS


@pytest.mark.parametrize(
    "where", [*POINTS, "inside apply@patrol.assign", "after commit@patrol.diary", "before the ack@patrol.embed"]
)
def test_a_process_dies_and_nothing_is_lost_or_done_twice(life, fresh, wait_until, where):
    life.worker(PATROL_CRASH_AT=where)
    life.remember(*BAKERY, *FAMILY, "the oven failed again", "the bread burned again")
    life.demand()
    life.remember("the cat came back")
    life.demand()
    mark = life.settings.home / f"crashed {where.partition('@')[0]}"
    wait_until(lambda: mark.exists() and life.settled())

    paid = life.texts_embedded()
    assert max(paid.values()) <= (2 if where == "after the model call" else 1), paid
    assert life.departs_from_replay(fresh) == []
    with life.store.transaction() as tx:
        (counted,) = tx.execute("select count(*) as nodes, count(distinct note_id) as notes from memory.memory_nodes")
    assert (counted["nodes"], counted["notes"]) == (13, 13)


@pytest.mark.usefixtures("locks_in_order")
@pytest.mark.parametrize(
    "where",
    [
        "after the model call@patrol.consolidate",
        "after the response is stored@patrol.consolidate",
        "inside apply@patrol.consolidate",
        "inside apply@patrol.split",
        "after commit@patrol.diary",
    ],
)
def test_a_process_dies_in_thought_and_pays_at_most_one_answer_twice(life, fresh, wait_until, where):
    life.worker(PATROL_CRASH_AT=where, **life.thinking())
    life.remember(*BAKERY, *FAMILY, "the oven failed again", "the bread burned again")
    life.demand()
    mark = life.settings.home / f"crashed {where.partition('@')[0]}"
    wait_until(lambda: mark.exists() and life.settled())

    twice = sum(times - 1 for times in life.questions_paid_for().values())
    assert twice <= (1 if where.startswith("after the model call") else 0)
    assert life.departs_from_replay(fresh) == []
    with life.store.transaction() as tx:
        (told,) = tx.execute("select count(*) as times from memory.node_history where event = 'took in'")
        (days,) = tx.execute("select count(*) as entries from memory.diary")
    assert (told["times"], days["entries"]) == (2, 1)
