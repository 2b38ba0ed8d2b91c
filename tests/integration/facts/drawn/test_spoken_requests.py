"""Requests to the memory in talk are done, told once, and can be undone; what is no request does nothing."""

import random

import pytest

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.intake import retraction
from operations.facts.facts import show_fact
from operations.facts.spoken_requests import list_spoken_requests, undo_spoken_request
from schemas.context.context import ContextRequest
from schemas.talk.retraction import MessageSelection
from tests.conversations import asks, fact, todo
from tests.databases import answer_of

ROME = {"entities": [{"type": "thing", "name": "home"}], "fact_type": "fact"}
DENTIST = {"entities": [{"type": "thing", "name": "dentist"}], "fact_type": "fact"}


def tells_rome(talk):
    talk.hears("I live in Rome.", fact("I live in Rome", "Lives in Rome.", **ROME))


def done(talk):
    return answer_of(talk.store, list_spoken_requests, talk.being, muted=True, limit=10).requests


def undo(talk, place=0):
    undo_spoken_request.call(talk, talk.being, done(talk)[place].request_id)


def prompt(talk):
    request = AssemblyRequest(ContextRequest(format="text"), "Hello?")
    context = assemble(talk.store, talk.embedders, talk.settings, talk.being, request, random.Random(1))
    return context.text or ""


def test_what_the_user_wants_forgotten_is_archived_and_comes_back_when_that_is_undone(talk):
    tells_rome(talk)
    talk.hears("Forget that, please.", requests=[asks("Forget that", "forget", "f1", message="m2")])
    assert (talk.contents(), [one.content for one in talk.facts("ARCHIVED")]) == ([], ["Lives in Rome."])
    assert [(one.effect, one.span) for one in done(talk)] == [("forgotten", "Forget that")]
    undo(talk)
    assert talk.contents() == ["Lives in Rome."]


def test_a_message_that_is_meant_stands_for_the_facts_that_rest_on_it_alone(talk):
    tells_rome(talk)
    talk.hears(
        "I love tea. I live in Rome.",
        fact("I love tea", "Loves tea.", message="m2"),
        fact("I live in Rome", "Lives in Rome.", message="m2", **ROME),
    )
    talk.hears("Forget what I just said.", requests=[asks("Forget what I just said", "forget", "m2", message="m3")])
    assert talk.contents() == ["Lives in Rome."]


def test_what_is_not_to_be_remembered_makes_no_fact_until_that_is_undone(talk):
    told = "I hate my boss Carla. Don't remember this."
    hates = fact("I hate my boss Carla", "Hates the boss Carla.", entities=[{"type": "person", "name": "Carla"}])
    talk.hears(
        told,
        hates,
        todos=[todo("I hate my boss Carla", "Quit.")],
        requests=[asks("Don't remember this", "do not remember", "m1")],
    )
    assert (talk.contents(), talk.todos()) == ([], [])
    assert talk.dropped()["not to be remembered"] == 2


def test_an_earlier_message_that_is_not_to_be_remembered_stays_so_when_it_is_judged_again(talk):
    (first,) = talk.says({"role": "user", "content": "I love tea.", "id": "tea"})
    talk.answers(fact("I love tea", "Loves tea."))
    talk.judged()
    talk.says({"role": "user", "content": "Nice weather.", "id": "weather"})
    talk.answers()
    talk.judged()
    talk.hears(
        "Don't remember the tea.", requests=[asks("Don't remember the tea", "do not remember", "m1", message="m3")]
    )
    assert talk.contents() == []
    assert {one.effect for one in done(talk)} == {"ignored", "forgotten"}
    assert first in {one.meant_message_id for one in done(talk)}


def test_a_correction_replaces_what_the_fact_said_and_keeps_its_history(talk):
    talk.hears(
        "The dentist is on Wednesday.", fact("The dentist is on Wednesday", "The dentist is on Wednesday.", **DENTIST)
    )
    talk.hears(
        "That's wrong, it was Tuesday.",
        requests=[asks("it was Tuesday", "correct", "f1", message="m2", statement="The dentist is on Tuesday.")],
    )
    (known,) = talk.facts()
    assert known.content == "The dentist is on Tuesday."
    with_history = answer_of(talk.store, show_fact, talk.being, True, known.fact_id)
    assert [one.content for one in with_history.statements] == [
        "The dentist is on Wednesday.",
        "The dentist is on Tuesday.",
    ]
    assert [bool(one.replaced_by) for one in with_history.statements] == [True, False]
    undo(talk)
    assert talk.contents() == ["The dentist is on Wednesday."]


def test_a_correction_of_what_is_judged_with_it_takes_its_place(talk):
    talk.says("The dentist is on Wednesday.", "No, wrong, it's on Tuesday.")
    talk.answers(
        fact("The dentist is on Wednesday", "The dentist is on Wednesday.", **DENTIST),
        requests=[asks("it's on Tuesday", "correct", "m1", message="m2", statement="The dentist is on Tuesday.")],
    )
    talk.judged()
    assert talk.contents() == ["The dentist is on Tuesday."]


def test_a_correction_states_nothing_that_was_not_said(talk):
    tells_rome(talk)
    talk.hears(
        "That's wrong.", requests=[asks("That's wrong", "correct", "f1", message="m2", statement="Lives in Madrid.")]
    )
    assert talk.contents() == ["Lives in Rome."]


def test_a_context_tells_once_what_was_done_in_its_conversation(talk):
    talk.hears(
        "The dentist is on Wednesday.", fact("The dentist is on Wednesday", "The dentist is on Wednesday.", **DENTIST)
    )
    talk.hears(
        "That's wrong, it was Tuesday.",
        requests=[asks("it was Tuesday", "correct", "f1", message="m2", statement="The dentist is on Tuesday.")],
    )
    talk.hears("I love tea.", fact("I love tea", "Loves tea.", message="m3"))
    talk.hears("Forget the tea.", requests=[asks("Forget the tea", "forget", "f1", message="m4")])
    first = prompt(talk)
    assert "Corrected, as the user asked: The dentist is on Tuesday." in first
    assert "is forgotten" in first
    assert "as the user asked" not in prompt(talk)


def test_a_request_that_is_retracted_is_undone(talk):
    tells_rome(talk)
    talk.says({"role": "user", "content": "Forget that.", "id": "asking"})
    talk.answers(requests=[asks("Forget that", "forget", "f1", message="m2")])
    talk.judged()
    assert talk.contents() == []
    retraction.retract(talk.store, talk.settings, talk.embedders, [talk.being], MessageSelection(ids=["asking"]))
    talk.answers(fact("I live in Rome", "Lives in Rome.", **ROME))
    talk.judged()
    assert (talk.contents(), done(talk)) == (["Lives in Rome."], [])


def test_a_request_that_is_judged_again_is_done_no_second_time_and_stays_undone(talk):
    tells_rome(talk)
    talk.says({"role": "user", "content": "Nice.", "id": "nice"}, "Forget where I live.")
    asked = asks("Forget where I live", "forget", "f1", message="m3")
    talk.answers(requests=[asked])
    talk.judged()
    assert talk.contents() == []
    undo(talk)
    retraction.retract(talk.store, talk.settings, talk.embedders, [talk.being], MessageSelection(ids=["nice"]))
    talk.answers(fact("I live in Rome", "Lives in Rome.", **ROME), requests=[asked | {"message": "m2"}])
    talk.judged()
    assert talk.contents() == ["Lives in Rome."]
    assert len(done(talk)) == 1


def test_a_pinned_fact_is_not_forgotten(talk):
    tells_rome(talk)
    (known,) = talk.facts()
    with talk.store.transaction() as tx:
        tx.execute("update memory.facts set user_pinned = true, pinned = true where fact_id = %s", [known.fact_id])
    talk.hears("Forget that.", requests=[asks("Forget that", "forget", "f1", message="m2")])
    assert (talk.contents(), talk.dropped()) == (["Lives in Rome."], {"pinned": 1})


def test_a_todo_is_given_up(talk):
    talk.hears("I'll call Mum.", todos=[todo("I'll call Mum", "Call Mum.")])
    talk.hears("Forget that.", requests=[asks("Forget that", "forget", "t1", message="m2")])
    assert (talk.todos(), len(talk.todos("ARCHIVED"))) == ([], 1)
    undo(talk)
    assert len(talk.todos()) == 1


@pytest.mark.parametrize(
    ("said", "changes", "reason"),
    [
        ("Forget that, I'm kidding.", {"realm": "hypothetical"}, "not real"),
        ("*as the pirate* Forget that, matey.", {"realm": "role-play"}, "not real"),
        ("*bows and whispers: Forget that*", {}, "quoted"),
        ("Anna told me: Forget that.", {}, "quoted"),
        ('Anna said "Forget that" to me.', {}, "quoted"),
        ("She goes \u201cForget that!\u201d and leaves.", {}, "quoted"),
        ("> Forget that\nWhat a mail.", {}, "quoted"),
        ("Forget that, Anna says.", {"speaker": "Anna"}, "another's words"),
        ("Forget that.", {"confidence": 0.5}, "not sure"),
        ("Forget that.", {"means": ["f7"]}, "not shown"),
        ("Forget that.", {"means": []}, "means nothing known"),
        ("Forget that.", {"wish": "erase"}, "unknown type"),
        ({"role": "other", "speaker": "Anna", "content": "Forget that."}, {"speaker": "Anna"}, "no such message"),
        ({"role": "other", "speaker": "Anna", "content": "Forget that."}, {}, "no such message"),
    ],
)
def test_jokes_quotations_parts_and_others_words_do_nothing(talk, said, changes, reason):
    tells_rome(talk)
    talk.says(said, *(["Well."] if isinstance(said, dict) else []))
    talk.answers(requests=[asks("Forget that", "forget", "f1", message="m2") | changes])
    talk.judged()
    assert (talk.contents(), done(talk), talk.dropped()) == (["Lives in Rome."], [], {reason: 1})


def test_the_companions_words_ask_for_nothing(talk):
    tells_rome(talk)
    talk.says({"role": "assistant", "content": "Forget that."}, "Well.")
    talk.answers(requests=[asks("Forget that", "forget", "f1", message="m2", speaker="companion")])
    talk.judged()
    assert (talk.contents(), done(talk)) == (["Lives in Rome."], [])


def test_what_was_neither_shown_nor_said_in_the_conversation_is_not_meant(talk, other):
    tells_rome(other)
    talk.hears("Forget where I live.", requests=[asks("Forget where I live", "forget", "f1")])
    assert (talk.contents(), talk.dropped()) == (["Lives in Rome."], {"not shown": 1})


def test_what_a_context_showed_in_the_conversation_can_be_meant(talk, other):
    tells_rome(other)
    other.embedded()
    talk.says("Where do I live?")
    talk.answers()
    talk.judged()
    request = AssemblyRequest(ContextRequest(), "Where do I live?")
    assemble(talk.store, talk.embedders, talk.settings, talk.being, request, random.Random(1))
    talk.hears("Forget where I live.", requests=[asks("Forget where I live", "forget", "f1", message="m2")])
    assert (talk.contents(), other.contents()) == ([], [])
