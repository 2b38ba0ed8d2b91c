"""Workers die while what was said is summed up: it is written once, and a kill costs at most one more call."""

from collections import Counter

import pytest

from memory import conversation
from store import messages, users
from tests.conftest import Clock

SAID = ["I live in Austin.", "I love green tea.", "My sister is called Ana.", "I'll call her tomorrow."]


@pytest.mark.parametrize("where", ["after the model call", "inside apply"])
@pytest.mark.parametrize(
    ("kind", "purpose"), [("rolling.summarise", "RollingSummary"), ("session_close.summarise", "SessionSummary")]
)
def test_a_summary_is_written_once(life, wait_until, kind, purpose, where):
    life.thinker(
        PATROL_CRASH_AT=f"{where}@{kind}",
    )
    with life.store.transaction() as tx:
        being = users.get_being(tx, life.being_id)
    mark = life.settings.home / f"crashed {where}"
    life.say(*SAID)

    def state():
        return conversation.state(life.store, being.being_id)

    wait_until(lambda: state().rolling_summary)
    Clock(life.store).advance(minutes=31)

    def summary():
        with life.store.transaction() as tx:
            (session,) = messages.sessions(tx, being.being_id, before=None, limit=2)
        return conversation.session(life.store, being.being_id, session.session_id).summary

    wait_until(lambda: mark.exists() and summary() and life.settled())
    assert (summary().version, summary().turn_count) == (1, len(SAID))
    assert len(conversation.rolling_page(life.store, being.being_id, before=None, limit=9).versions) == 1
    asked = Counter(request.prompt for request in life.provider.asked(purpose, paid=True))
    assert sum(asked.values()) - len(asked) == (1 if where == "after the model call" else 0)
