"""Workers die while what was said is summed up: it is written once, and a kill costs at most one more call."""

from itertools import product

from memory.talk import sessions
from store.talk import messages
from tests.conftest import Clock

# The first message tells enough for a scene.
SAID = [
    "I live in Austin, in a yellow wooden house beside the river with two old dogs.",
    "I love green tea.",
    "My sister is called Ana.",
    "I'll call her tomorrow.",
]
PLACES = ["after the model call", "after the response is stored", "inside apply", "after commit"]


def drawn(life):
    """The notes that were drawn from the messages."""
    with life.store.transaction() as tx:
        return tx.execute(
            "select * from memory.notes where being_id = %s and origin = 'talk'", [life.being_id]
        ).fetchall()


def summaries(life):
    """The summary of each session, None where there is none yet."""
    with life.store.transaction() as tx:
        found = messages.sessions(tx, life.being_id, before=None, limit=9)
    return [sessions.session(life.store, life.being_id, one.session_id).summary for one in found]


def paid_again(life, purpose):
    """How many answers of this kind were paid for, beside one to each prompt."""
    prompts = [request.prompt for request in life.provider.asked(purpose, paid=True)]
    return len(prompts) - len(set(prompts))


def test_a_summary_is_written_once(life, wait_until):
    kinds = ("rolling.summarise", "session_close.summarise")
    points = [f"{place}@{kind}" for place, kind in product(PLACES, kinds)]
    life.thinker(PATROL_CRASH_AT=",".join(points))
    life.say(*SAID)
    wait_until(lambda: sessions.state(life.store, life.being_id).rolling_summary)
    Clock(life.store).advance(minutes=31)

    wait_until(lambda: life.has_died(points) and all(summaries(life)) and life.settled())
    assert [(summary.version, summary.turn_count) for summary in summaries(life)] == [(1, len(SAID))]
    assert len(drawn(life)) == 1
    assert len(sessions.rolling_page(life.store, life.being_id, cursor=None, limit=9).versions) == 1
    assert (paid_again(life, "RollingSummary"), paid_again(life, "SessionWithScenes")) == (1, 1)


def test_short_conversations_are_summed_up_together_once(life, wait_until):
    points = [f"{place}@session_close.summarise_short" for place in ("after the model call", "inside apply")]
    life.thinker(PATROL_CRASH_AT=",".join(points))
    clock = Clock(life.store)
    for said in SAID[:3]:
        life.say(said)
        clock.advance(hours=1)

    wait_until(lambda: life.has_died(points) and all(summaries(life)) and life.settled())
    assert [(summary.version, summary.turn_count) for summary in summaries(life)] == [(1, 1)] * 3
    assert len(drawn(life)) == 1
    assert life.provider.asked("SessionWithScenes") == []
    assert paid_again(life, "SessionsWithScenes") == 1
