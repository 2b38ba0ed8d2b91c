"""Muted words are kept, found by who looks for them, and told in no prompt; they come back when the mute is lifted."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.intake import retraction
from operations.facts.spoken_requests import list_spoken_requests, undo_spoken_request
from schemas.errors import NotFound, Refused
from schemas.talk.retraction import MessageSelection
from tests.conversations import asks
from tests.conversations import judgement as scripted
from tests.databases import answer_of
from tests.fakes.provider import Behaviour
from tests.planting.marked_world import MARK, NOON, World
from tests.scenes import remember, words


def test_each_muted_thing_is_told_nowhere_and_comes_back(world):
    before = world.marks_told()
    silent = {name for name, told in before.items() if not told}
    assert silent <= {"due", "user model"}, "the test would prove nothing of these"
    for kind in ("fact", "node", "topic", "entity", "conversation", "message"):
        target = next(target for of, target in world.of if of == kind)
        hidden = world.of[kind, target]
        mute = world.mute(kind, target)
        for again in range(2):
            told = world.marks_told()
            assert not {name for name, marks in told.items() if marks & hidden}, (kind, again)
            assert told["search"] == set(world.marks) - hidden
            world.rest()
        if kind == "entity":
            texts = world.told().items()
            assert not {name for name, text in texts if target in text.replace("Anna Boris told", "")}
        assert world.found(" ".join(hidden), muted=True) >= hidden, "it is kept"

        world.lift(mute)
        world.rest()
        assert world.marks_told() == before, kind


# Which thing is muted, or whether a mute is lifted instead.
CHANGES = st.lists(st.tuples(st.integers(0, 10_000), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=4)
@given(chosen=CHANGES)
def test_whatever_is_muted_no_prompt_has_its_words(world, chosen):
    things = sorted(world.of, key=lambda thing: (thing[0], sorted(world.of[thing])))
    muted = {}
    try:
        for number, lifts in chosen:
            if lifts and muted:
                world.lift(muted.pop(sorted(muted)[number % len(muted)]))
            else:
                thing = things[number % len(things)]
                muted[thing] = world.mute(*thing)
        hidden = set().union(*(world.of[thing] for thing in muted))
        for _ in range(2):
            told = world.marks_told()
            assert not {name: marks & hidden for name, marks in told.items() if marks & hidden}
            assert told["search"] == set(world.marks) - hidden
            world.rest()
    finally:
        # The next example begins with the same memory, and nothing muted.
        for mute in muted.values():
            world.lift(mute)
        world.rest()
    assert world.marks_told()["search"] == set(world.marks)


def test_what_comes_later_of_a_muted_person_topic_or_conversation_is_muted(world, store):
    being = world.talk.being
    world.mute("entity", "Anna")
    world.mute("conversation", "trip")
    topic = next(target for kind, target in world.of if kind == "topic")
    world.mute("topic", topic)

    world.say("home", "Anna told me of {}.", "zq90x", 400)
    world.say("trip", "I like {}.", "zq91x", 401)
    with store.transaction() as tx:
        remember(tx, being, words("They met zq92x."), cluster=topic)
    world.rest()

    told = {mark for marks in world.marks_told().values() for mark in marks}
    assert not told & {"zq90x", "zq91x", "zq92x"}
    assert world.found("zq90x zq91x zq92x", muted=True) >= {"zq90x", "zq91x", "zq92x"}


def test_a_fact_that_is_told_again_or_restored_stays_muted(world, store):
    talk = world.talk
    target = next(target for (kind, target), marks in world.of.items() if kind == "fact" and marks == {"zq1x"})
    world.mute("fact", target)

    world.say("elsewhere", "I like {}.", "zq1x", 500)
    world.rest()
    assert not {name for name, marks in world.marks_told().items() if "zq1x" in marks}

    selection = MessageSelection(ids=["id-zq1x"])
    retraction.retract(store, talk.settings, talk.embedders, [talk.being], selection)
    world.rest()
    retraction.restore(store, talk.settings, [talk.being], selection)
    world.rest()
    assert "zq1x" in {mark for one in talk.facts() for mark in MARK.findall(one.content)}
    assert not {name for name, marks in world.marks_told().items() if "zq1x" in marks}


def test_what_the_user_asks_not_to_bring_up_is_muted_and_undone(world):
    talk = world.talk
    wish = asks("let's not talk about Anna any more", "do not mention", about="Anna", message="m5")
    talk.provider.script(
        Behaviour(do="answer", on="messages", when="Please let's not talk", text=scripted(requests=[wish]))
    )
    for mark in ("zq80x", "zq81x"):
        world.say("new", "Anna told me of {}.", mark, 600)
    at = (NOON + timedelta(minutes=601)).isoformat()
    asking = "Please let's not talk about Anna any more."
    talk.says({"role": "user", "conversation": "new", "content": asking, "created_at": at})
    world.rest()

    assert talk.dropped() == {}
    hidden = world.of["entity", "Anna"]
    assert not {name: marks & hidden for name, marks in world.marks_told().items() if marks & hidden}
    assert world.found("zq80x", muted=True) >= {"zq80x"}
    (request,) = answer_of(talk.store, list_spoken_requests, talk.being, muted=True, limit=10).requests
    assert (request.effect, request.name) == ("muted", "person:anna")

    undo_spoken_request.call(talk, talk.being, request.request_id)
    world.rest()
    assert world.marks_told()["search"] == set(world.marks)


def test_the_user_is_no_one_to_be_muted_and_nothing_unknown_is(talk):
    world = World(talk)
    with pytest.raises(Refused):
        world.mute("entity", "person:user")
    for kind in ("fact", "node", "topic", "conversation", "message"):
        with pytest.raises(NotFound):
            world.mute(kind, "no such thing")
