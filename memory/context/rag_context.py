"""A message's vectors, and the memory that they retrieved: the content of `rag-context`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.context.blocks import FencedPiece, fenced_nodes
from memory.context.elapsed_time import day, spoken_span
from memory.nodes.fragments import pieces
from memory.nodes.scenes import scene_to_text
from memory.retrieval.query_vectors import QueryVectors, VectorKind, embed_for_each_model, embed_query
from memory.search.candidates import Candidates
from memory.search.passages import Passage, passage_candidates
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from providers.metering import RequestOwner
from schemas.accounts.accounts import Being
from schemas.facts.fact_answers import EntityCard, RetrievedFacts
from schemas.facts.fact_rows import Fact
from schemas.limits import QUERY_CHARACTERS
from schemas.nodes.nodes import Node
from schemas.nodes.recall import Recalled
from store.nodes.embeddings import ModelVectors
from store.transaction import Transaction

FindPassages = Callable[[Transaction], Candidates]
"""Finds the candidates of passages; it may have begun in another transaction."""


@dataclass(frozen=True)
class EmbeddedMessage:
    """A message with its vectors."""

    words: str
    meaning: QueryVectors


@dataclass(frozen=True, slots=True)
class EarlyVector:
    """A query's vectors that were computed before the context's other inputs were known.

    Attributes:
        model: The model of the Being's nodes then; None if it had none.
        vectors: The result of `embed_query`.
    """

    words: str
    model: str | None
    vectors: ModelVectors | None


@dataclass(frozen=True)
class Retrieval:
    """The content of `rag-context`.

    Attributes:
        essential: Facts that are shown for any message, unless all are.
        cards: Entity cards, on top of the relevant facts.
        facts: All facts, where they fit; else the relevant ones.
        recalled: Nodes that the message recalls, which counts as their activation.
        beside: Further nodes, of a memory that is shown whole.
        passages: Earlier talk.
        retrieved: The facts that the message retrieves, shown or not, with their scores.
        now: The user's time, to which the times of facts are relative.
    """

    essential: Sequence[Fact] = ()
    cards: Sequence[EntityCard] = ()
    facts: Sequence[Fact] = ()
    recalled: Recalled | None = None
    beside: Sequence[Node] = ()
    passages: Sequence[Passage] = ()
    retrieved: RetrievedFacts | None = None
    now: datetime | None = None

    @property
    def degraded(self) -> bool:
        """True if words were compared in place of vectors, because the message could not be embedded."""
        return any(found.degraded for found in (self.recalled, self.retrieved) if found)

    @property
    def node_ids(self) -> list[UUID]:
        """The recalled nodes."""
        return [node.node_id for node in self.recalled.nodes] if self.recalled else []

    @property
    def message_ids(self) -> set[UUID]:
        """The messages that are shown as passages."""
        return {message_id for passage in self.passages for message_id in passage.message_ids}

    def pieces(self) -> list[FencedPiece]:
        """Facts, cards, nodes and talk, each in its fence."""
        return [
            *fenced_facts(self.essential, self.now),
            *fenced_cards(self.cards, self.now),
            *fenced_facts(self.facts, self.now),
            *fenced_recalled(self.recalled),
            *fenced_nodes(self.beside),
            *fenced_passages(self.passages),
        ]

    def explanation_with_texts(self) -> dict[str, Any]:
        """The explanation with the text of each memory, passage and fact, for an answer that is not stored."""
        texts = {
            "memories": [scene_to_text(node.scene, node.feeling) for node in self.recalled.nodes]
            if self.recalled
            else [],
            "passages": [passage.text for passage in self.passages],
            "facts": [fact.content for fact in self.retrieved.facts] if self.retrieved else [],
        }
        return {
            name: [{**one, "text": text} for one, text in zip(explained, texts[name], strict=True)]
            for name, explained in self.explanation().items()
        }

    def explanation(self) -> dict[str, Any]:
        """The similarity of each node and the scores of each fact, as JSON, without a word of them."""
        nodes = zip(self.recalled.nodes, self.recalled.similarities, strict=True) if self.recalled else ()
        facts = (self.retrieved.explanation or []) if self.retrieved else []
        return {
            "memories": [{"node_id": str(node.node_id), "similarity": similarity} for node, similarity in nodes],
            "passages": [
                {"message_ids": [str(message_id) for message_id in passage.message_ids], "score": passage.score}
                for passage in self.passages
            ],
            "facts": [fact.model_dump(mode="json") for fact in facts],
        }


def fenced_facts(facts: Iterable[Fact], now: datetime | None) -> list[FencedPiece]:
    """Each content once, with the ids of the facts that say it, when it was last said and the time that it names."""
    saying: dict[str, list[Fact]] = {}
    for fact in facts:
        saying.setdefault(fact.content, []).append(fact)
    return [
        FencedPiece.of("fact", content, [fact.fact_id for fact in same], **(_times(same[0], now) if now else {}))
        for content, same in saying.items()
    ]


def _times(fact: Fact, now: datetime) -> dict[str, object]:
    times: dict[str, object] = {"said": day(fact.last_told_at, now)}
    if about := spoken_span(fact.about_from, fact.about_until, now):
        times["about"] = about
        if fact.about_until and fact.about_until <= now:
            times["past"] = "yes"
    return times


def fenced_cards(cards: Iterable[EntityCard], now: datetime | None) -> list[FencedPiece]:
    """Each card: each of its facts with the entity, when it was last said and the time that it names."""
    return [
        FencedPiece.of("card", fact.content, [fact.fact_id], of=card.entity_ref, **(_times(fact, now) if now else {}))
        for card in cards
        for fact in card.items
    ]


def fenced_recalled(recalled: Recalled | None) -> list[FencedPiece]:
    """The nodes' fragments as one shuffled stream."""
    if recalled is None or not recalled.nodes:
        return []
    ids = tuple(node.node_id for node in recalled.nodes)
    return [FencedPiece(recalled.fragments, "\n".join(pieces(recalled.nodes)), ids)]


def fenced_passages(passages: Iterable[Passage]) -> list[FencedPiece]:
    """Each passage with its day."""
    return [FencedPiece.of("passage", passage.text, day=f"{passage.said_at:%Y-%m-%d}") for passage in passages]


def embed_message(
    embedders: Embedders,
    being: Being,
    message: str | None,
    facts_model: str | None,
    talk_model: str | None,
    embedded: Callable[[], EarlyVector | None] | None = None,
) -> EmbeddedMessage | None:
    """Embed a message, once for each model.

    Args:
        embedders: The embedders by model.
        being: The Being that recalls.
        message: The message, of which the first 8,000 characters count.
        facts_model: The model of the vectors of the user's facts; None if facts have none.
        talk_model: The model of the vectors of the Being's messages; None if they have none.
        embedded: Waits for vectors that are computed meanwhile; used if they are the message's.

    Returns:
        None without a message, or if nothing in the message can be searched for.
    """
    query = (message or "")[:QUERY_CHARACTERS]
    if not query.strip():
        return None
    models: dict[VectorKind, str | None] = {"nodes": being.embedding_model}
    models |= {"facts": facts_model} if facts_model is not None else {}
    models |= {"talk": talk_model} if talk_model is not None else {}
    try:
        early = embedded() if embedded else None
        known = {early.model: early.vectors} if early and early.words == query else {}
        return EmbeddedMessage(
            query, embed_for_each_model(embedders, RequestOwner(being.being_id, "recall"), query, models, known)
        )
    except InvalidRequest:
        return None


def embed_early(embedders: Embedders, being: Being, message: str) -> EarlyVector | None:
    """Embed a message for `embed_message`, before anything of its context is read; None if it can't be embedded."""
    query = message[:QUERY_CHARACTERS]
    try:
        vectors = embed_query(embedders, RequestOwner(being.being_id, "recall"), query, being.embedding_model)
    except InvalidRequest:
        return None
    return EarlyVector(query, being.embedding_model, vectors)


def passage_finder(being: Being, message: EmbeddedMessage) -> FindPassages:
    """Return a function that finds the candidates of passages for a message."""
    query_vectors = QueryVectors(talk=message.meaning.talk)
    return lambda tx: passage_candidates(tx, being, message.words, query_vectors)
