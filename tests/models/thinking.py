"""A Being whose patrols use the fake provider, which a test scripts."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memory.intake.notes import accept_notes
from memory.nodes.node_erasure import erase_node
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from samples.canned.wire import Request
from schemas.accounts.accounts import User
from schemas.accounts.portability import NodeErased
from schemas.nodes.nodes import Node
from schemas.patrol.runs import Run
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store
from store.nodes import nodes
from store.patrol import runs
from tests.fakes.provider import FakeProvider, running_provider
from tests.models.walking import walk_patrol, walk_run

KEY = "sk-ant-of-the-platform"
REFERENCE = re.compile(r'ref="(m\d+)"')
LEFT_ALONE: "dict[str, Completion]" = {
    "Consolidation": {"merges": [], "make_dead": []},
    "Split": {"topics": []},
    "Classification": lambda material: {"business": [], "private": REFERENCE.findall(material)},
    "DiaryPages": {"diary": ["One.", "Two.", "Three."], "next_time": ["Ask.", "Listen.", "Stay."]},
}

Completion = dict[str, Any] | Callable[[str], dict[str, Any]]
"""A scripted answer, or a function from the prompt's material to the answer."""


@dataclass
class Answers:
    """The scripted answers by the title of the answer's schema; the default changes nothing."""

    said: dict[str, Completion] = field(default_factory=dict)
    asked: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> str | None:
        """Answer a request."""
        self.asked.append(request)
        said = self.said.get(request.purpose, LEFT_ALONE.get(request.purpose))
        if said is None:
            return None
        return json.dumps(said(request.material) if callable(said) else said)


def thinking_settings(provider: FakeProvider, **changes: Any) -> Settings:
    """Settings under which a fake provider embeds and thinks."""
    return Settings(
        embedder="openai",
        openai_api_key="any",
        openai_base_url=provider.openai_url,
        openai_embedding_dimensions=64,
        thinker="anthropic",
        anthropic_api_key=KEY,
        anthropic_base_url=provider.url,
        **changes,
    )


@dataclass
class Life:
    """A Being whose patrols use a language model."""

    store: Store
    provider: FakeProvider
    answers: Answers
    being_id: UUID
    settings: Settings

    def tell(self, *scenes: dict[str, Any] | str) -> None:
        """Add scenes: actions, scenes, or strings as models write them."""
        contents = [{"action": scene} if isinstance(scene, str) else scene for scene in scenes]
        usual = {"actors": ["Pip"], "when": ["2026-03-02"]}
        self.hand_in(*({**usual, **content} for content in contents))

    def hand_in(self, *contents: dict[str, Any] | str) -> None:
        """Add scene notes as they are."""
        notes = [{"type": "scene", "content": content} for content in contents]
        assert not accept_notes(self.store, self.settings, self.being_id, notes).rejected

    def patrol(self, **changes: Any) -> Run:
        """Run one patrol; keywords are settings."""
        settings = self.settings.model_copy(update=changes)
        return walk_patrol(self.store, Embedders(settings), settings, self.being_id, Thinkers(settings))

    def resume(self) -> Run:
        """Continue the newest run, as after a sweep."""
        with self.store.transaction() as tx:
            (run,) = runs.newest(tx, self.being_id, 1)
            tx.execute("update memory.work set lease_until = clock_timestamp() where state = 'running'")
        settings = self.settings
        return walk_run(
            self.store, Embedders(settings), settings, self.being_id, run.run_id, thinkers=Thinkers(settings)
        )

    def nodes(self) -> list[Node]:
        """Return all nodes, oldest first."""
        with self.store.transaction() as tx:
            return nodes.page(tx, self.being_id, limit=1000)[::-1]

    def node(self, action: str) -> Node:
        """Return the node whose action begins with the text."""
        (found,) = [node for node in self.nodes() if node.scene["action"].startswith(action)]
        return found

    def erase(self, action: str) -> NodeErased:
        """Erase the node whose action begins with the text."""
        with self.store.transaction() as tx:
            being = beings.get_being(tx, self.being_id)
        return erase_node(self.store, self.settings, Embedders(self.settings), being, self.node(action).node_id)

    def asked(self, purpose: str) -> Sequence[Request]:
        """Return the requests to models for one purpose."""
        return [request for request in self.answers.asked if request.purpose == purpose]


@contextmanager
def thinking_life(store: Store, user: User, **changes: Any) -> Iterator[Life]:
    """A new Being of a user's whose patrols use a provider of their own; keywords are settings."""
    answers = Answers()
    with running_provider(answer=answers) as provider:
        with store.transaction() as tx:
            being = beings.add_being(tx, user.user_id, "mizzen", "Mizzen")
        yield Life(store, provider, answers, being.being_id, thinking_settings(provider, **changes))
