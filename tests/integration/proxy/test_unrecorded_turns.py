"""Words off the record come in with no later transcript, and words on the record are not lost to them."""

import pytest

from memory.accounts.beings import change
from memory.intake.messages import accept_messages
from tests.frontends import Door, assistant, user, wire
from tests.full_being import tables_with

BEGINNING = ["My cat is called Minka.", "A lovely name."]
LEAVING = "I will leave my job at the mill on Monday."
ANSWER = "That is a brave step; who knows of it?"
DAY, ALONE = "What a day it is, Mira!", "Nobody knows of it but you and me."
ON = "She likes tuna."
PICTURE = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,x"}}]


@pytest.fixture
def door(store, being):
    return Door(store, being)


def off(door, *said, **options):
    """A request that is marked, with its answer."""
    return door.asks(*said, off_the_record=True, **options)


@pytest.mark.parametrize("chat", [None, "tab-1"])
def test_a_talk_that_goes_on_on_the_record_keeps_what_was_said_on_it_alone(door, chat):
    door.asks(BEGINNING[0], answer=BEGINNING[1], conversation=chat)
    taken = off(door, *BEGINNING, LEAVING, answer=ANSWER, conversation=chat)
    assert (taken.decision, taken.taken_in, taken.last.message_id) == ("off the record", 0, None)
    # What memory has of the chat is known to it, so that it is not repeated in the prompt.
    assert len(taken.shown) == 2

    shown = [*BEGINNING, LEAVING, ANSWER]
    door.asks(*shown, ON, answer="Do give her some.", conversation=chat)
    door.asks(*shown, ON, "Do give her some.", "I will.", conversation=chat)

    assert door.stands(chat) == [*BEGINNING, ON, "Do give her some.", "I will."]
    assert (door.conversations(), door.retracted()) == (1, [])


@pytest.mark.parametrize("words", [(LEAVING, ANSWER), ("Psst.", "Yes?")])
def test_a_temporary_chat_that_its_user_saves_under_another_id_begins_with_what_is_said_then(door, words):
    off(door, words[0], answer=words[1], conversation="local:socket")
    door.asks(*words, ON, answer="Yes.", conversation="saved")

    assert door.stands("saved") == [ON, "Yes."]


@pytest.mark.parametrize(
    ("shown", "stands"),
    [
        ([LEAVING, ANSWER[:12], ON], [ON]),
        ([LEAVING, "Another answer that was never seen.", ON], [ON]),
        ([f"{LEAVING} ", ANSWER, DAY, "Indeed.", ON], [ON]),
        ([LEAVING, ANSWER, "A line that was rewritten.", "Another one.", ALONE, "Good.", ON], [ON]),
        ([assistant(ANSWER), user(DAY), assistant("Indeed."), user(ON)], [ON]),
    ],
    ids=["cut off", "another answer", "later turns", "rewritten between", "the head cut"],
)
def test_what_a_frontend_changes_of_such_talk_does_not_bring_it_in(door, shown, stands):
    off(door, LEAVING, answer=ANSWER)
    off(door, LEAVING, ANSWER, DAY, answer="Indeed.")
    off(door, LEAVING, ANSWER, DAY, "Indeed.", ALONE, answer="Good.")

    door.asks(*shown)
    assert door.stands() == stands


def test_the_beginning_of_an_answer_is_known_though_the_head_is_cut(door):
    begins = f"You told me of the mill. {ANSWER[:-1]}"
    off(door, LEAVING, assistant(begins))
    door.asks(assistant(begins), user(ON))

    assert door.stands() == [ON]


def test_several_exchanges_off_the_record_leave_no_gap_in_those_on_it(door):
    shown = []
    for number, is_off in enumerate([False, True, True, False, True, False]):
        line, answer = f"Line number {number} is said now.", f"And answer number {number} to it."
        door.asks(*shown, line, answer=answer, off_the_record=is_off)
        shown += [line, answer]

    assert door.stands() == [shown[place] for place in (0, 1, 6, 7, 10, 11)]
    assert (door.conversations(), door.retracted()) == (1, [])


def test_newest_words_that_were_said_so_at_the_same_place_are_still_off_the_record(door):
    door.asks(BEGINNING[0], answer=BEGINNING[1])
    off(door, *BEGINNING, LEAVING)
    again = door.asks(*BEGINNING, LEAVING, answer=ANSWER)

    assert again.decision == "off the record"
    assert door.stands() == BEGINNING


def test_the_same_words_said_elsewhere_on_the_record_are_kept(door):
    off(door, "Good morning, my dear companion of many years!", answer="Good morning to you too!")
    off(door, "Hi.", answer="Hello.")
    door.asks("Good morning, my dear companion of many years!", answer="You are up early.")
    door.asks("Hi.", answer="What is it?")
    door.asks("Hi.", "What is it?", "I like tea.")

    said = ["Good morning, my dear companion of many years!", "You are up early.", "Hi.", "What is it?", "I like tea."]
    assert door.stands() == said


def test_another_answer_and_an_edit_on_the_record_change_what_stands_and_nothing_else(door):
    door.asks(BEGINNING[0], answer=BEGINNING[1])
    off(door, *BEGINNING, LEAVING, answer=ANSWER)
    off(door, *BEGINNING, LEAVING, answer="A swiped answer to it.")
    door.asks(*BEGINNING, LEAVING, "A swiped answer to it.", ON, answer="Yes.")
    door.asks(*BEGINNING, LEAVING, ANSWER, "She likes trout.", answer="No.")
    door.asks(*BEGINNING, LEAVING, ANSWER, "She likes trout.", "No.", "Really.")

    assert door.stands() == [*BEGINNING, "She likes trout.", "No.", "Really."]


def test_a_summary_in_a_system_line_and_third_speakers_change_nothing(door):
    off(door, user(LEAVING, name="Ann"), answer=ANSWER)
    door.asks(
        {"role": "system", "content": f"Summary: {LEAVING}"}, user(LEAVING, name="Ann"), assistant(ANSWER), user(ON)
    )

    assert door.stands() == [ON]


def test_a_being_and_a_conversation_are_off_the_record_until_further_notice(door, store, being):
    change(store, being, {"off_the_record_in": {"tab-1": True}})
    # The process has the row of some minutes ago.
    assert door.asks(LEAVING, answer=ANSWER, conversation="tab-1").decision == "off the record"
    assert door.asks("Here all is kept.", conversation="tab-2").decision == "began"
    change(store, being, {"off_the_record_in": {"tab-1": False}, "off_the_record": True})
    assert door.asks("Here nothing is.", conversation="tab-3").decision == "off the record"
    change(store, being, {"off_the_record": False})
    assert door.asks(LEAVING, ANSWER, ON, conversation="tab-1").decision == "began"

    assert (door.stands("tab-1"), door.stands("tab-2"), door.stands("tab-3")) == ([ON], ["Here all is kept."], [])


def test_nothing_but_keyed_digests_is_left_which_an_erasure_removes(door, store, being):
    off(door, LEAVING, answer=ANSWER)
    off(
        door,
        {"role": "user", "content": PICTURE},
        answer=ANSWER,
    )
    with store.transaction() as tx:
        assert tables_with(tx, "mill") == tables_with(tx, "brave") == {}
        assert tables_with(tx, str(being.being_id)).keys() <= {"beings", "clusters", "unrecorded_turns"}
        tx.execute("delete from memory.beings where being_id = %s", [being.being_id])
        assert tables_with(tx, str(being.being_id)) == {}


def test_handed_in_on_purpose_it_is_kept(door, store, being):
    off(door, LEAVING, answer=ANSWER)
    receipt = accept_messages(store, door.settings, being.being_id, wire(LEAVING, ANSWER))
    assert (receipt.accepted, receipt.off_the_record) == (2, [])

    assert door.stands() == [LEAVING, ANSWER]
