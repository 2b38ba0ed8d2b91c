"""Closed conversations show something of the user and of what the Being is at; a person's edit wins."""

import json

import pytest

from memory.intake import retraction
from memory.talk import judging
from operations.context.souls import change_soul
from schemas.context.persona import SoulChanges
from schemas.ledger import kinds
from schemas.talk.retraction import MessageSelection
from store.context import persona as kept
from store.context import souls
from tests.fakes.provider import Behaviour

CLOSED = {
    "one_liner": "They spoke.",
    "what_mattered": [],
    "open_loops": [],
    "commitments": [],
    "people": [],
    "tone": "calm",
}
TALK = (
    "I get up before everyone and plan the day with a pencil.",
    {"role": "assistant", "content": "Even on the day of the zeppelin?"},
    "Then too. We are rebuilding the greenhouse, as you know.",
    {"role": "assistant", "content": "Of course I know."},
)


def statement(text, *refs):
    return {"text": text, "messages": list(refs)}


def closes(talk, clock, *said, judged=True, **answer):
    """Have a conversation close, with what the model answers about it; returns the messages' ids."""
    ids = talk.says(*said)
    if judged:
        talk.judged()
    clock.advance(hours=1)
    talk.says("A new day.")
    empty = {"user_model": [], "project": None, "mood": None, "topic": None}
    talk.provider.script(
        Behaviour(do="answer", on="messages", when="own=", text=json.dumps({**CLOSED, **empty, **answer}))
    )
    talk.summed_up()
    return ids


def model_of(talk):
    with talk.store.transaction() as tx:
        found = kept.user_model(tx, talk.being.user_id)
        return found.content if found else None


def state_of(talk):
    with talk.store.transaction() as tx:
        found = souls.state(tx, talk.being.being_id)
        return found.project, found.mood, found.topic


EARLY = statement("Gets up before everyone, and plans with a pencil.", "u1")


def test_a_closed_conversation_fills_the_user_model_and_the_souls_state(talk, clock):
    closes(
        talk, clock, *TALK, user_model=[EARLY], project=statement("The greenhouse.", "u2"), topic=statement("It.", "u9")
    )

    assert model_of(talk) == "- Gets up before everyone, and plans with a pencil."
    assert state_of(talk) == ("The greenhouse.", "", ""), "a statement without a message is none"


@pytest.mark.parametrize(
    "wrong",
    [
        statement("Flies a zeppelin.", "u1"),
        statement("Has 14 pencils.", "u1"),
        statement("Plans with Ruprecht.", "u1"),
    ],
)
def test_no_statement_says_what_the_users_messages_do_not(talk, clock, wrong):
    closes(talk, clock, *TALK, user_model=[wrong, EARLY])

    assert model_of(talk) == "- Gets up before everyone, and plans with a pencil."


def test_what_was_told_in_confidence_is_known_to_the_being_that_heard_it_whichever_message_is_named(talk, clock):
    talk.hears("Between us: I collect marzipan pigs.", confidences=[("m1", "m1")])
    closes(
        talk,
        clock,
        *TALK,
        user_model=[statement("Collects marzipan pigs.", "u1"), statement("Has marzipan pigs.", "u2"), EARLY],
        topic=statement("Marzipan pigs.", "u1"),
    )

    assert model_of(talk) is None or "pigs" not in model_of(talk)
    with talk.store.transaction() as tx:
        own = kept.user_model(tx, talk.being.user_id, talk.being.being_id)
    assert "Collects marzipan pigs." in own.content
    assert "Has marzipan pigs." not in own.content
    assert state_of(talk) == ("", "", "Marzipan pigs.")


def test_what_is_judged_later_is_seen_later(talk, clock):
    closes(talk, clock, *TALK, judged=False, user_model=[EARLY])
    assert model_of(talk) is None

    talk.do_due(talk.being.being_id, kinds.JUDGE, judging.judge)
    assert "pencil" in model_of(talk)


def test_what_was_taken_back_is_gone_at_once_and_the_rest_is_derived_again(talk, clock):
    ids = closes(talk, clock, *TALK, user_model=[EARLY], project=statement("The greenhouse.", "u2"))
    taken_back = MessageSelection(ids=[str(ids[2])])
    retraction.retract(talk.store, talk.settings, talk.embedders, [talk.being], taken_back)
    assert model_of(talk) is None
    assert state_of(talk) == ("", "", "")
    with talk.store.transaction() as tx:
        assert not tx.execute("select from memory.session_impressions").rowcount

    talk.provider.script(
        Behaviour(do="answer", on="messages", when="own=", text=json.dumps({**CLOSED, "user_model": [EARLY]}))
    )
    talk.summed_up()
    talk.judged()
    assert "pencil" in model_of(talk)
    assert state_of(talk) == ("", "", "")


def test_a_persons_edit_wins_and_stays_and_removing_removes_what_was_derived(talk, clock):
    with talk.store.transaction() as tx:
        kept.write_user_model(tx, talk.being.user_id, "Hates mornings.")
        change_soul.call(tx, talk.being, SoulChanges(mood="rested"))
    closes(
        talk,
        clock,
        *TALK,
        user_model=[EARLY],
        mood=statement("Moved.", "u1"),
        project=statement("The greenhouse.", "u2"),
    )
    assert model_of(talk) == "Hates mornings."
    assert state_of(talk) == ("The greenhouse.", "rested", "")

    with talk.store.transaction() as tx:
        kept.remove_user_model(tx, talk.being.user_id)
        change_soul.call(tx, talk.being, SoulChanges(mood="", project=""))
        assert kept.user_model(tx, talk.being.user_id) is None
    assert state_of(talk) == ("", "", "")
