"""An answer around calls of tools comes in several answers, which some frontends show as one line later."""

import pytest

from tests.frontends import Door, assistant

QUESTION = "Is it cold where my sister lives?"
LOOKS, TELLS = "I shall look at the forecast.", "Three degrees, and rain until Friday."
CALL = {"id": "call-1", "type": "function", "function": {"name": "forecast", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "call-1", "content": "3 C, rain"}


@pytest.fixture
def door(store, being):
    """A frontend whose model has called a tool in the midst of its answer."""
    door = Door(store, being)
    door.asks(QUESTION, answer=LOOKS)
    door.asks(QUESTION, assistant(LOOKS, tool_calls=[CALL]), RESULT, answer=TELLS)
    return door


@pytest.mark.parametrize(
    "shown",
    [f"{LOOKS}\n\n{TELLS}", f"{LOOKS} {TELLS}", f'{LOOKS}\n"3 C, rain"\n{TELLS}'],
    ids=["lines", "space", "result"],
)
def test_answers_around_a_tool_that_are_shown_as_one_stand_once(door, shown):
    door.asks(QUESTION, shown, "Then she needs a coat.", answer="A warm one.")
    taken = door.asks(QUESTION, shown, "Then she needs a coat.", "A warm one.", "And boots.")

    assert door.stands() == [QUESTION, LOOKS, TELLS, "Then she needs a coat.", "A warm one.", "And boots."]
    assert (taken.taken_in, door.retracted(), door.conversations()) == (1, [], 1)


def test_an_answer_that_only_begins_like_one_before_a_tool_is_another(door):
    other = f"{LOOKS} No, I can't see it today."
    door.asks(QUESTION, other, "A pity.")

    assert other in door.stands()


def test_lines_of_the_user_that_a_frontend_merges_stand_once(store, being):
    door = Door(store, being)
    door.asks("Hello.", answer="Good evening, traveller.")
    said = ("Hello.", "Good evening, traveller.", "I look for my brother.")
    door.asks(*said)
    door.asks(*said, {"role": "user", "content": "He went north in May."}, answer="The north is dangerous.")
    merged = "I look for my brother.\n\nHe went north in May."
    door.asks(*said[:2], merged, "The north is dangerous.", "I know.")

    assert door.stands() == [*said, "He went north in May.", "The north is dangerous.", "I know."]
    assert door.retracted() == []


def test_code_that_a_model_has_run_is_no_speech(store, being):
    """As Open WebUI asks for it by the words of its prompt: the answer goes on behind what came of the code."""
    door, code = Door(store, being), 'code_interpreter type="code" lang="python">\nprint(3 * 7)\n</code_interpreter>'
    ran = f"{LOOKS}\n\n<code_interpreter>\nprint(3 * 7)\n</code_interpreter>\n"
    ran += "<code_interpreter_output>\n21\n\n</code_interpreter_output>"
    door.asks(QUESTION, answer=f"{LOOKS}\n<{code}")
    door.asks(QUESTION, ran, answer=TELLS)
    door.asks(QUESTION, f"{ran}\n{TELLS}", "Then she needs a coat.")

    (question, answer, thanks) = door.stands()
    assert (question, answer.split(), thanks) == (QUESTION, f"{LOOKS} {TELLS}".split(), "Then she needs a coat.")
