"""Days of talk, handed in out of order and with repeats, come to what they come to in order."""

import json
import random

import pytest

from memory.intake.messages import accept_messages
from memory.talk import sessions
from operations.talk.sessions import list_spines, show_session
from schemas.settings import CHECKOUT
from store.accounts import beings
from store.talk import messages
from tests.databases import answer_of

PATIENCE = 240.0
BATCH = 20
MONTH = [json.loads(line) for line in (CHECKOUT / "samples" / "conversation.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.usefixtures("locks_in_order")
def test_talk_is_kept_judged_and_summed_up_once(life, wait_until):
    talk = [*MONTH[80:110], *MONTH[-30:]]
    chance = random.Random(7)
    life.thinker()
    handed_in = [*talk, *chance.sample(talk, len(talk) // 4)]
    chance.shuffle(handed_in)
    for start in range(0, len(handed_in), BATCH):
        batch = handed_in[start : start + BATCH]
        accept_messages(life.store, life.settings, life.being_id, batch)

    def told():
        with life.store.transaction() as tx:
            being = beings.get_being(tx, life.being_id)
            listed = messages.sessions(tx, life.being_id, before=None, limit=100)
        return sorted(
            (answer_of(life.store, show_session, being, one.session_id) for one in listed),
            key=lambda session: session.started_at,
        )

    wait_until(lambda: life.settled() and all(session.summary for session in told()), PATIENCE)
    with life.store.transaction() as tx:
        kept = [said.content for one in told() for said in messages.of_session(tx, life.being_id, one.session_id)]
        being = beings.get_being(tx, life.being_id)
        (row,) = tx.execute(
            "select count(*) filter (where not judged and role = 'user') as unjudged,"
            " count(*) filter (where spine_version is null and role <> 'other') as pending,"
            " bool_or(spine_version is not null) filter (where content like '%I live in Quay Street%') as told"
            " from memory.messages"
        )
    assert kept == [said["content"] for said in talk]
    assert row["unjudged"] == 0
    assert row["pending"] < 20
    state = sessions.state(life.store, life.being_id)
    assert state.state.message_count == sum(said["role"] != "other" for said in talk)
    assert state.state.last_user_message == [said["content"] for said in talk if said["role"] == "user"][-1]
    (spine,) = list_spines.call(life, being).versions
    assert any(spine.content.model_dump().values())
    # What was said between the two of them is in no other Being's hands.
    said_to_others = [request.material for request in life.provider.asked("SummarySpine")]
    assert said_to_others
    # Up to 19 messages wait for others, and which they are is a matter of who came when.
    assert any("I live in Quay Street" in material for material in said_to_others) == row["told"]
    assert not any("Ambrose's bells" in material for material in said_to_others)
