"""What comes to mind at what is said: memories, facts, and what is always known, for the region `rag-context`."""

import random
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory import fact_retrieval, recall
from memory.context_blocks import Part
from memory.fact_retrieval import retrieve_meant
from memory.fragments import pieces
from memory.questions import BadQuestion
from memory.recall import Meaning, meaning, recall_meant
from providers.embedders import Embedders
from providers.metering import Asker
from schemas.answers import Recalled
from schemas.fact_answers import Retrieved
from schemas.limits import CONTEXT_FACTS, QUERY_CHARACTERS, RECALL_NODES, RECALL_SIMILARITY
from schemas.rows import Being
from schemas.settings import Settings
from store.transaction import Transaction


@dataclass(frozen=True)
class Understood:
    """What is said, and what it means to the models of a Being's memories and of its user's facts."""

    words: str
    to_memories: Meaning | None
    to_facts: Meaning | None


@dataclass(frozen=True)
class Minded:
    """What came to mind; nothing did where nothing was said, or nothing that can be understood."""

    recalled: Recalled | None = None
    retrieved: Retrieved | None = None

    @property
    def degraded(self) -> bool:
        """Whether words had to do for memories or facts, because nobody could embed what was said."""
        return any(found.degraded for found in (self.recalled, self.retrieved) if found)

    @property
    def node_ids(self) -> list[UUID]:
        """The memories that came to mind."""
        return [node.node_id for node in self.recalled.nodes] if self.recalled else []

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


def understood(embedders: Embedders, being: Being, said: str | None, facts_model: str | None) -> Understood | None:
    """Embed what is said, once where memories and facts have vectors of one model.

    Args:
        embedders: Who embeds.
        being: Who is spoken to.
        said: What is said; its first 8,000 characters are looked at.
        facts_model: The model whose vectors serve the user's facts.

    Returns:
        None where nothing was said, or nothing that can be understood.
    """
    query = (said or "")[:QUERY_CHARACTERS]
    if not query.strip():
        return None
    asker = Asker(being.being_id, "recall")
    try:
        to_memories = meaning(embedders, asker, query, being.embedding_model)
        if facts_model is None:
            return Understood(query, to_memories, None)
        if facts_model == (to_memories.model if to_memories else being.embedding_model):
            return Understood(query, to_memories, to_memories)
        return Understood(query, to_memories, meaning(embedders, asker, query, facts_model))
    except BadQuestion:
        return None


def come_to_mind(
    tx: Transaction, settings: Settings, being: Being, said: Understood | None, chance: random.Random
) -> Minded:
    """Recall memories and retrieve facts by what is said.

    Args:
        tx: The transaction.
        settings: How facts are ranked.
        being: Who is spoken to.
        said: What is said, as it was understood.
        chance: Shuffles the memories' fragments.
    """
    if said is None:
        return Minded()
    memories = recall.Asked(said.words, RECALL_NODES, RECALL_SIMILARITY)
    facts = fact_retrieval.Asked(said.words, CONTEXT_FACTS, explain=True)
    return Minded(
        recall_meant(tx, being.being_id, memories, said.to_memories, chance),
        retrieve_meant(tx, settings, being, facts, said.to_facts),
    )
