"""One Being with a real embedder, and the few verbs that a story needs."""

import random

import pytest

from memory import curation, intake, recall
from providers.embedders import Embedders
from schemas.settings import Settings
from store import nodes, users
from tests.scenes import make_user
from tests.walking import walk_patrol

SETTINGS = Settings(embedder="minilm")


@pytest.fixture(scope="session")
def embedders():
    """The keyless embedder, loaded once."""
    return Embedders(SETTINGS)


class Life:
    """A Being as its user knows it."""

    def __init__(self, store, embedders, being_id) -> None:
        self.store, self.embedders, self.being_id = store, embedders, being_id

    def happens(self, action, **scene):
        """Something happens: a scene note is handed in."""
        note = {"type": "scene", "content": {"action": action, "actors": ["Mira"], "when": ["2026-03-02"], **scene}}
        return intake.accept_notes(self.store, SETTINGS, self.being_id, [note]).receipt

    def patrol(self, times=1):
        """So many patrols pass."""
        return [walk_patrol(self.store, self.embedders, SETTINGS, self.being_id) for _ in range(times)][-1]

    def recall(self, query, **asked):
        """Something is asked for."""
        question = recall.Asked(query, **{"limit": 3, "threshold": 0.35, **asked})
        return recall.recall(self.store, self.embedders, self.being_id, question, random.Random(1))

    def search(self, words, *, all_terms=False):
        """A word is looked for."""
        return recall.search(self.store, self.being_id, words, all_terms=all_terms, limit=20).nodes

    def memories(self):
        """All there is, oldest first."""
        with self.store.transaction() as tx:
            return nodes.page(tx, self.being_id, limit=1000)[::-1]

    def memory(self):
        """The only memory there is."""
        (node,) = self.memories()
        return node

    def story(self, node):
        """What happened to a memory."""
        return curation.story(self.store, self.being_id, node.node_id)


@pytest.fixture
def life(store, embedders) -> Life:
    """A Being that remembers nothing yet."""
    with store.transaction() as tx:
        being = users.add_being(tx, make_user(tx).user_id, "mizzen", "Mizzen")
    return Life(store, embedders, being.being_id)
