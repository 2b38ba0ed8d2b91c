"""A field of a scene declares what is made of it, and no new field changes what is stored."""

import pytest
from pydantic import BaseModel

from memory.intake.notes import read_notes
from memory.nodes.prompt_rendering import shown
from memory.nodes.scenes import embedding_text, scene_to_text
from memory.patrol.merge_rules import survivor_of
from schemas.intake.inputs import SCENE_FIELDS, SceneInput
from schemas.intake.scene_fields import SceneField, declared
from schemas.nodes.nodes import NodeChanges
from schemas.patrol.model_answers import Merge
from tests.documents.shown import made_up

LEAST = {"action": "Pip mended.", "actors": ["Ivor"], "when": ["2026-03-02"]}
EMOTION = dict.fromkeys(("valence", "arousal", "dominance", "safety", "novelty", "trust"), 0.5)
WHOLE = LEAST | {
    "setting": "the yard",
    "dialogue": ["Never again."],
    "sensory": ["wet wood"],
    "feeling": "Relief.",
    "importance": 0.7,
    "themes": ["Roof"],
    "emotion": EMOTION,
}
# Of notes that are stored: a scene that is handed in again under its id must be recognised.
HASHES = [
    (LEAST, "6b1a5f5a015eb354d03b9ac1ad20804b289b17b3148530d86470832fd2b86267"),
    (WHOLE, "29abfa5913844dea9ad6a5d0273e8f08ecf6e99c04a52d0aef276f594716a776"),
    (WHOLE | {"realm": "role-play"}, "d4df83096d5e03055cc2fe432c630b4350106ce938c43bc4239ac8acab233ba2"),
]
# Every field with a value of its own.
EVERY = WHOLE | {"realm": "role-play"}


def test_every_field_is_tried_here():
    assert EVERY.keys() == SCENE_FIELDS.keys()


def test_a_field_without_a_declaration_is_refused():
    class Placed(SceneInput):
        location: str | None = None

    with pytest.raises(TypeError, match="location"):
        declared(Placed)


def test_a_declaration_names_how_the_field_is_merged():
    with pytest.raises(TypeError, match="merge"):
        SceneField(since=3)


@pytest.mark.parametrize(("content", "expected"), HASHES)
def test_stored_notes_keep_their_hashes(content, expected):
    (item,) = read_notes([{"id": "n", "type": "scene", "content": content}], lambda _: None).items
    assert item.content_hash.hex() == expected


@pytest.mark.parametrize("name", SCENE_FIELDS)
def test_a_survivor_has_each_field_that_its_memories_have(name):
    known = {"m1": made_up(1, **EVERY), "m2": made_up(2, **EVERY | {"when": []})}
    chosen = {field: EVERY[field] for field, one in SCENE_FIELDS.items() if one.merge == "chosen"}
    said = Merge(survivor="m1", absorbed=["m2"], action=EVERY["action"], feeling=None, **chosen)
    assert getattr(survivor_of(known, said), name) == getattr(SceneInput.model_validate(EVERY), name)


@pytest.mark.parametrize("name", [name for name in SCENE_FIELDS if name not in {"importance", "emotion", "realm"}])
def test_a_field_is_embedded_and_shown_as_it_declares(name):
    node = made_up(1, **EVERY)
    field, value = SCENE_FIELDS[name], EVERY[name]
    words = value[0] if isinstance(value, list) else value
    assert (words in embedding_text(node.scene, node.feeling)) == (field.embedded is not None)
    assert (words in scene_to_text(node.scene, node.feeling)) == (field.line is not None)
    assert (words in shown({"m1": node}, states=False)) == (field.most_in_prompts != 0)


def test_every_field_can_be_corrected():
    assert set(NodeChanges.model_fields) == {*SCENE_FIELDS, "pinned"}


def test_declarations_belong_to_models():
    class Empty(BaseModel):
        """Nothing."""

    assert declared(Empty) == {}
