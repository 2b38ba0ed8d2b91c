"""The subjects of scenes, apart from who took part and when."""

from typing import NamedTuple

import numpy as np
import pytest

from memory.nodes.scenes import embedding_text, text_hash
from memory.nodes.subject_vectors import subject_vectors
from providers.local.minilm import open_minilm


class Scene(NamedTuple):
    """A scene: who took part, when, and what happened."""

    when: list[str | dict[str, str]]
    actors: list[str]
    action: str


ACTIONS = ("{} baked a rye loaf for the neighbours.", "{} mended the roof of the shed with tar.", "{} sang in a choir.")


@pytest.fixture(scope="module")
def model():
    return open_minilm()


def embedding(model):
    return lambda texts: dict(zip(map(text_hash, texts), model.embed(texts), strict=True))


def about(model, scenes):
    vectors = model.embed([embedding_text({"when": one.when, "action": one.action}, None) for one in scenes])
    return np.stack(vectors), np.stack(subject_vectors(embedding(model), scenes, list(vectors)))


def test_what_people_have_in_common_is_not_their_name(model):
    scenes = [Scene(["2026-03-01"], [name], action.format(name)) for name in ("Odile", "Bartek") for action in ACTIONS]
    vectors, subjects = about(model, scenes)
    raw, cosine = vectors @ vectors.T, subjects @ subjects.T

    own_name = [(at, other) for side in (0, 3) for at in range(side, side + 3) for other in range(at + 1, side + 3)]
    same_deed = [(at, at + 3) for at in range(3)]
    assert min(cosine[pair] for pair in same_deed) > max(cosine[pair] for pair in own_name)
    assert all(cosine[pair] < raw[pair] - 0.2 for pair in own_name)
    assert np.allclose(np.linalg.norm(subjects, axis=1), 1, atol=1e-4)


def test_a_scene_of_nothing_but_a_name_keeps_its_vector_and_one_without_anything_too(model):
    vectors, subjects = about(model, [Scene([], ["Odile"], "Odile"), Scene([], [], "A rye loaf.")])

    assert np.isfinite(subjects).all()
    assert np.allclose(subjects[0], vectors[0], atol=1e-3)


def test_a_history_counts_with_its_dates_alone(model):
    plain, told = (
        Scene([item], ["Odile"], "Odile sang in a choir.")
        for item in ("2026-03-01", {"date": "2026-03-01", "action": "Odile sang."})
    )
    vector = model.embed([plain.action])

    assert np.allclose(*(subject_vectors(embedding(model), [one], list(vector))[0] for one in (plain, told)), atol=1e-6)
