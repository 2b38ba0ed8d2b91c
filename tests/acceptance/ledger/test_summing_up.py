"""Workers die while talk is judged and summed up: each is done once, and a kill costs at most one more call."""

from itertools import product

from memory.talk import sessions
from store.accounts import beings
from store.facts import facts, todos
from store.talk import messages, rolling, session_summaries
from tests.conftest import Clock

# The first message tells enough for a scene.
SAID = [
    "I live in Austin, in a yellow wooden house beside the river with two old dogs.",
    "I love green tea.",
    "My sister is called Ana.",
    "I'll call her tomorrow.",
]
PLACES = ["after the model call", "after the response is stored", "inside apply"]


def drawn(life):
    """The notes that were drawn from the messages."""
    with life.store.transaction() as tx:
        return tx.execute(
            "select * from memory.notes where being_id = %s and origin = 'talk'", [life.being_id]
        ).fetchall()


def judged(life):
    """The outcome of each message's judging: how many are marked, and how often the ledger says that they were."""
    with life.store.transaction() as tx:
        (row,) = tx.execute(
            "select (select count(*) from memory.messages where judged) as marked,"
            " (select coalesce(sum(messages), 0) from memory.judgements) as counted"
        )
    return row["marked"], row["counted"]


def summaries(life):
    """The summary of each session, None where there is none yet."""
    with life.store.transaction() as tx:
        found = messages.sessions(tx, life.being_id, before=None, limit=9)
        return [session_summaries.newest(tx, life.being_id, one.session_id) for one in found]


def paid_again(life, purpose):
    """How many answers of this kind were paid for, beside one to each prompt."""
    prompts = [request.prompt for request in life.provider.asked(purpose, paid=True)]
    return len(prompts) - len(set(prompts))


def test_every_message_is_judged_and_summed_up_once(life, wait_until):
    kinds = ("shadow.judge", "rolling.summarise", "session_close.summarise")
    points = [f"{place}@{kind}" for place, kind in product(PLACES, kinds)]
    life.thinker(PATROL_JUDGE_MESSAGES="1", crash_at=points)
    life.say(*SAID)
    wait_until(lambda: sessions.state(life.store, life.being_id).rolling_summary)
    Clock(life.store).advance(minutes=31)

    wait_until(lambda: life.has_died(points) and all(summaries(life)) and life.settled())
    assert judged(life) == (len(SAID), len(SAID))
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
        known = facts.page(tx, being.user_id, being.being_id, limit=10)
        meant = todos.page(tx, being.being_id, limit=10)
        rolled = rolling.versions(tx, being.being_id, before=None, limit=9)
    assert [fact.mentions for fact in known] == [1, 1, 1]
    assert [todo.content for todo in meant] == ["Call her tomorrow"]
    assert [(summary.version, summary.turn_count) for summary in summaries(life)] == [(1, len(SAID))]
    assert len(drawn(life)) == 1
    assert len(rolled) == 1
    # What the first worker of each was answered, and did not store.
    assert [paid_again(life, each) for each in ("Judgement", "RollingSummary", "SessionWithScenes")] == [1, 1, 1]


def test_short_conversations_are_summed_up_together_once(life, wait_until):
    points = [f"{place}@session_close.summarise_short" for place in ("after the model call", "inside apply")]
    life.thinker(crash_at=points)
    clock = Clock(life.store)
    for said in SAID[:3]:
        life.say(said)
        clock.advance(hours=1)

    wait_until(lambda: life.has_died(points) and all(summaries(life)) and life.settled())
    assert [(summary.version, summary.turn_count) for summary in summaries(life)] == [(1, 1)] * 3
    assert len(drawn(life)) == 1
    assert life.provider.asked("SessionWithScenes") == []
    assert paid_again(life, "SessionsWithScenes") == 1
