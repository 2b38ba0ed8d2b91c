"""How a conversation becomes facts, todos and summaries.

A model reads messages and proposes facts; code checks each proposal against the words that were said. The model here is
scripted: `hears` takes what the user says and what the model answers.
"""

from memory.facts.retrieval import FactQuery, retrieve
from memory.talk import sessions
from tests.conversations import fact, todo


def test_a_message_is_judged_once_and_becomes_a_fact(talk):
    talk.hears("I love green tea, you know.", fact("I love green tea", "Loves green tea."))
    assert talk.contents() == ["Loves green tea."]
    talk.judged()
    assert len(talk.provider.requests) == 1


def test_a_fact_must_quote_what_was_said(talk):
    talk.hears("I love green tea.", fact("I hate coffee", "Hates coffee."))
    assert talk.contents() == []
    assert talk.dropped() == {"no such words": 1}


def test_a_fact_that_is_told_again_is_kept_once_and_counted(talk):
    for message in ("m1", "m2"):
        talk.hears("I love green tea.", fact("I love green tea", "Loves green tea.", message=message))
    (known,) = talk.facts()
    assert known.mentions == 2


def test_a_fact_that_contradicts_an_earlier_one_takes_its_place(talk):
    talk.hears("I love green tea.", fact("I love green tea", "Loves green tea."))
    talk.says("I can't stand green tea any more.")
    talk.answers(fact("I can't stand green tea any more", "Dislikes green tea.", message="m2"))
    talk.compares(("n0.1", "contradicts", "e0.0"))
    talk.judged()
    assert talk.contents() == ["Dislikes green tea."]


def test_a_promise_becomes_a_todo_until_it_is_done(talk):
    talk.hears("I'll call Mum.", todos=(todo("I'll call Mum", "Call Mum."),))
    assert [open_.content for open_ in talk.todos()] == ["Call Mum."]
    talk.hears("I called Mum!", todos=(todo("I called Mum", message="m2", known="t1", done=True),))
    assert talk.todos() == []


def test_a_fact_is_retrieved_by_its_meaning(talk):
    talk.hears("I love green tea.", fact("I love green tea", "Loves green tea."))
    talk.embedded()
    found = retrieve(talk.store, talk.embedders, talk.settings, talk.being, FactQuery("favourite drink", 3))
    assert [one.content for one in found.facts] == ["Loves green tea."]
    assert not found.degraded


def test_all_beings_of_a_user_know_its_facts_but_each_has_todos_of_its_own(talk, other):
    talk.hears("I love green tea.", fact("I love green tea", "Loves green tea."))
    talk.hears("I'll call Mum.", todos=(todo("I'll call Mum", "Call Mum."),))
    assert other.contents() == ["Loves green tea."]
    assert other.todos() == []


def test_half_an_hour_of_silence_ends_a_session(talk, clock):
    talk.says("Good morning.")
    clock.advance(minutes=31)
    talk.says("Good evening.")
    with talk.store.transaction() as tx:
        (count,) = tx.execute("select count(*) as sessions from memory.sessions")
    assert count["sessions"] == 2


def test_the_session_state_counts_messages_before_any_model_has_read_them(talk):
    talk.says("One.", "Two.")
    assert sessions.state(talk.store, talk.being.being_id).state.message_count == 2
    assert talk.provider.requests == []
