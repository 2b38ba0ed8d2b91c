"""Workers die while what a user said is judged: each message is judged once, and a kill costs at most one more call."""

from collections import Counter

import pytest

from store.accounts import beings
from store.facts import facts, todos

SAID = ["I live in Austin.", "I love green tea.", "My sister is called Ana.", "I'll call her tomorrow."]
POINTS = [
    "after the model call@shadow.judge",
    "after the response is stored@shadow.judge",
    "inside apply@shadow.judge",
    "after commit@shadow.judge",
]


@pytest.fixture
def being(life):
    with life.store.transaction() as tx:
        return beings.get_being(tx, life.being_id)


def judged(life):
    """What became of each message's judging: how many are marked, and how often the ledger says that they were."""
    with life.store.transaction() as tx:
        (row,) = tx.execute(
            "select (select count(*) from memory.messages where judged) as marked,"
            " (select coalesce(sum(messages), 0) from memory.judgements) as counted"
        )
    return row["marked"], row["counted"]


def test_every_message_is_judged_exactly_once(life, being, wait_until):
    life.thinker(PATROL_JUDGE_MESSAGES="1", PATROL_CRASH_AT=",".join(POINTS))
    life.say(*SAID)
    wait_until(lambda: life.has_died(POINTS) and judged(life) == (len(SAID), len(SAID)))

    asked = Counter(request.prompt for request in life.provider.asked("Judgement", paid=True))
    # What the first worker was answered, and did not store.
    assert sum(asked.values()) - len(asked) == 1
    with life.store.transaction() as tx:
        known = facts.page(tx, being.user_id, being.being_id, limit=10)
        meant = todos.page(tx, being.being_id, limit=10)
    assert sorted(fact.content for fact in known) == [
        "Ana is the sister of the user.",
        "The user likes green tea.",
        "The user lives in Austin.",
    ]
    assert [fact.mentions for fact in known] == [1, 1, 1]
    assert [todo.content for todo in meant] == ["Call her tomorrow"]
