"""An answer's names lead to its place in the talk; words that an answer handed on to another agent are no talk."""

import pytest

from memory.proxy.reading.transcript import Line, Transcript, read_transcript
from memory.proxy.taking import answer_traces
from memory.proxy.taking.answer_intake import take_answer
from memory.proxy.taking.exchange import take_transcript
from providers.chat.chat_answer import ChatAnswer
from tests.frontends import Door
from tests.scenes import make_being

TASK = "Look for the lighthouse file."


@pytest.fixture
def door(store, being):
    return Door(store, being)


def asks(door, *lines, answer=None, id_=None, continues=None, handed_on=()):
    """Send what a request shows, and take its answer in under an id."""
    transcript = Transcript(tuple(line if isinstance(line, Line) else Line("user", line) for line in lines))
    taken = take_transcript(door.store, door.settings, door.embedders, door.being, transcript, continues=continues)
    if taken.place is not None and (answer or id_):
        message_id = taken.place.message_id
        if answer:
            message_id = take_answer(door.store, door.settings, door.being, taken.place, answer)
        told = ChatAnswer(answer or "", ids=(id_, f"msg_{id_}"), handed_on=handed_on)
        answer_traces.add(door.store, door.being.being_id, told, taken.place.conversation, message_id)
    return taken


def test_a_request_goes_on_from_the_answer_that_it_names(door):
    asks(door, "My sister moves to Bergen.", answer="By ferry?", id_="a")
    asks(door, "No, by train.", continues="a", answer="A long way.", id_="b")
    taken = asks(door, "Two days.", continues="b")
    assert (taken.decision, door.conversations()) == ("continued", 1)
    assert door.stands() == ["My sister moves to Bergen.", "By ferry?", "No, by train.", "A long way.", "Two days."]


def test_from_an_earlier_answer_the_talk_goes_another_way(door):
    asks(door, "My sister moves to Bergen.", answer="By ferry?", id_="a")
    asks(door, "No, by train.", continues="a", answer="A long way.", id_="b")
    asks(door, "No, on foot.", continues="a", answer="Why not?", id_="c")
    asks(door, "And when?", continues="c")
    assert door.conversations() == 1
    assert door.stands() == ["My sister moves to Bergen.", "By ferry?", "No, on foot.", "Why not?", "And when?"]
    assert door.retracted() == ["No, by train.", "A long way."]


def test_an_item_that_is_named_stands_for_its_words(door):
    asks(door, "My sister moves to Bergen.", answer="By ferry?", id_="a")
    named = Line("unknown", other_parts=True, refers_to="msg_a")
    taken = asks(door, "My sister moves to Bergen.", named, "No, by train.")
    assert taken.decision == "continued"
    assert door.stands() == ["My sister moves to Bergen.", "By ferry?", "No, by train."]


def test_an_answer_without_words_leads_to_what_it_answers(door):
    asks(door, "The weather?", id_="a")
    taken = asks(door, Line("tool", other_parts=True), continues="a", answer="Rain.", id_="b")
    assert taken.place is not None
    assert door.stands() == ["The weather?", "Rain."]


def test_an_unknown_id_and_another_beings_name_nothing(door, store, user):
    asks(door, "My sister moves to Bergen.", answer="By ferry?", id_="a")
    with store.transaction() as tx:
        other = Door(store, make_being(tx, user, "tom"))
    assert asks(other, "No, by train.", continues="a").decision == "began"
    assert asks(door, "No, by train.", continues="x").decision == "began"
    assert other.stands() == ["No, by train."]


def test_what_was_handed_on_to_an_agent_is_no_talk_unless_the_user_says_it(door):
    asks(door, "Find it.", answer="I ask another.", id_="a", handed_on=(TASK, "Find it."))
    told = [{"role": "system", "content": "You look things up."}, {"role": "user", "content": TASK}]
    transcript = read_transcript(told)
    taken = take_transcript(door.store, door.settings, door.embedders, door.being, transcript)
    assert (taken.decision, door.stands()) == ("background", ["Find it.", "I ask another."])
    # Its further requests show what its tools returned as well.
    assert (
        asks(door, TASK, Line("assistant", other_parts=True), Line("tool", other_parts=True)).decision == "background"
    )
    assert asks(door, "Find it.").decision != "background"
    assert asks(door, "Find it.", Line("assistant", "I ask another."), TASK).decision == "continued"
    assert door.stands() == ["Find it.", "I ask another.", TASK]


def test_words_of_an_answer_that_come_back_alone_may_be_a_programs(door):
    outline = "A sister goes by train from Ulm to Bergen in two days."
    asks(door, "Write an outline.", answer=outline)
    answer_traces.add(door.store, door.being.being_id, ChatAnswer(f"{outline} When?"), None, None)
    before = ["Write an outline.", Line("assistant", outline)]
    for lines, unsure in (
        ([outline], True),
        ([f"{outline} When?"], True),
        ([*before, outline], True),
        ([*before, f"{outline} When?"], False),
    ):
        taken = asks(door, *lines)
        assert taken.last is not None
        assert taken.last.unsure is unsure, lines
    repeated = "My sister goes by ferry and not by train to Bergen."
    asks(door, repeated, answer=repeated)
    taken = asks(door, *before, repeated)
    assert taken.last is not None
    assert not taken.last.unsure


def test_a_trace_goes_with_its_message(door):
    taken = asks(door, "My sister moves to Bergen.", answer="By ferry?", id_="a")
    with door.store.transaction() as tx:
        tx.execute("delete from memory.messages where being_id = %s", [door.being.being_id])
    with door.store.transaction() as tx:
        assert answer_traces.find_by_ids(tx, door.being.being_id, ["a"]) == {}
    assert taken.last is not None
