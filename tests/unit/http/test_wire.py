"""Requests that producers may send, and how they are told what is wrong with them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from memory.intake.messages import read_messages
from schemas.intake.inputs import MessageInput, NoteInput, SceneInput
from schemas.talk.retraction import MessageSelection
from schemas.text.validation_messages import validation_messages
from schemas.vault.vault_requests import NewRecord

NOTE = TypeAdapter(NoteInput)
SCENE = {"action": "The oven failed.", "actors": ["Mira"], "when": ["2026-03-02"]}
EMOTION = dict.fromkeys(("valence", "arousal", "dominance", "safety", "novelty", "trust"), 0.0)


def scene(**changes):
    return SceneInput.model_validate(SCENE | changes)


def refusals(note):
    """The answer to the sender of a note."""
    with pytest.raises(ValidationError) as refused:
        NOTE.validate_python(note)
    return validation_messages(refused.value)


def refusals_of_scene(**changes):
    return refusals({"type": "scene", "content": SCENE | changes})


def test_a_scene_needs_an_action_actors_and_a_when():
    assert refusals({"type": "scene", "content": {}}) == [
        "content.action: Field required",
        "content.actors: Field required",
        "content.when: Field required",
    ]


def test_a_scene_of_middling_importance_is_the_usual_one():
    assert scene().importance == 0.5


@pytest.mark.parametrize(("said", "meant"), [(-3, 0), (0, 0), (0.7, 0.7), (1, 1), (1.0001, 1), (1e308, 1)])
def test_importance_is_moved_into_its_range(said, meant):
    assert scene(importance=said).importance == meant


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_number_becomes_an_importance(said):
    assert 0 <= scene(importance=said).importance <= 1


@pytest.mark.parametrize("importance", [math.nan, math.inf, -math.inf])
def test_importance_is_a_finite_number(importance):
    assert refusals_of_scene(importance=importance) == ["content.importance: Input should be a finite number"]


@pytest.mark.parametrize("importance", ["0.5", True])
def test_importance_is_a_number_and_nothing_like_one(importance):
    (refusal,) = refusals_of_scene(importance=importance)

    assert refusal.startswith("content.importance: ")


def test_null_and_blank_count_as_absent():
    written_by_a_model = scene(
        importance=None,
        setting="",
        feeling=" ",
        dialogue=None,
        sensory=[""],
        themes=None,
        emotion=None,
        actors=["Mira", ""],
        when=["", "2026-03-02"],
    )

    assert written_by_a_model == scene()


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"actors": "Mira"}, "content.actors"),
        ({"actors": ["Mira", 7]}, "content.actors[1]"),
        ({"action": 7}, "content.action"),
        ({"action": ""}, "content.action"),
        ({"action": " \n"}, "content.action"),
        ({"when": "2026-03-02"}, "content.when"),
        ({"when": ["2026-03-02", {"date": "2026-03-03"}]}, "content.when[1].action"),
        ({"when": [{"date": "2026-03-03", "action": "Rain.", "mood": "grey"}]}, "content.when[0].mood"),
        ({"actors": None}, "content.actors"),
        ({"themes": ["", 7]}, "content.themes[1]"),
        ({"emotion": EMOTION | {"trust": 1.1}}, "content.emotion.trust"),
        ({"emotion": EMOTION | {"trust": math.nan}}, "content.emotion.trust"),
        ({"emotion": {"trust": 1}}, "content.emotion.valence"),
        ({"smell": "burnt"}, "content.smell"),
    ],
)
def test_a_refusal_names_the_place(changes, place):
    assert place in {refusal.partition(":")[0] for refusal in refusals_of_scene(**changes)}


def test_a_refusal_never_repeats_what_was_sent():
    told = refusals_of_scene(action=["a secret"], importance="a secret", when=[{"a secret": "a secret"}])

    assert not any("a secret" in refusal.partition(":")[2] for refusal in told)


def test_a_timeline_mixes_dates_and_dated_lines():
    timeline = ["2026-03-02", {"date": "Day7", "action": "Hashiに正式決定"}]

    assert scene(when=timeline).scene()["when"] == timeline


def test_a_node_keeps_the_scene_without_what_is_absent_or_has_a_place_of_its_own():
    whole = scene(setting="Bakery", feeling="Tired.", themes=["work"], emotion=EMOTION, importance=1)

    assert whole.scene() == SCENE | {"setting": "Bakery"}


def test_a_scene_may_be_a_string_that_is_parsed_later():
    note = NOTE.validate_python({"type": "scene", "content": '{"action": half a'})

    assert note.content == '{"action": half a'


@pytest.mark.parametrize("content", [None, 7, ["a", "list"]])
def test_a_scene_is_an_object_or_a_string(content):
    (refusal,) = refusals({"type": "scene", "content": content})

    assert refusal.startswith("content: ")


@pytest.mark.parametrize(
    "note",
    [
        {"type": "scene", "content": SCENE},
        {"type": "scene", "content": "She smiled."},
        {"type": "todo", "content": "Buy bread."},
        {"type": "reminder", "content": "Call Jon.", "due_at": "2026-03-02T09:00:00+01:00"},
        {"type": "knowledge", "content": "It closes at six.", "title": "The bakery"},
    ],
)
def test_each_type_of_note_is_taken(note):
    taken = NOTE.validate_python(note | {"id": "mine", "metadata": {"free": [1, None]}})

    assert (taken.type, taken.id, taken.metadata) == (note["type"], "mine", {"free": [1, None]})


@pytest.mark.parametrize(
    ("note", "place"),
    [
        ({"type": "todo", "content": SCENE}, "content"),
        ({"type": "reminder", "content": "Call Jon."}, "due_at"),
        ({"type": "reminder", "content": "Call Jon.", "due_at": "2026-03-02T09:00:00"}, "due_at"),
        ({"type": "reminder", "content": "Call Jon.", "due_at": "tomorrow"}, "due_at"),
        ({"type": "knowledge", "content": "It closes at six."}, "title"),
        ({"type": "todo", "content": "Buy bread.", "title": "Bread"}, "title"),
        ({"type": "todo", "content": "Buy bread.", "id": ""}, "id"),
        ({"type": "todo", "content": "Buy bread.", "id": "x" * 201}, "id"),
        ({"type": "todo", "content": "Buy bread.", "metadata": {"large": "ü" * 2100}}, "metadata"),
        ({"type": "todo", "content": "Buy bread.", "metadata": ["a"]}, "metadata"),
    ],
)
def test_each_type_of_note_has_its_own_fields(note, place):
    assert [refusal.partition(":")[0] for refusal in refusals(note)] == [place]


@pytest.mark.parametrize("note", [{}, {"content": "?"}, {"type": "dream", "content": "?"}, "scene", None])
def test_a_note_says_which_of_the_four_it_is(note):
    assert len(refusals(note)) == 1


def test_an_id_of_200_characters_and_metadata_of_4_kb_are_taken():
    largest = {"id": "x" * 200, "metadata": {"m": "x" * (4096 - len('{"m": ""}'))}}

    assert NOTE.validate_python({"type": "todo", "content": "Buy bread."} | largest).id == "x" * 200


@pytest.mark.parametrize("role", ["user", "assistant", "other"])
def test_a_message_has_a_speaker(role):
    assert MessageInput.model_validate({"role": role, "content": "Hello."}).role == role


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "Hello."}, {"type": "image_url", "image_url": {"url": "data:"}}],
        {"type": "input_text", "text": "Hello."},
        ["Hello."],
        [{"type": "thinking", "thinking": "A greeting."}, {"type": "output_text", "text": "<think>Hm.</think>Hello."}],
    ],
)
def test_a_number_as_an_id_null_and_parts_are_read_as_what_they_mean(content):
    absent = dict.fromkeys(("metadata", "speaker", "created_at", "off_the_record", "aged"))
    sent = {"role": "assistant", "content": content, "id": 7, "conversation": 8, **absent}
    (item,) = read_messages([sent], lambda _: None).items
    assert item.value == MessageInput(id="7", role="assistant", content="Hello.", conversation="8")
    assert MessageSelection(ids=[7], conversation=8) == MessageSelection(ids=["7"], conversation="8")


@pytest.mark.parametrize(
    "sent", [{"id": True}, {"content": [{"type": "image_url"}]}, {"content": None}, {"role": None}]
)
def test_what_says_nothing_is_refused(sent):
    batch = read_messages([{"role": "user", "content": "Hello.", **sent}], lambda _: None)
    assert not batch.items


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"role": "system"}, "role"),
        ({"content": ""}, "content"),
        ({"content": ["Hello."]}, "content"),
        ({"created_at": "2026-03-02T09:00:00"}, "created_at"),
        ({"mood": "glad"}, "mood"),
    ],
)
def test_a_message_is_refused_by_its_place(changes, place):
    with pytest.raises(ValidationError) as refused:
        MessageInput.model_validate({"role": "user", "content": "Hello."} | changes)

    assert [refusal.partition(":")[0] for refusal in validation_messages(refused.value)] == [place]


@pytest.mark.parametrize(("id_", "fault"), [("", "at least 1 character"), (10**200, "at most 200 characters")])
def test_an_id_that_does_not_fit_is_refused_by_its_characters(id_, fault):
    (trouble,) = read_messages([{"role": "user", "content": "Hello.", "id": id_}], lambda _: None).rejected
    assert trouble.reason == f"id: String should have {fault}"
    with pytest.raises(ValidationError, match=fault):
        MessageSelection(conversation=str(id_))


def test_a_field_is_named_even_where_its_name_is_a_tag_elsewhere():
    with pytest.raises(ValidationError) as refused:
        NewRecord.model_validate({"scope": "shared"})
    assert validation_messages(refused.value) == ["text: Field required"]
