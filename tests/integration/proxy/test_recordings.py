"""A chat in each frontend's shape is stored as what was said in it, and what it asks for itself leaves no row."""

import pytest

from memory.proxy.reading.transcript import read_transcript
from memory.proxy.taking.answer_intake import take_answer
from memory.proxy.taking.exchange import take_transcript
from tests.frontends import Door, assistant, user, wire
from tests.processes.recordings import BACKGROUND, GREETING, librechat, open_webui, sillytavern

SHAPES = {
    "sillytavern": sillytavern,
    "open webui": open_webui,
    "librechat": librechat,
    "a plain sdk": lambda *said: list(said),
}
SAID = ["My cat is called Minka.", "A lovely name.", "She is nine.", "Quite an age."]


@pytest.fixture
def door(store, being):
    return Door(store, being)


def send(door, messages, answer=None):
    taken = take_transcript(door.store, door.settings, door.embedders, door.being, read_transcript(messages))
    if answer is not None:
        take_answer(door.store, door.settings, door.being, taken.place, answer)
    return taken


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_chat_and_its_background_requests(door, shape):
    send(door, shape(*wire(*SAID[:1])), SAID[1])
    for messages in BACKGROUND.values():
        assert send(door, messages).decision == "background"
    send(door, shape(*wire(*SAID[:3])), SAID[3])
    taken = send(door, shape(*wire(*SAID, "And fat.")))

    greeting = [GREETING] if shape is sillytavern else []
    assert door.stands() == [*greeting, *SAID, "And fat."]
    assert (taken.decision, taken.last.content, door.conversations()) == ("continued", "And fat.", 1)


def test_sillytavern_continues_an_answer_behind_its_nudge(door):
    nudge = {"role": "system", "content": "[Continue your last message without repeating its original content.]"}
    send(door, sillytavern(*wire(*SAID[:1])), "A lovely")
    send(door, sillytavern(*wire(SAID[0], "A lovely"), last=[nudge]), " name.")
    send(door, sillytavern(*wire(*SAID[:3])))

    assert door.stands() == [GREETING, *SAID[:3]]


def test_an_unknown_prompt_behind_an_answer_takes_no_answer_in(door):
    send(door, sillytavern(*wire(*SAID[:1])), SAID[1])
    prompt = {"role": "system", "content": "Describe the weather in the scene."}

    assert send(door, sillytavern(*wire(*SAID[:2]), last=[prompt])).place is None
    assert door.stands() == [GREETING, *SAID[:2]]


def test_an_answer_to_a_prompt_that_asks_as_a_program_does_waits_for_the_next_transcript(door):
    prompt = {"role": "system", "content": "Rate the emotion of the last message of this chat. Reply only in JSON."}

    assert send(door, sillytavern(*wire(*SAID[:1]), last=[prompt])).place is None
    send(door, sillytavern(*wire(*SAID[:3])))
    assert door.stands() == [GREETING, *SAID[:3]]


def test_open_webui_sends_pictures_and_reasoning(door):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    first = user([{"type": "text", "text": "What is this?"}, picture])
    thought = '<details type="reasoning" done="true" duration="1">\n<summary>Thought</summary>\n> Fur.\n</details>\n'
    send(door, open_webui(first), "<think>Fur.</think>A cat.")
    send(door, open_webui(first, assistant(f"{thought}A cat."), user("Mine.")))

    assert door.stands() == ["What is this?", "A cat.", "Mine."]


def test_in_a_group_without_a_room_the_other_members_answers_are_theirs(door):
    own = door.being.name
    begins = {"role": "system", "content": f"[Start a new group chat. Group members: {own}, Leo]"}

    def asked(name, *lines):
        return [begins, *lines, {"role": "system", "content": f"[Write the next reply only as {name}.]"}]

    first = [user("My cat is called Minka."), assistant(f"{own}: A lovely name.")]
    second = [*first, assistant("Leo: I had a dog once."), user("Was it big?")]
    send(door, asked(own, *first[:1]), "A lovely name.")
    assert send(door, asked("Leo", *first)).place is None
    assert send(door, asked("Leo", *second)).place is None
    send(door, asked(own, *second, assistant("Leo: Very big.")), "Like a horse.")

    spoken = [(role, speaker) for role, speaker, _ in door.said()]
    assert spoken == [
        ("user", None),
        ("assistant", None),
        ("other", "Leo"),
        ("user", None),
        ("other", "Leo"),
        ("assistant", None),
    ]
