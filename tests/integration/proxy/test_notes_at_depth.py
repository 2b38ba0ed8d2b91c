"""A note without a mark, which a frontend puts so many lines before the end of each transcript, is nobody's words."""

import pytest

from tests.frontends import Door, assistant, user

NOTE = "The kitchen smells of burnt sugar and of old bread."
GREETING = assistant("*waves* Welcome back, traveller.")
SAID = (
    "I bought a lantern and a kite at the harbour.",
    "My aunt says that velvet is better than silk.",
    "Olav brings the marble tomorrow, with his van.",
    "And the day after we all go home again, I hope.",
)


def answered(place):
    return f"{place}. A long answer, which can be told apart from all others."


@pytest.mark.parametrize(
    ("role", "depth"), [*(("user", depth) for depth in range(5)), *(("assistant", depth) for depth in range(1, 5))]
)
def test_a_note_that_moves_is_not_stored(store, being, role, depth):
    door, said = Door(store, being), [GREETING]
    for place, words in enumerate(SAID):
        said.append(user(words))
        at = max(0, len(said) - depth)
        door.asks(*said[:at], {"role": role, "content": NOTE}, *said[at:], answer=answered(place))
        said.append(assistant(answered(place)))

    assert [(role, text) for role, _, text in door.said()] == [(one["role"], one["content"]) for one in said]


@pytest.mark.parametrize("note", [NOTE, "Stay in character."])
def test_short_answers_do_not_hide_what_is_said_before_a_note_at_the_end(store, being, note):
    door, said = Door(store, being), []
    for words, answer in zip(SAID, ("Why?", "I see.", "And then?", "Well."), strict=True):
        said.append(user(words))
        door.asks(*said, user(note), answer=answer)
        said.append(assistant(answer))

    stands = door.stands()
    assert [text for text in stands if text != note] == [one["content"] for one in said]
    assert stands.count(note) <= 1


def test_short_words_that_are_said_again_stand_where_the_middle_of_the_chat_is_cut(store, being):
    door, said = Door(store, being), [GREETING]
    for place, words in enumerate(SAID):
        said += [user(words), user("What do you think?")]
        door.asks(*said[:1], *said[-3:], answer=answered(place))
        said.append(assistant(answered(place)))

    assert [text for role, _, text in door.said() if role == "user"] == [
        text for words in SAID for text in (words, "What do you think?")
    ]


def test_words_behind_which_a_frontend_puts_the_beginning_of_the_answer_are_stored(store, being):
    door, said = Door(store, being), [GREETING]
    for place, words in enumerate(SAID):
        said.append(user(words))
        door.asks(*said, assistant(NOTE), answer=answered(place))
        said.append(assistant(answered(place)))

    assert [text for role, _, text in door.said() if role == "user"] == list(SAID)


def test_an_instruction_in_a_part_of_its_own_behind_the_newest_words_is_stored_once_at_most(store, being):
    """SillyTavern merges lines of one role into parts of one message, for Claude."""
    door, said = Door(store, being), [GREETING]
    for place, words in enumerate(SAID):
        parts = [{"type": "text", "text": text} for text in (words, NOTE)]
        door.asks(*said, {"role": "user", "content": parts}, answer=answered(place))
        said += [user(words), assistant(answered(place))]

    assert [text for role, _, text in door.said() if role == "user"] == list(SAID)


def test_words_that_are_deleted_and_said_again_stand(store, being):
    door = Door(store, being)
    door.asks(GREETING, user(SAID[0]), answer=answered(0))
    door.asks(GREETING, user(SAID[0]), assistant(answered(0)), user(SAID[1]), answer=answered(1))
    door.asks(GREETING, user(SAID[0]), assistant(answered(0)), assistant(answered(1)), user(SAID[2]), answer="Well.")
    before = [GREETING, user(SAID[0]), assistant(answered(0)), assistant(answered(1)), user(SAID[2])]
    door.asks(*before, assistant("Well."), user(SAID[1]), answer=answered(3))

    assert door.stands()[-3:] == ["Well.", SAID[1], answered(3)]


def test_a_note_that_is_merged_into_answers_is_not_stored_with_them(store, being):
    door, said = Door(store, being), [GREETING]
    for place, words in enumerate(SAID):
        noted = assistant(f"{said[-1]['content']}\n\n{NOTE}")
        door.asks(*said[:-1], noted, user(words), answer=answered(place))
        said += [user(words), assistant(answered(place))]

    assert door.stands()[1:] == [one["content"] for one in said[1:]]


PREFILL = assistant("Sure, I will say this in character:")
RITUAL = "Good night, my love, sleep well and dream of the sea."


@pytest.mark.parametrize("conversation", [None, "chat"])
@pytest.mark.parametrize("behind", [PREFILL, user("And do not forget the goat in the garden, please.")])
def test_a_long_sentence_that_is_said_again_behind_a_cut_stands_each_time(store, being, conversation, behind):
    door, said = Door(store, being), [GREETING]
    for place, words in enumerate([SAID[0], RITUAL, SAID[1], RITUAL, SAID[2], SAID[3]]):
        said.append(user(words))
        door.asks(*said, answer=answered(place), conversation=conversation)
        said.append(assistant(answered(place)))
    # The transcript begins with the answer to the ritual's second time.
    door.asks(*said[8:], user(RITUAL), behind, answer=answered(9), conversation=conversation)

    assert door.stands().count(RITUAL) == 3


@pytest.mark.parametrize("behind", [(PREFILL,), (user(SAID[3]),), (assistant(answered(7)), user(SAID[3]))])
def test_a_long_sentence_that_was_edited_and_is_said_again_stands(store, being, behind):
    door = Door(store, being)
    door.asks(GREETING, user(SAID[0]), answer=answered(0))
    door.asks(GREETING, user(SAID[0]), assistant(answered(0)), user(SAID[1]), answer=answered(1))
    edited = [GREETING, user(SAID[0]), assistant(answered(0)), user("My aunt likes wool."), assistant(answered(1))]
    door.asks(*edited, user(SAID[2]), answer=answered(2))
    door.asks(*edited, user(SAID[2]), assistant(answered(2)), user(SAID[1]), *behind, answer=answered(3))

    assert SAID[1] in door.stands()


def test_a_long_sentence_of_the_beginning_is_said_again_behind_an_early_place(store, being):
    door, said = Door(store, being), []
    for place in range(62):
        said += [user(RITUAL if place == 3 else f"This is line {place}."), assistant(answered(place))]
    door.asks(*said, user("This is the newest line."), answer="Well.", conversation="chat")
    door.asks(*said[7:10], user(RITUAL), user("And the goat?"), answer="Yes.", conversation="chat")

    assert door.stands()[-3:] == [RITUAL, "And the goat?", "Yes."]


def test_an_answer_that_was_continued_and_is_then_edited_is_stored_whole(store, being):
    door, first, more = Door(store, being), "The lantern leeks a little.", "I would hang it where the wind is weak."
    door.asks(user(SAID[0]), answer=first)
    door.asks(user(SAID[0]), assistant(first), answer=f"\n\n{more}")
    edited = f"The lantern leaks a little.\n\n{more}"
    door.asks(user(SAID[0]), assistant(edited), user(SAID[1]), answer=answered(1))

    assert edited in door.stands()


def test_what_an_answer_ends_with_is_the_users_where_the_user_says_it(store, being):
    door, question = Door(store, being), "How is your mother?"
    said = [user(SAID[0]), assistant("Yes."), user(SAID[1]), assistant(f"Yes.\n\n{question}"), user(SAID[2])]
    door.asks(*said[:1], answer="Yes.")
    door.asks(*said[:3], answer=f"Yes.\n\n{question}")
    door.asks(*said, answer="Olav is here.\n\nHe waits.")
    door.asks(*said, assistant("Olav came.\n\nHe waits."), user(f"Tell him so.\n\n{question}"), answer="Well.")

    assert door.stands()[-2] == f"Tell him so.\n\n{question}"


def test_an_answer_that_goes_on_behind_a_note_is_not_stored_anew(store, being):
    door, said = Door(store, being), [GREETING]
    for place, words in enumerate(SAID[:3]):
        said.append(user(words))
        door.asks(*said, answer=answered(place))
        said.append(assistant(answered(place)))
    door.asks(*said[:-1], user("Keep it short."), said[-1], answer=" And more.")

    assert door.stands()[-2:] == [answered(2), f"{answered(2)} And more."]
