"""A Being that thinks, for tests: its models are the fake provider's, and a test says what they answer."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memory.intake import accept_notes
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.rows import Node, Run
from schemas.settings import Settings
from store import nodes, runs
from store.database import Store
from tests.fakes.provider import FakeProvider
from tests.fakes.wire import Request
from tests.walking import walk_patrol, walk_run

KEY = "sk-ant-of-the-platform"
REFERENCE = re.compile(r'ref="(m\d+)"')
LEFT_ALONE: "dict[str, Said]" = {
    "Consolidation": {"merges": [], "make_dead": []},
    "Split": {"topics": []},
    "Classification": lambda material: {"business": [], "private": REFERENCE.findall(material)},
    "DiaryPages": {"diary": ["One.", "Two.", "Three."], "next_time": ["Ask.", "Listen.", "Stay."]},
}

Said = dict[str, Any] | Callable[[str], dict[str, Any]]
"""What a model answers, or how it finds that out from the material."""


@dataclass
class Answers:
    """What models answer, by the title of the answer's schema; where a test says nothing, all is left alone."""

    said: dict[str, Said] = field(default_factory=dict)
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
    """A Being whose patrols think."""

    store: Store
    provider: FakeProvider
    answers: Answers
    being_id: UUID
    settings: Settings

    def tell(self, *scenes: dict[str, Any] | str) -> None:
        """Hand scenes in: what happened, or more of it, or the words of a model."""
        contents = [{"action": scene} if isinstance(scene, str) else scene for scene in scenes]
        usual = {"actors": ["Pip"], "when": ["2026-03-02"]}
        self.hand_in(*({**usual, **content} for content in contents))

    def hand_in(self, *contents: dict[str, Any] | str) -> None:
        """Hand scenes in as they are."""
        notes = [{"type": "scene", "content": content} for content in contents]
        assert not accept_notes(self.store, self.settings, self.being_id, notes).receipt.rejected

    def patrol(self, **changes: Any) -> Run:
        """Walk one patrol, with other settings where some are named."""
        settings = self.settings.model_copy(update=changes)
        return walk_patrol(self.store, Embedders(settings), settings, self.being_id, Thinkers(settings))

    def resume(self) -> Run:
        """Go on with the newest run, as the sweep has it done."""
        with self.store.transaction() as tx:
            (run,) = runs.newest(tx, self.being_id, 1)
            tx.execute("update memory.work set lease_until = clock_timestamp() where state = 'running'")
        settings = self.settings
        return walk_run(
            self.store, Embedders(settings), settings, self.being_id, run.run_id, thinkers=Thinkers(settings)
        )

    def nodes(self) -> list[Node]:
        """Everything that is remembered, oldest first."""
        with self.store.transaction() as tx:
            return nodes.page(tx, self.being_id, limit=1000)[::-1]

    def node(self, action: str) -> Node:
        """The node whose action begins so."""
        (found,) = [node for node in self.nodes() if node.scene["action"].startswith(action)]
        return found

    def asked(self, purpose: str) -> Sequence[Request]:
        """What the models were asked for one purpose."""
        return [request for request in self.answers.asked if request.purpose == purpose]
