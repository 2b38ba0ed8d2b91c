"""Words said in confidence stay with the Being that they were said to, whatever came of them."""

import random

import pytest

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.facts import seeding
from memory.intake import retraction
from memory.talk import confidences, spine
from operations.facts.entities import list_entities, list_merges
from operations.facts.facts import show_fact
from schemas.context.context import ContextRequest
from schemas.errors import NotFound
from schemas.facts.fact_requests import FactChanges, Seed, TodoChanges
from schemas.ledger import kinds
from schemas.talk.retraction import MessageSelection
from tests.conversations import fact, todo
from tests.databases import answer_of

# As people write it, and what a model may make of it: the words that tell, and what the judge answers.
TOLD = {
    "a todo alone": (
        "Keep this between you and me: I will propose to Karla.",
        (),
        (todo("I will propose to Karla", "Propose to Karla."),),
    ),
    "a fact that is dropped": (
        "Please don't tell Leo, I'm pregnant, it’s early days.",  # noqa: RUF001  # as phones write it
        (fact("I'm pregnant, it is early days", "Is pregnant with Karla."),),
        (),
    ),
    "nothing": ("This must stay between us. I feel Leo is useless.", (), ()),
}
SECRET = ("Karla", "pregnant", "useless")
SMALL_TALK = [f"I like number {number}." for number in range(25)]


def shown_to(talk, message="Karla, Ana, pregnant, useless, tea?"):
    """All that a context of a Being shows."""
    request = AssemblyRequest(ContextRequest(message=message, explain=True, budget_tokens=100_000), message)
    context = assemble(talk.store, talk.embedders, talk.settings, talk.being, request, random.Random(1))
    return context.model_dump_json().replace(message, "")


def spine_questions(talk, since=0):
    """The material of the spine, from a number of requests on."""
    asked = talk.provider.requests[since:]
    return "".join(request.material for request in asked if request.purpose == "SummarySpine")


def in_confidence(talk, message_id):
    with talk.store.transaction() as tx:
        return tx.value("select in_confidence from memory.messages where message_id = %s", [message_id])


def decide(talk, message_id, *, secret):
    (message,) = confidences.decide_on_messages(talk.store, talk.being, [str(message_id)], in_confidence=secret)
    return message


@pytest.mark.parametrize("case", TOLD)
def test_a_sibling_is_told_nothing_whatever_came_of_the_message(talk, other, case):
    said, facts, todos = TOLD[case]
    talk.hears(said, *facts, todos=todos, confidences=[("m1", "m1")])
    talk.says(*SMALL_TALK)
    talk.judged()
    talk.summed_up()
    assert other.spine().version == 1
    assert "I like number 3." in spine_questions(talk)
    told = spine_questions(talk) + shown_to(other)
    assert [word for word in SECRET if word in told] == []


def test_a_producers_mark_says_the_same_before_anything_is_judged(talk, other):
    (marked,) = talk.says({"role": "user", "content": "I love Karla.", "metadata": {"in_confidence": True}})
    assert in_confidence(talk, marked)
    talk.answers(fact("I love Karla", "Loves Karla."))
    talk.says(*SMALL_TALK)
    talk.judged()
    talk.summed_up()
    assert talk.contents() == ["Loves Karla."]
    assert other.contents() == []
    assert "Karla" not in spine_questions(talk) + shown_to(other)


@pytest.mark.parametrize("mark", ["true", "yes", 1, {}])
def test_a_misspelt_mark_leaks_nothing(talk, mark):
    (marked,) = talk.says({"role": "user", "content": "I love Karla.", "metadata": {"in_confidence": mark}})
    assert in_confidence(talk, marked)


def test_a_later_request_reaches_back_over_what_was_said_since(talk, other):
    (meant,) = talk.says("I am seeing Karla.")
    talk.answers(fact("I am seeing Karla", "Is seeing Karla."))
    talk.judged()
    talk.says(*SMALL_TALK)
    talk.answers()
    talk.judged()
    talk.summed_up()
    assert other.contents() == ["Is seeing Karla."]
    assert "Karla" in spine_questions(talk)
    assert talk.spine() is not None
    talk.says("As I said, I am seeing Karla.")
    talk.answers()
    talk.judged()
    (asking,) = talk.says("Please keep that between us.")
    talk.answers(confidences=[("m6", "m7"), ("m7", "m7")])
    talk.judged()
    assert in_confidence(talk, asking)
    assert not in_confidence(talk, meant), "the judge named the other one alone"


def test_what_a_request_reaches_back_to_leaves_facts_and_spine_at_once(talk, other):
    (meant,) = talk.says("I am seeing Karla.")
    talk.answers(fact("I am seeing Karla", "Is seeing Karla."))
    talk.judged()
    assert other.contents() == ["Is seeing Karla."]
    (before,) = talk.facts()

    talk.hears("Please keep that between us.", confidences=[("m1", "m2"), ("m2", "m2")])
    assert in_confidence(talk, meant)
    assert other.contents() == []
    (after,) = talk.facts()
    assert (after.fact_id, after.content, after.being_id) == (before.fact_id, "Is seeing Karla.", talk.being.being_id)
    assert answer_of(talk.store, list_entities, other.being, muted=True, limit=10).entities == []

    talk.says(*SMALL_TALK)
    talk.judged()
    talk.summed_up()
    assert "Karla" not in spine_questions(talk) + shown_to(other)


def test_a_request_in_a_later_session_of_the_conversation_reaches_back(talk, other, clock):
    (meant,) = talk.says({"role": "user", "content": "I am seeing Karla.", "conversation": "chat"})
    talk.answers(fact("I am seeing Karla", "Is seeing Karla."))
    talk.judged()
    talk.says({"role": "user", "content": "I live in Austin.", "conversation": "elsewhere"})
    talk.answers()
    talk.judged()
    clock.advance(hours=26)
    talk.says({"role": "user", "content": "Please keep that between us.", "conversation": "chat"})
    talk.answers(confidences=[("m1", "m2"), ("m2", "m2")])
    talk.judged()
    assert in_confidence(talk, meant)
    assert other.contents() == []


def test_a_request_that_is_taken_back_lifts_the_confidence(talk, other):
    talk.says("I am seeing Karla.")
    talk.answers(fact("I am seeing Karla", "Is seeing Karla."))
    talk.judged()
    (asking,) = talk.says({"id": "please", "role": "user", "content": "Please keep that between us."})
    talk.answers(confidences=[("m1", "m2"), ("m2", "m2")])
    talk.judged()
    assert other.contents() == []
    selection = MessageSelection(ids=[str(asking)])
    retraction.retract(talk.store, talk.settings, talk.embedders, [talk.being], selection)
    assert other.contents() == ["Is seeing Karla."]


def test_a_message_that_is_taken_back_and_restored_is_in_confidence_still(talk, other):
    (meant,) = talk.says("I am seeing Karla.")
    talk.answers(fact("I am seeing Karla", "Is seeing Karla."))
    talk.judged()
    talk.hears("Please keep that between us.", confidences=[("m1", "m2"), ("m2", "m2")])
    selection = MessageSelection(ids=[str(meant)])
    retraction.retract(talk.store, talk.settings, talk.embedders, [talk.being], selection)
    retraction.restore(talk.store, talk.settings, [talk.being], selection)
    talk.answers(fact("I am seeing Karla", "Is seeing Karla."))
    talk.judged()
    assert in_confidence(talk, meant)
    assert talk.contents() == ["Is seeing Karla."]
    assert other.contents() == []


def test_a_person_sets_and_lifts_the_confidence_of_a_message(talk, other):
    (said, *_) = talk.says("I am seeing Karla.", *SMALL_TALK)
    talk.answers(fact("I am seeing Karla", "Is seeing Karla."))
    talk.judged()
    talk.summed_up()
    assert talk.spine() is not None

    assert decide(talk, said, secret=True).in_confidence
    assert talk.spine() is None, "it included the message"
    assert (talk.contents(), other.contents()) == (["Is seeing Karla."], [])
    before = len(talk.provider.requests)
    talk.summed_up()
    assert "I like number 3." in spine_questions(talk, before)
    assert "Karla" not in spine_questions(talk, before) + shown_to(other)

    assert not decide(talk, said, secret=False).in_confidence
    assert other.contents() == ["Is seeing Karla."]
    talk.says(*SMALL_TALK)
    talk.judged()
    talk.summed_up()
    assert "Karla" in spine_questions(talk)


def test_a_persons_decision_precedes_the_mark_and_the_judge(talk, other):
    (said,) = talk.says({"role": "user", "content": "I love Karla.", "metadata": {"in_confidence": True}})
    decide(talk, said, secret=False)
    talk.answers(fact("I love Karla", "Loves Karla."), confidences=[("m1", "m1")])
    talk.judged()
    assert other.contents() == ["Loves Karla."]


def test_a_message_of_another_being_can_not_be_decided_on(talk, other):
    (said,) = talk.says("I love Karla.")
    with pytest.raises(NotFound):
        decide(other, said, secret=True)


def test_a_person_sets_and_lifts_the_confidence_of_a_fact(talk, other):
    talk.hears("I love Karla.", fact("I love Karla", "Loves Karla."))
    (known,) = talk.facts()
    editing_ = FactChanges(pinned=True, content="Loves Karla dearly.")
    confidences.change_fact(talk.store, talk.being, known.fact_id, editing_)
    secret = confidences.change_fact(talk.store, talk.being, known.fact_id, FactChanges(in_confidence=True))
    assert (secret.fact_id, secret.pinned, secret.content) == (known.fact_id, True, "Loves Karla dearly.")
    assert other.contents() == []
    with pytest.raises(NotFound):
        answer_of(talk.store, show_fact, other.being, True, known.fact_id)
    confidences.change_fact(talk.store, talk.being, known.fact_id, FactChanges(in_confidence=False))
    assert other.contents() == ["Loves Karla dearly."]


def test_a_fact_told_to_several_beings_stays_with_each_of_them(talk, other):
    talk.hears("I love tea.", fact("I love tea", "Loves tea."))
    other.hears("I do love tea.", fact("I do love tea", "Loves tea."))
    (known,) = talk.facts()
    confidences.change_fact(talk.store, talk.being, known.fact_id, FactChanges(in_confidence=True))
    assert (talk.contents(), other.contents()) == (["Loves tea."], ["Loves tea."])
    scopes = {one.facts()[0].being_id for one in (talk, other)}
    assert scopes == {talk.being.being_id, other.being.being_id}


def test_a_fact_that_others_were_told_too_is_known_to_all_without_the_confidence(talk, other):
    (secret,) = talk.says("I love green tea, with Karla.")
    talk.answers(fact("I love green tea", "Loves green tea with Karla."))
    talk.judged()
    other.says("I love green tea.")
    other.answers(fact("I love green tea", "Loves green tea."))
    other.compares(("n0.1", "same", "e0.0"))
    other.judged()
    (known,) = other.facts()
    assert (known.content, known.mentions) == ("Loves green tea with Karla.", 2)
    decide(talk, secret, secret=True)
    assert other.contents() == ["Loves green tea."]
    assert sorted(talk.contents()) == ["Loves green tea with Karla.", "Loves green tea."]
    decide(talk, secret, secret=False)
    assert len(other.facts()) == 1
    assert "Karla" in other.contents()[0]


def test_a_seed_is_set_in_confidence_and_lifted(talk, other):
    seed = Seed(type="PROFILE", content="Loves Karla.", entity_refs=["person:karla"], entity_label="Karla")
    (fact_id,) = seeding.seed(talk.store, talk.settings, talk.being, [seed]).fact_ids
    changed = confidences.change_fact(talk.store, talk.being, fact_id, FactChanges(in_confidence=True))
    assert (changed.being_id, other.contents()) == (talk.being.being_id, [])
    confidences.change_fact(talk.store, talk.being, fact_id, FactChanges(in_confidence=False))
    assert other.contents() == ["Loves Karla."]


def test_a_todo_is_set_in_confidence_with_the_message_that_it_rests_on(talk, other):
    talk.says("I will propose to Karla.")
    talk.answers(todos=(todo("I will propose to Karla", "Propose to Karla."),))
    talk.judged()
    (meant,) = talk.todos()
    assert not meant.in_confidence
    set_ = confidences.change_todo(talk.store, talk.being, meant.todo_id, TodoChanges(in_confidence=True))
    assert set_.in_confidence
    talk.says(*SMALL_TALK)
    talk.judged()
    talk.summed_up()
    assert "Karla" not in spine_questions(talk) + shown_to(other)
    lifted = confidences.change_todo(talk.store, talk.being, meant.todo_id, TodoChanges(in_confidence=False))
    assert not lifted.in_confidence


def test_what_rests_on_a_confidence_by_its_words_is_in_confidence(talk, other):
    talk.hears("Keep it to yourself: I fell in love with a sailor.", confidences=[("m1", "m1")])
    talk.hears("She is called Karla.", fact("She is called Karla", "The beloved sailor is called Karla.", message="m2"))
    assert talk.contents() == ["The beloved sailor is called Karla."]
    assert other.contents() == []


def test_a_confidence_of_no_known_message_keeps_all_of_them(talk, other):
    talk.hears("I love Karla.", fact("I love Karla", "Loves Karla."), confidences=[("m9", "m9")])
    assert talk.contents() == ["Loves Karla."]
    assert other.contents() == []


def test_a_name_that_is_secret_from_now_on_stands_for_no_shared_name(talk, other):
    said = {}
    for name in ("Johanna", "Johana"):
        person = {"entities": [{"type": "person", "name": name}], "type": "PEOPLE", "subject": name}
        (said[name],) = talk.says(f"{name} sings.")
        talk.answers(fact(f"{name} sings", f"{name} sings.", **person, message=f"m{len(said)}"))
        talk.judged()
    (merge,) = answer_of(talk.store, list_merges, other.being, muted=True, limit=9).proposals
    assert (merge.state, merge.kept_ref) == ("merged", "person:johanna")
    assert {ref for one in other.facts() for ref in one.entity_refs} == {"person:johanna"}
    decide(talk, said["Johanna"], secret=True)
    (known,) = other.facts()
    assert (known.content, known.entity_refs) == ("Johana sings.", ["person:johana"])
    assert "johanna" not in known.model_dump_json().lower()


def test_a_spine_that_was_being_written_is_not_kept_with_a_confidence(talk, monkeypatch):
    (said, *_) = talk.says("I am seeing Karla.", *SMALL_TALK)
    talk.judged()
    finishing = talk.store.finishing

    def after_the_decision(*args, **named):
        monkeypatch.undo()
        decide(talk, said, secret=True)
        return finishing(*args, **named)

    with monkeypatch.context() as patch:
        patch.setattr(talk.store, "finishing", after_the_decision)
        talk.do_due(talk.being.user_id, kinds.SPINE, spine.write)
    first, *later = [request.material for request in talk.provider.requests if request.purpose == "SummarySpine"]
    assert "Karla" in first
    assert later
    assert not any("Karla" in one for one in later)


def test_the_prompts_of_summaries_and_scenes_mark_what_is_in_confidence(talk, clock):
    talk.settings = talk.settings.model_copy(update={"scenes": "on"})
    talk.hears("Between us: I love Karla.", confidences=[("m1", "m1")])
    talk.says({"role": "assistant", "content": "I am glad."}, "So am I.", "And I love tea.")
    talk.judged()
    clock.advance(hours=1)
    talk.says("A new day.")
    talk.summed_up()
    for purpose in ("RollingSummary", "SessionWithScenes"):
        material = next(one.material for one in talk.provider.requests if one.purpose == purpose)
        assert material.count('in-confidence="yes"') == 1, purpose
