"""Roots without a model: measured on the sample month, whose scenes a person has labelled."""

import json

import pytest

from memory.nodes.scenes import Unparsable, embedding_text, parse_scene, text_hash
from memory.nodes.subject_vectors import subject_vectors
from memory.patrol.root_examples import TEXTS, nearest_roots
from providers.local.minilm import open_minilm
from tests.unit.checkout.test_samples import SAMPLES

# Scenes about the workshop as a business: umbrellas on order, silk, rent and lease, the roof and its repair.
BUSINESS = """001 009 010 011 012 025 028 033 035 038 047 048 052 054 056 067 068 069 070 074 077 080 085 093 094 096
100 102 106 114 115 116 117 122 128 129 136 143 144 150 153 161 162 168 173 174 175 179 181 182 186 205 206"""
# Both, or neither, in equal parts.
UNDECIDED = "051 072 103 121 123 126 127 130 132 137 146 172 191 193"


@pytest.fixture(scope="module")
def labelled():
    """Read the sample month's labelled scenes, by their numbers."""
    scenes = {}
    for line in (SAMPLES / "month.jsonl").read_text(encoding="utf-8").splitlines():
        note = json.loads(line)
        number = note["id"].removeprefix("month:")
        if note["type"] == "scene" and number not in UNDECIDED.split():
            try:
                scenes[number] = parse_scene(note["content"])
            except Unparsable:
                continue
    return scenes


def test_most_scenes_of_the_sample_month_get_the_root_that_a_person_gives_them(labelled):
    model = open_minilm()
    vectors = list(model.embed([embedding_text(one.scene(), one.feeling) for one in labelled.values()]))

    def embed(texts):
        return dict(zip(map(text_hash, texts), model.embed(texts), strict=True))

    subjects = subject_vectors(embed, list(labelled.values()), vectors)
    roots = nearest_roots(dict(zip(labelled, subjects, strict=True)), model.embed(TEXTS), {})

    business = set(BUSINESS.split())
    right = {number for number, root in roots.items() if (root == "Business") == (number in business)}
    assert len(right) / len(roots) > 0.83
    for side in (business, labelled.keys() - business):
        assert len(right & side) / len(side) > 0.65, "neither root is chosen for most scenes"


def test_no_nodes_have_no_roots():
    assert nearest_roots({}, open_minilm().embed(TEXTS), {}) == {}


def test_the_more_of_a_beings_memories_are_private_the_clearer_must_business_be():
    texts = ["She planned the trip with her team.", "The customer paid the invoice for the order."]
    model = open_minilm()
    vectors, examples = dict(enumerate(model.embed(texts))), model.embed(TEXTS)

    roots = [
        list(nearest_roots(vectors, examples, known).values())
        for known in ({"Business": 400, "Private": 10}, {}, {"Business": 10, "Private": 400})
    ]
    assert [of[1] for of in roots] == ["Business"] * 3, "clear votes stand whatever came before"
    assert [of[0] for of in roots][::2] == ["Business", "Private"]
