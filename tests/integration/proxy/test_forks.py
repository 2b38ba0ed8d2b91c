"""A frontend copies a chat under another id: the common beginning is known, and each chat goes its own way."""

import pytest

from memory.proxy.taking.storing import Roommates
from store.accounts import users
from tests.frontends import Door, assistant, user
from tests.scenes import make_being

CHAT = [
    "My cat is called Minka, and she is nine.",
    "A lovely name, and quite an age.",
    "She sleeps on the piano.",
    "Does she play it, too?",
]


@pytest.fixture
def door(store, being):
    return Door(store, being)


def chats(door, conversation, *said, shown=0):
    """Send the transcripts of a chat as it grows, behind the first lines that are known; the lines alternate."""
    for place in range(shown, len(said), 2):
        door.asks(*said[: place + 1], answer=said[place + 1], conversation=conversation)


@pytest.fixture
def talked(door):
    """A chat, by the id that its frontend gives it."""
    chats(door, "chat-1", *CHAT)
    return "chat-1"


@pytest.mark.parametrize(("original", "fork"), [("chat-1", "chat-2"), (None, "chat-2"), ("chat-1", None)])
@pytest.mark.parametrize("length", [2, 3])
def test_of_a_fork_only_what_is_new_is_stored(door, original, fork, length):
    chats(door, original, *CHAT)
    new = ["It rains."] if length == 2 else []
    taken = door.asks(*CHAT[:length], *new, answer="Oh?", conversation=fork)
    assert (taken.taken_in, taken.retracted, len(taken.shown)) == (len(new), 0, length + len(new))

    more = door.asks(*CHAT[:length], *new, "Oh?", "Yes.", conversation=fork)
    assert (more.taken_in, more.conversation) == (1, taken.conversation)
    assert (door.stands(), door.retracted()) == ([*CHAT, *new, "Oh?", "Yes."], [])


def test_a_fork_and_its_original_are_changed_apart(door, talked):
    door.asks(*CHAT, "It rains.", answer="Then stay in.", conversation="chat-2")
    # The fork edits its beginning, and so does the original.
    door.asks(CHAT[0], "What an age!", "She sleeps on it.", answer="Does she?", conversation="chat-2")
    door.asks(*CHAT, "She does.", answer="What does she play?", conversation=talked)
    assert set(CHAT) <= set(door.stands())
    assert set(door.retracted()) == {"It rains.", "Then stay in."}

    door.asks(*CHAT[:2], "She sleeps all day.", answer="As cats do.", conversation=talked)
    door.asks(*CHAT[:2], "She sleeps all day.", "As cats do.", "Mine do.", conversation=talked)
    assert CHAT[2] not in door.stands(), "neither of them has it"
    assert {"What an age!", "She sleeps on it.", "Does she?"} <= set(door.stands())


def test_what_the_original_goes_on_past_stands_in_a_fork_until_that_does_too(door, talked):
    door.asks(*CHAT, "It rains.", answer="Then stay in.", conversation="chat-2")
    chats(door, talked, *CHAT[:2], "She sleeps all day.", "As cats do.", "Mine do.", "I see.", shown=2)
    assert set(CHAT) <= set(door.stands())
    assert door.asks(*CHAT, "It rains.", "Then stay in.", "Why?", conversation="chat-2").taken_in == 1

    door.asks(*CHAT[:2], "Her name is Minka.", "I know.", "Good.", conversation="chat-2")
    assert set(door.retracted()) == {*CHAT[2:], "It rains.", "Then stay in.", "Why?"}
    # And the original returns to it.
    assert door.asks(*CHAT, "She does.", conversation=talked).restored == 2
    assert set(CHAT) <= set(door.stands())


def test_a_branch_that_the_original_has_left_stands_again_in_a_fork_of_it(door, talked):
    chats(door, talked, *CHAT[:2], "She sleeps all day.", "As cats do.", "Mine do.", "I see.", shown=2)
    assert door.retracted() == CHAT[2:]

    assert door.asks(*CHAT, "It rains.", conversation="chat-2").restored == 2
    door.asks(*CHAT[:2], "She sleeps all day.", "As cats do.", "Mine do.", "I see.", "You do?", conversation=talked)
    assert door.retracted() == []


def test_an_answer_that_is_generated_again_in_a_fork_stands_beside_the_original_one(door, talked):
    door.asks(*CHAT[:3], answer="On the keys?", conversation="chat-2")
    door.asks(*CHAT[:3], "On the keys?", "On the lid.", conversation="chat-2")
    door.asks(*CHAT, "She does.", conversation=talked)

    assert (set(CHAT) | {"On the keys?", "On the lid.", "She does."}, []) == (set(door.stands()), door.retracted())


def test_an_answer_again_that_a_fork_had_left_stands_in_it_again(door, talked):
    door.asks(*CHAT, "It rains.", conversation="chat-2")
    door.asks(*CHAT[:3], "On the keys?", "On the lid.", conversation="chat-2")
    door.asks(*CHAT[:3], answer=CHAT[3], conversation="chat-2")
    chats(door, talked, *CHAT[:2], "She sleeps all day.", "As cats do.", "Mine do.", "I see.", shown=2)

    assert CHAT[3] in door.stands()


def test_a_fork_of_a_fork_and_a_fork_that_comes_before_its_original(door):
    chats(door, "fork", *CHAT, "It rains.", "Then stay in.")
    assert door.asks(*CHAT, "She does.", answer="What?", conversation="original").taken_in == 1
    shown = [*CHAT, "It rains.", "Then stay in."]
    assert door.asks(*shown, "Why?", answer="You would get wet.", conversation="fork of the fork").taken_in == 1

    door.asks(*CHAT[:2], "She sleeps all day.", "As cats do.", "Mine do.", conversation="fork")
    assert door.retracted() == []
    assert len(door.stands()) == len({*door.stands()})


def test_an_edit_in_the_copied_beginning_is_no_edit_of_the_original(door, talked):
    more = ["It is a large church with old pipes.", "Which?"]
    chats(door, talked, *CHAT, *more, shown=4)
    assert (
        door.asks(*CHAT[:2], "She sleeps on the organ.", *CHAT[3:], *more, "Ours.", conversation="chat-2").taken_in == 2
    )
    first = ["My dog is called Rex, and he is two.", *CHAT[1:], *more]
    assert door.asks(*first, "The one in Ulm.", conversation="chat-3").taken_in == 2

    assert door.retracted() == []
    assert len(door.stands()) == len(CHAT) + 6


@pytest.mark.usefixtures("talked")
def test_a_fork_of_a_chat_whose_beginning_the_frontend_cuts(door):
    assert door.asks(*CHAT[2:], "It rains.", answer="Then stay in.", conversation="chat-2").taken_in == 1
    assert door.asks(*CHAT, "It rains.", "Then stay in.", "Why?", conversation="chat-2").taken_in == 1


def test_what_was_said_off_the_record_in_the_original_is_so_in_a_fork(door):
    chats(door, "chat-1", *CHAT[:2])
    taken = door.asks(*CHAT[:2], "I am pregnant.", conversation="chat-1", off_the_record=True)
    door.answers(taken, "How wonderful for you!")
    off = [*CHAT[:2], "I am pregnant.", "How wonderful for you!"]
    door.asks(*off, *CHAT[2:3], answer=CHAT[3], conversation="chat-1")

    door.asks(*off, *CHAT[2:], "It rains.", conversation="chat-2")
    assert door.stands() == [*CHAT, "It rains."]


@pytest.mark.usefixtures("talked")
def test_a_temporary_copy_of_a_chat_leaves_nothing(door):
    taken = door.asks(*CHAT, "It rains.", conversation="temporary:7", off_the_record=True)

    assert (door.stands(), len(taken.shown)) == (CHAT, len(CHAT))


@pytest.mark.parametrize(
    ("opening", "greeting"),
    [
        (["Hi.", "Hello! How can I help you today?"], []),
        (["Hi.", "Hello, traveller!"], [assistant("The door of the tavern opens, and a cold wind comes in with you.")]),
        (["My cat is called Minka, and she is nine."], []),
    ],
    ids=["a few words", "behind a card's greeting", "a first line"],
)
def test_chats_that_begin_alike_are_independent(door, opening, greeting):
    lines = [*map(user, opening[:1]), *map(assistant, opening[1:])]
    said = [*lines, *([assistant("Oh?")] if len(lines) == 1 else [])]
    door.asks(*greeting, *said, user("It rains."), answer="It does.", conversation="chat-1")
    said = [*lines, *([assistant("Ah.")] if len(lines) == 1 else [])]
    assert (
        door.asks(*greeting, *said, user("The sun shines."), conversation="chat-2").taken_in
        == len([*greeting, *said]) + 1
    )

    door.asks(*greeting, user("Good day."), assistant("Yes?"), user("No."), conversation="chat-2")
    assert {"It rains.", "It does.", opening[0]} <= set(door.stands("chat-1"))


def test_what_differs_in_a_fork_hides_no_words(door):
    again = "Tell me more about it, as long and as well as you can."
    chats(door, "chat-1", *CHAT, again, "A piano has strings.", "I see.", "Do you?")
    lines = [
        *CHAT,
        "It rains.",
        "Then stay in.",
        "Why?",
        "You would get wet.",
        again,
        "Rain is water.",
        "I see.",
        "Good.",
    ]
    door.asks(*lines, "Yes.", conversation="chat-2")

    assert door.stands("chat-2") == [*lines[4:], "Yes."]


def test_all_who_are_in_a_room_hear_the_beginning(door, store):
    chats(door, "chat-1", *CHAT)
    with store.transaction() as tx:
        other = make_being(tx, users.get_user(tx, door.being.user_id), "ossia")
    door.asks(*CHAT, "It rains.", conversation="room-1", room=Roommates([other], [other]))

    assert Door(store, other).stands() == [*CHAT, "It rains."]
