"""One Being with a real embedder, and the few verbs that a story needs."""

import random
from contextlib import closing

import pytest

from memory.intake.notes import accept_notes
from memory.nodes import curation, recall
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.settings import Settings
from store.accounts import beings
from store.nodes import nodes
from tests.conversations import Talk, judging_at_once
from tests.fakes.provider import running_provider
from tests.models.walking import walk_patrol
from tests.scenes import make_being, make_user

SETTINGS = Settings(embedder="minilm")


@pytest.fixture(scope="session")
def embedders():
    """The keyless embedder, loaded once."""
    return Embedders(SETTINGS)


class Life:
    """A Being as its user knows it."""

    def __init__(self, store, embedders, being_id, sent) -> None:
        self.store, self.embedders, self.being_id, self.sent = store, embedders, being_id, sent

    def happens(self, action, **scene):
        """Something happens: a scene note is handed in."""
        note = {"type": "scene", "content": {"action": action, "actors": ["Mira"], "when": ["2026-03-02"], **scene}}
        return accept_notes(self.store, SETTINGS, self.being_id, [note])

    def patrol(self, times=1):
        """So many patrols pass."""
        return [walk_patrol(self.store, self.embedders, SETTINGS, self.being_id) for _ in range(times)][-1]

    def recall(self, query, **asked):
        """Something is asked for."""
        question = recall.RecallQuery(query, **{"limit": 3, "threshold": 0.35, **asked})
        with self.store.transaction() as tx:
            being = beings.get_being(tx, self.being_id)
        return recall.recall(self.store, self.embedders, being, question, random.Random(1))

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
        """The events of a memory."""
        return curation.story(self.store, self.being_id, node.node_id)


@pytest.fixture
def new_life(store, embedders, sent):
    """Make a Being that remembers nothing yet, and a user for it."""

    def make() -> Life:
        with store.transaction() as tx:
            being = beings.add_being(tx, make_user(tx).user_id, "mizzen", "Mizzen")
        return Life(store, embedders, being.being_id, sent)

    return make


@pytest.fixture
def life(new_life) -> Life:
    """A Being that remembers nothing yet."""
    return new_life()


@pytest.fixture
def new_talk(store, embedders):
    """Let a user talk to a Being; what the model answers is scripted."""
    with running_provider() as provider:
        settings = judging_at_once(provider)
        with closing(Thinkers(settings)) as thinkers:
            yield lambda being: Talk(store, provider, being, settings, thinkers, embedders)


@pytest.fixture
def talk(new_talk, being) -> Talk:
    """The user talks to the Being."""
    return new_talk(being)


@pytest.fixture
def other(new_talk, store, user) -> Talk:
    """The same user talks to another Being."""
    with store.transaction() as tx:
        return new_talk(make_being(tx, user))
