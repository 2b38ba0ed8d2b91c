"""Several models that a frontend asks at once, and messages that a user deletes: what stands, and what is retracted."""

import pytest

from tests.frontends import Door, assistant, user

SAID = ["My cat is called Minka.", "She is nine.", "She likes tuna.", "Good night."]
GREETING = "Welcome back, traveller."


@pytest.fixture
def door(store, being):
    return Door(store, being)


def ask_models(door, rounds, *, models=("First", "Second"), conversation=None, turned=False, greeting=()):
    """Send each line of the user's to several models, each with its own answers before it."""
    for number in range(rounds):
        shown = {
            model: [*greeting, *(one for n in range(number) for one in (user(SAID[n]), assistant(f"{model}: {n}.")))]
            for model in models
        }
        asked = [*shown][::-1] if turned and number % 2 else [*shown]
        taken = [door.asks(*shown[model], user(SAID[number]), conversation=conversation) for model in asked]
        for one, model in zip(taken, asked, strict=True):
            door.answers(one, f"{model}: {number}.")


# Each two of these beside each other.
@pytest.mark.parametrize(
    ("count", "greeted", "conversation", "turned"),
    [
        (2, False, None, False),
        (2, True, "one", True),
        (4, False, "one", True),
        (4, True, None, True),
        (4, True, "one", False),
        (4, False, None, False),
    ],
)
def test_the_answers_of_several_models_at_once_stand_beside_each_other(door, count, greeted, conversation, turned):
    models = ("First", "Second", "Third", "Fourth")[:count]
    greeting = (assistant(GREETING),) if greeted else ()
    ask_models(door, 4, models=models, conversation=conversation, turned=turned, greeting=greeting)

    answers = [f"{model}: {number}." for number in range(4) for model in models]
    assert sorted(door.stands()) == sorted([*([GREETING] if greeted else []), *SAID, *answers])
    assert (door.retracted(), door.conversations()) == ([], 1)


def test_a_chat_that_goes_on_with_one_of_two_models_leaves_the_last_answer_of_the_other(door):
    ask_models(door, 3)
    first = [one for number in range(3) for one in (SAID[number], f"First: {number}.")]
    door.asks(*first, SAID[3], answer="First: 3.")
    door.asks(*first, SAID[3], "First: 3.", "Bye.")

    assert door.retracted() == ["Second: 2."]
    assert door.asks(*first, SAID[3], "First: 3.", "Bye.").retracted == 0


def test_an_answer_that_was_asked_for_again_goes_though_the_same_is_said_behind_it(door):
    said = [SAID[0], "A lovely name.", SAID[1]]
    door.asks(*said[:1], answer=said[1])
    door.asks(*said, answer="Quite an age.")
    door.asks(*said, "Quite an age.", SAID[2], answer="Do give her some.")
    door.asks(*said, answer="So old.")
    door.asks(*said, "So old.", SAID[2], answer="Tuna it is.")
    door.asks(*said, "So old.", SAID[2], "Tuna it is.", "Yes.")

    assert sorted(door.stands()) == sorted([*said, "So old.", SAID[2], "Tuna it is.", "Yes."])


@pytest.fixture
def talked(door):
    """A conversation of three exchanges."""
    said = [SAID[0], "A lovely name.", SAID[1], "Quite an age.", SAID[2], "Do give her some."]
    for end in (1, 3, 5):
        door.asks(*said[:end], answer=said[end])
    return said


def shown(lines):
    return [user(text) if text in (*SAID, "Bye.", "And milk.") else assistant(text) for text in lines]


@pytest.mark.parametrize("place", [1, 2, 3, 4])
def test_a_deleted_message_is_retracted_and_stands_again_when_it_is_shown(door, talked, place):
    left = [*talked[:place], *talked[place + 1 :]]
    taken = door.asks(*shown([*left, "Bye."]), answer="Bye, then.")
    assert (taken.retracted, door.retracted()) == (1, [talked[place]])
    assert door.stands() == [*left, "Bye.", "Bye, then."]

    assert door.asks(*shown([*left, "Bye.", "Bye, then.", "And milk."]), answer="Warm?").retracted == 0
    back = door.asks(*shown([*talked, "Bye.", "Bye, then.", "And milk.", "Warm?", "Good night."]))
    assert (back.restored, door.retracted()) == (1, [])


@pytest.mark.parametrize("places", [(0,), (0, 1), (2, 3), (1, 4), (2, 3, 4)])
def test_what_a_frontend_hides_or_cuts_off_stands(door, talked, places):
    left = [text for place, text in enumerate(talked) if place not in places]
    door.asks(*shown([*left, "Bye."]))

    assert (door.stands(), door.retracted()) == ([*talked, "Bye."], [])


def test_one_message_behind_the_beginning_of_a_long_transcript_may_be_cut_off(door):
    said = [f"{number}. {'words ' * 300}" for number in range(12)]
    for end in range(1, 12, 2):
        door.asks(*said[:end], answer=said[end])
    door.asks(*shown([]), *[assistant(t) if n % 2 else user(t) for n, t in enumerate(said) if n != 2], user("Bye."))

    assert door.retracted() == []


def test_a_summary_in_the_place_of_a_message_retracts_nothing(door, talked):
    summary = {"role": "system", "content": "Summary: she is nine."}
    door.asks(*shown(talked[:2]), summary, *shown([*talked[3:], "Bye."]))

    assert door.retracted() == []


@pytest.mark.parametrize("greeting", [(), (assistant(GREETING),)], ids=["", "greeting"])
@pytest.mark.parametrize("conversation", [None, "one"])
def test_an_edit_of_the_first_words_of_a_chat_with_one_answer(door, conversation, greeting):
    door.asks(*greeting, user("My dog is Max."), answer="Nice dog!", conversation=conversation)
    edited = [*greeting, user("My dog is Rex."), assistant("Nice dog!"), user("He is two.")]
    door.asks(*edited, answer="So young.", conversation=conversation)

    greeted = [GREETING] if greeting else []
    assert door.stands() == [*greeted, "My dog is Rex.", "Nice dog!", "He is two.", "So young."]
    assert (door.retracted(), door.conversations()) == (["My dog is Max."], 1)
