"""Corrections: their effects on each other, and what they need."""

from uuid import uuid4

import pytest

from memory.intake.notes import accept_notes
from memory.nodes import curation
from providers.embedders import Embedders
from providers.errors import Misconfigured
from schemas.errors import Refused
from schemas.settings import Settings
from store.accounts import beings
from store.nodes import nodes
from tests.fakes.provider import running_provider
from tests.models.walking import walk_patrol
from tests.scenes import absorb, make_user


class Interrupted(Embedders):
    """Embedders that let something happen whenever one of them is asked for: between a read and a write."""

    def __init__(self, settings, meanwhile) -> None:
        super().__init__(settings)
        self._meanwhile = meanwhile

    def serving(self, model):
        """Let it happen, then serve."""
        self._meanwhile()
        return super().serving(model)


@pytest.fixture
def settings():
    with running_provider() as provider:
        yield Settings(embedder="openai", openai_api_key="key", openai_base_url=provider.openai_url)


@pytest.fixture
def being_id(store, settings):
    """A Being that remembers two scenes."""
    with store.transaction() as tx:
        being_id = beings.add_being(tx, make_user(tx).user_id, "mizzen", "Mizzen").being_id
    scenes = [
        {"type": "scene", "content": {"action": action, "actors": ["Mira"], "when": ["2026-03-02"]}}
        for action in ("Mira baked saffron buns.", "Mira sold saffron buns.")
    ]
    accept_notes(store, settings, being_id, scenes)
    walk_patrol(store, Embedders(settings), settings, being_id)
    return being_id


@pytest.fixture
def memories(store, being_id):
    """A way to read them, the first that happened first."""

    def read():
        with store.transaction() as tx:
            return sorted(nodes.page(tx, being_id, limit=10), key=lambda node: node.note_id)

    return read


@pytest.fixture
def correct(store, settings, being_id, memories):
    """A way to correct the first of them."""

    def changed(embedders=None, **changes):
        (node, _) = memories()
        return curation.correct(store, embedders or Embedders(settings), being_id, node.node_id, changes)

    return changed


def test_numbers_with_all_their_digits_can_be_corrected_again(correct, memories):
    emotion = dict.fromkeys(("valence", "arousal", "dominance", "safety", "novelty", "trust"), 0.12345678901234567)
    for importance in (0.5556347377140519, 0.25):
        correct(importance=importance, emotion=emotion)
        assert memories()[0].importance == importance


def once(action):
    """An action that happens the first time only."""
    left = [action]
    return lambda: left.pop()() if left else None


def test_corrections_of_different_fields_at_once_are_both_kept(settings, correct):
    embedders = Interrupted(settings, once(lambda: correct(themes=["baking"], importance=0.9)))
    node = correct(embedders, action="Mira baked cinnamon buns.")
    assert (node.scene["action"], node.themes, node.importance) == ("Mira baked cinnamon buns.", ["baking"], 0.9)


def test_a_correction_does_not_undo_what_consolidation_gave(store, settings, being_id, memories, correct):
    survivor, other = memories()

    def consolidate():
        with store.transaction() as tx:
            absorb(tx, being_id, survivor.node_id, [other.node_id])

    node = correct(Interrupted(settings, once(consolidate)), action="Mira baked cinnamon buns.")
    assert node.importance == pytest.approx(survivor.importance + 0.05)


def test_a_correction_that_others_always_overtake_is_refused(settings, memories, correct):
    before = memories()[0]
    feelings = iter(["Warm.", "Warmer.", "Hot.", "Cooler.", "Cold."])

    with pytest.raises(Refused, match="try again"):
        correct(Interrupted(settings, lambda: correct(feeling=next(feelings))), action="Mira baked cinnamon buns.")
    assert memories()[0].scene == before.scene


def test_a_corrected_memory_leaves_no_vector_behind(store, correct):
    correct(action="Mira baked cinnamon buns.")
    with store.transaction() as tx:
        unused = tx.execute(
            "select from memory.embeddings join memory.memory_nodes using (being_id, text_hash)"
        ).fetchall()
    assert unused == []


def test_without_the_key_only_new_words_can_not_be_given(correct):
    keyless = Embedders(Settings(embedder="auto"))
    assert correct(keyless, importance=0.9, themes=["baking"]).importance == 0.9
    with pytest.raises(Misconfigured):
        correct(keyless, action="Mira baked cinnamon buns.")


def test_a_node_that_is_not_there_can_not_be_corrected(store, settings, being_id):
    with pytest.raises(Exception, match="no memory node"):
        curation.correct(store, Embedders(settings), being_id, uuid4(), {"importance": 0.9})
