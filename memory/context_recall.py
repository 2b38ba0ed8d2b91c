"""What comes to mind at what is said: memories, facts, and what is always known, for the region `rag-context`."""

import random
from dataclasses import dataclass
from typing import Any

from memory import fact_retrieval
from memory.context_blocks import Part
from memory.fact_retrieval import retrieve
from memory.fragments import pieces
from memory.recall import Asked, BadQuestion, recall
from providers.embedders import Embedders
from schemas.answers import Recalled
from schemas.fact_answers import Retrieved
from schemas.limits import CONTEXT_FACTS, QUERY_CHARACTERS, RECALL_NODES, RECALL_SIMILARITY
from schemas.rows import Being
from schemas.settings import Settings
from store.database import Store


@dataclass(frozen=True)
class Minded:
    """What came to mind; nothing did where nothing was said, or nothing that can be understood."""

    recalled: Recalled | None = None
    retrieved: Retrieved | None = None

    @property
    def degraded(self) -> bool:
        """Whether words had to do for memories or facts, because nobody could embed what was said."""
        return any(found.degraded for found in (self.recalled, self.retrieved) if found)

    def parts(self) -> list[Part]:
        """Memories as a blurred stream, then cards of whom and what was named, then facts, each in its fence."""
        parts: list[Part] = []
        if self.recalled and self.recalled.nodes:
            parts.append(Part(self.recalled.fragments, "\n".join(pieces(self.recalled.nodes))))
        if self.retrieved:
            parts += [Part.of("card", card.text) for card in self.retrieved.cards]
            found = [*self.retrieved.foundation, *self.retrieved.facts]
            parts += [Part.of("fact", content) for content in dict.fromkeys(fact.content for fact in found)]
        return parts

    def explanation(self) -> dict[str, Any]:
        """Why each memory and fact came to mind."""
        nodes = zip(self.recalled.nodes, self.recalled.similarities, strict=True) if self.recalled else ()
        facts = (self.retrieved.explanation or []) if self.retrieved else []
        return {
            "memories": [{"node_id": str(node.node_id), "similarity": similarity} for node, similarity in nodes],
            "facts": [fact.model_dump(mode="json") for fact in facts],
        }


def come_to_mind(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    being: Being,
    said: str | None,
    chance: random.Random,
    *,
    activate: bool,
) -> Minded:
    """Recall memories and retrieve facts by what is said.

    Args:
        store: The ledger.
        embedders: Who embeds what is said.
        settings: How facts are ranked.
        being: Who is spoken to.
        said: What is said; its first 8,000 characters are looked at.
        chance: Shuffles the memories' fragments.
        activate: Whether coming to mind keeps memories alive.
    """
    query = (said or "")[:QUERY_CHARACTERS]
    if not query.strip():
        return Minded()
    try:
        return Minded(
            recall(store, embedders, being.being_id, Asked(query, RECALL_NODES, RECALL_SIMILARITY, activate), chance),
            retrieve(store, embedders, settings, being, fact_retrieval.Asked(query, CONTEXT_FACTS, explain=True)),
        )
    except BadQuestion:
        return Minded()
