"""A frontend shows a chat that was handed in by other doors before: it is recognised, and each message stands once."""

import io
import json
from datetime import UTC

import pytest

from memory.intake.importers import transcripts
from memory.intake.importers.entries import ExportFile, ExportPersons
from memory.intake.importers.importing import Import
from memory.intake.messages import accept_messages
from memory.intake.retraction import retract
from memory.text.same_words import comparable, words_key
from providers.embedders import Embedders
from schemas.talk.retraction import MessageSelection
from tests.frontends import Door, assistant, user, wire
from tests.scenes import make_being

CHAT = ["My cat is called Minka.", "A lovely name.", "She is nine.", "Quite an age."]
WHITE_SPACE = "".join(chr(code) for code in range(0x110000) if chr(code).isspace())


@pytest.fixture
def door(store, being):
    return Door(store, being)


@pytest.fixture
def handed_in(door):
    """Hand messages in, as a program does that calls the API, or an import; strings alternate from the user on."""

    def hand_in(*said, conversation=None, being=None):
        items = [{**one, "conversation": conversation} for one in wire(*said)]
        receipt = accept_messages(door.store, door.settings, (being or door.being).being_id, items)
        return receipt.ids

    return hand_in


@pytest.mark.parametrize("conversation", [None, "chatgpt/7"])
@pytest.mark.parametrize("named", [None, "chat-7"])
def test_a_transcript_of_messages_from_another_door_stores_none_twice(door, handed_in, conversation, named):
    handed_in(*CHAT, conversation=conversation)

    taken = door.asks(*CHAT, "She likes tuna.", answer="Do give her some.", conversation=named)

    assert (taken.decision, taken.taken_in) == ("continued", 1)
    told = [*CHAT, "She likes tuna.", "Do give her some."]
    assert door.stands() == told
    # From now on it is a conversation like any other.
    again = door.asks(*told, "Again?", conversation=named)
    assert (again.decision, again.taken_in, again.conversation) == ("continued", 1, taken.conversation)
    assert door.stands() == [*told, "Again?"]
    assert door.retracted() == []


def test_what_another_door_adds_later_is_not_stored_again(door, handed_in):
    handed_in(*CHAT[:2], conversation="chat-7")
    door.asks(*CHAT[:3], conversation="chat-7")
    handed_in(assistant(CHAT[3]), conversation="chat-7")

    assert door.asks(*CHAT, "She likes tuna.", conversation="chat-7").taken_in == 1
    assert door.stands() == [*CHAT, "She likes tuna."]


def test_an_export_adds_what_did_not_come_in_here(door):
    def imported(*said):
        roles = ("user", "assistant")
        chat = {
            "id": "the chat of the cat",
            "created_at": "2025-03-02T18:00:00Z",
            "messages": [{"role": roles[at % 2], "content": f"{text}\n"} for at, text in enumerate(said)],
        }
        file = ExportFile("chat.json", io.BytesIO(json.dumps(chat).encode()))
        work = Import(door.store, door.settings, Embedders(door.settings), door.being, False, [].append)
        for _ in work.take(transcripts.read(file, ExportPersons(None, None, UTC))):
            pass
        return work.done.messages, work.done.known

    door.asks(*CHAT[:3], answer=CHAT[3])
    before, after = ["Are you there?", "I am."], ["She likes tuna.", "Do give her some."]
    assert imported(*before, *CHAT, *after) == (4, 4)
    assert sorted(door.stands()) == sorted([*before, *CHAT, *after])
    assert imported(*before, *CHAT, *after, "Again?") == (1, 8)
    assert imported("Hello.", CHAT[1], "What is your name?", "Wren.") == (4, 0), "a few same words are another chat"
    door.asks("Hi.", answer="Hello!", conversation="a greeting")
    assert imported("Hi.", "Hello!", "I moved to Bern.", "How is it?") == (4, 0), "so are greetings"


def test_talk_without_an_id_goes_on_by_both_doors(door, handed_in):
    handed_in(*CHAT)
    door.asks(*CHAT, "She likes tuna.")
    handed_in(assistant("Do give her some."), user("I did."))

    assert door.asks(*CHAT, "She likes tuna.", "Do give her some.", "I did.", "Good.", "Bye.").taken_in == 2
    assert door.stands() == [*CHAT, "She likes tuna.", "Do give her some.", "I did.", "Good.", "Bye."]


def test_a_cut_and_changed_transcript_is_recognised(door, handed_in):
    handed_in(*CHAT, "She likes tuna.", "Do give her some, and water with it.", conversation="sillytavern/mira")

    shown = [assistant("Quite\n an  age."), user("She likes\u00a0tuna."), assistant("Do give her some,")]
    assert door.asks(*shown, user("She ate.")).taken_in == 1
    assert len(door.stands()) == 7


def test_a_branch_of_an_imported_chat_takes_the_place_of_what_was_said_there(door, handed_in):
    handed_in(*CHAT, "She likes tuna.", "Do give her some.", conversation="chatgpt/7")

    door.asks(*CHAT, "She is ill.", answer="Poor Minka.")

    assert door.retracted() == []
    door.asks(*CHAT, "She is ill.", "Poor Minka.", "Yes.")
    assert door.stands() == [*CHAT, "She is ill.", "Poor Minka.", "Yes."]
    assert sorted(door.retracted()) == ["Do give her some.", "She likes tuna."]


def test_talk_without_an_id_that_the_transcript_lacks_is_not_taken_back(door, handed_in):
    handed_in(*CHAT[:2], user("Turn the lamp off."), assistant("It is off."), *wire(*CHAT[2:]), user("Set an alarm."))

    door.asks(*CHAT, "She is ill.", answer="Poor Minka.")
    door.asks(*CHAT, "She is ill.", "Poor Minka.", "Yes.")

    assert len(door.stands()) == 10
    assert door.retracted() == []


def test_a_retracted_message_that_a_transcript_shows_stands_again(store, door, handed_in):
    ids = handed_in(*CHAT, assistant("Or is it?"), conversation="chatgpt/7")
    retract(store, door.settings, door.embedders, [door.being], MessageSelection(ids=[str(ids[3])]))
    assert door.retracted() == ["Quite an age."]

    assert door.asks(*CHAT, "She likes tuna.").restored == 1
    assert door.stands().count("Quite an age.") == 1


def test_the_same_opening_is_no_evidence(door, handed_in, clock):
    handed_in("Hi.", "Hello!", "What is new?", "Nothing.", conversation="chatgpt/7")
    clock.advance(hours=1)

    door.asks("Hi.", answer="Hello!")
    door.asks("Hi.", "Hello!", "I moved to Bergen.")

    assert door.stands() == ["Hi.", "Hello!", "What is new?", "Nothing.", "Hi.", "Hello!", "I moved to Bergen."]
    assert door.retracted() == []


def test_a_few_words_do_not_hide_a_chat_with_more_of_the_transcript(door, handed_in):
    handed_in("The harbour freezes.", "Since when was it open again?", "Since Monday.", conversation="chatgpt/6")
    other = door.asks("My cat is called Minka, and she is nine.", answer="Sure.")
    shown = ["The harbour freezes.", "Since when was it open again?", "Since Monday.", "Sure.", "ok"]

    # The memory was down for the first exchange, and the other chat ends with the same word.
    taken = door.asks(*shown)

    assert (taken.decision, taken.taken_in) == ("continued", 2)
    assert taken.conversation != other.conversation
    assert door.stands(other.conversation) == ["My cat is called Minka, and she is nine.", "Sure."]
    door.asks(*shown, "Good.", "Bye.")
    assert door.retracted() == []


def test_a_chat_that_began_with_the_same_words_and_went_on_otherwise_is_another_one(door, handed_in, clock):
    handed_in("Hi.", "Hello!", "What is new?", "Nothing.", conversation="chatgpt/7")
    clock.advance(hours=1)

    taken = door.asks("Hi.", "Hello!", "I moved to Bergen.", "How lovely.", "Yes.")

    assert (taken.decision, taken.taken_in) == ("began", 5)
    assert door.retracted() == []


def test_messages_to_another_being_are_not_adopted(store, door, handed_in, user):
    with store.transaction() as tx:
        other = make_being(tx, user)
    handed_in(*CHAT, conversation="chatgpt/7", being=other)

    assert door.asks(*CHAT, "She likes tuna.").taken_in == 5


def test_the_database_and_this_program_see_the_same_words(store):
    texts = [f"a{space}b" for space in (*WHITE_SPACE, WHITE_SPACE)]
    texts += ["cafe\u0301", "\uff26ull width", "\u200bzero", "🐈 \ufeff", "x" * 60_000]
    with store.transaction() as tx:
        rows = tx.execute(
            "select memory.words_key(text) as key from unnest(%s::text[]) with ordinality as t (text, place)"
            " order by place",
            [[text.replace("\0", "") for text in texts]],
        ).fetchall()
    assert [row["key"] for row in rows] == [words_key(comparable(text)) for text in texts]
