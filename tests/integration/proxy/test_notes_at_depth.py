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


def test_words_behind_which_a_frontend_puts_the_beginning_of_the_answer_are_stored(store, being):
    door, said = Door(store, being), [GREETING]
    for place, words in enumerate(SAID):
        said.append(user(words))
        door.asks(*said, assistant(NOTE), answer=answered(place))
        said.append(assistant(answered(place)))

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
