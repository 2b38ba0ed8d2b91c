"""Workers die while what was said is summed up: it is written once, and a kill costs at most one more call."""

from collections import Counter

import pytest

from memory.talk import sessions
from store.accounts import beings
from store.talk import messages
from tests.conftest import Clock

# The first message tells enough for a scene.
SAID = [
    "I live in Austin, in a yellow wooden house beside the river with two old dogs.",
    "I love green tea.",
    "My sister is called Ana.",
    "I'll call her tomorrow.",
]


def drawn(life):
    """The notes that were drawn from the messages."""
    with life.store.transaction() as tx:
        return tx.execute(
            "select * from memory.notes where being_id = %s and origin = 'talk'", [life.being_id]
        ).fetchall()


@pytest.mark.parametrize(
    "where", ["after the model call", "after the response is stored", "inside apply", "after commit"]
)
@pytest.mark.parametrize(
    ("kind", "purpose"), [("rolling.summarise", "RollingSummary"), ("session_close.summarise", "SessionWithScenes")]
)
def test_a_summary_is_written_once(life, wait_until, kind, purpose, where):
    life.thinker(
        PATROL_CRASH_AT=f"{where}@{kind}",
    )
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
    mark = life.settings.home / f"crashed {where}"
    life.say(*SAID)

    def state():
        return sessions.state(life.store, being.being_id)

    wait_until(lambda: state().rolling_summary)
    Clock(life.store).advance(minutes=31)

    def summary():
        with life.store.transaction() as tx:
            (session,) = messages.sessions(tx, being.being_id, before=None, limit=2)
        return sessions.session(life.store, being.being_id, session.session_id).summary

    wait_until(lambda: mark.exists() and summary() and life.settled())
    assert (summary().version, summary().turn_count) == (1, len(SAID))
    if purpose == "SessionWithScenes":
        assert len(drawn(life)) == 1
    assert len(sessions.rolling_page(life.store, being.being_id, cursor=None, limit=9).versions) == 1
    asked = Counter(request.prompt for request in life.provider.asked(purpose, paid=True))
    assert sum(asked.values()) - len(asked) == (1 if where == "after the model call" else 0)


@pytest.mark.parametrize("where", ["after the model call", "inside apply"])
def test_short_conversations_are_summed_up_together_once(life, wait_until, where):
    life.thinker(PATROL_CRASH_AT=f"{where}@session_close.summarise_short")
    mark = life.settings.home / f"crashed {where}"
    clock = Clock(life.store)
    for said in SAID[:3]:
        life.say(said)
        clock.advance(hours=1)

    def summaries():
        with life.store.transaction() as tx:
            found = messages.sessions(tx, life.being_id, before=None, limit=9)
        return [sessions.session(life.store, life.being_id, one.session_id).summary for one in found]

    wait_until(lambda: mark.exists() and len(summaries()) == len(SAID[:3]) and all(summaries()) and life.settled())
    assert {(summary.version, summary.turn_count) for summary in summaries()} == {(1, 1)}
    assert len(drawn(life)) == 1
    assert life.provider.asked("SessionWithScenes") == []
    asked = Counter(request.prompt for request in life.provider.asked("SessionsWithScenes", paid=True))
    assert sum(asked.values()) - len(asked) == (1 if where == "after the model call" else 0)
