"""Scene notes that a model wrote as text are parsed in spite of what models write around JSON."""

import json

import pytest

from memory.nodes.scenes import Unparsable, parse_scene

SCENE = {"action": "The oven {the old one} failed.", "actors": ["Mira"], "when": ["2026-03-02"]}
WRITTEN = json.dumps(SCENE, indent=2)


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"```json\n{WRITTEN}\n```",
        f"```\n{WRITTEN}\n```",
        f"Here is the scene:\n{WRITTEN}",
        f"{WRITTEN}\nI hope this helps.",
        f"The scene {{as asked}}:\n\n```json\n{WRITTEN}\n```\nLet me know {{anything}} else.",
        f"<think>Is it {{}}?</think>\n{WRITTEN}",
    ],
)
def test_one_scene_with_text_around_it_is_parsed(text):
    assert parse_scene(text) == parse_scene(SCENE)


@pytest.mark.parametrize("text", [f"{WRITTEN}\n{WRITTEN}", WRITTEN[:-2], "Mira smiled.", "```json\n```"])
def test_a_text_without_exactly_one_object_is_unparsable(text):
    with pytest.raises(Unparsable, match=r"^not JSON"):
        parse_scene(text)
