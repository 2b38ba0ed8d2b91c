"""Retrieves nodes, earlier talk, entity cards and facts for a message: the content of the region `rag-context`."""

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.context.blocks import FencedPiece
from memory.context.elapsed_time import day, spoken_span
from memory.facts import retrieval
from memory.facts.retrieval import retrieve_by_meaning
from memory.nodes import recall
from memory.nodes.fragments import pieces, to_fragments
from memory.nodes.recall import recall_by_vector
from memory.nodes.scenes import scene_to_text
from memory.retrieval.understanding import Compared, Understood, embed_query, understand
from memory.search.candidates import Candidates, Worded
from memory.search.passages import Passage, passage_candidates, passages
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from providers.metering import Asker
from schemas.accounts.accounts import Being
from schemas.facts.answers import Retrieved
from schemas.facts.rows import Fact
from schemas.limits import CONTEXT_FACTS, FOUNDATION_FACTS, QUERY_CHARACTERS, RECALL_NODES, RECALL_SIMILARITY
from schemas.nodes.recall import Recalled
from schemas.settings import Settings
from store.context import context as material
from store.facts import evidence
from store.facts.cards import foundation
from store.nodes.embeddings import Meant
from store.talk import scenes
from store.transaction import Transaction

# A long chat has several nodes near its newest words, and all of them may rest on what its transcript shows.
NODE_CANDIDATES = 4 * RECALL_NODES


FindPassages = Callable[[Transaction], Candidates]
"""Finds the candidates of passages; it may have begun in another transaction."""


@dataclass(frozen=True)
class EmbeddedMessage:
    """A message with what it means."""

    words: str
    meaning: Understood


@dataclass(frozen=True, slots=True)
class EarlyVector:
    """A query's vectors that were computed before it was known what else a context needs.

    Attributes:
        words: The query.
        model: The model of the Being's nodes then; None if it had none.
        vectors: What `embed_query` returned.
    """

    words: str
    model: str | None
    vectors: Meant | None


@dataclass(frozen=True)
class Retrieval:
    """The memories for a message; none without a message or if the message holds nothing searchable."""

    recalled: Recalled | None = None
    retrieved: Retrieved | None = None
    foundation: Sequence[Fact] = ()
    passages: Sequence[Passage] = ()
    now: datetime | None = None

    @property
    def degraded(self) -> bool:
        """True if words were compared in place of vectors, because the message could not be embedded."""
        return any(found.degraded for found in (self.recalled, self.retrieved) if found)

    @property
    def node_ids(self) -> list[UUID]:
        """The recalled nodes."""
        return [node.node_id for node in self.recalled.nodes] if self.recalled else []

    def foundation_pieces(self) -> list[FencedPiece]:
        """The pinned facts, each in its fence, whatever the message is."""
        return fenced_facts(self.foundation, self.now)

    def pieces(self) -> list[FencedPiece]:
        """The nodes' fragments as one shuffled stream, then earlier talk, entity cards and facts, each in its fence."""
        shown: list[FencedPiece] = []
        if self.recalled and self.recalled.nodes:
            written = "\n".join(pieces(self.recalled.nodes))
            shown.append(FencedPiece(self.recalled.fragments, written, tuple(self.node_ids)))
        shown += [
            FencedPiece.of("passage", passage.text, day=f"{passage.said_at:%Y-%m-%d}") for passage in self.passages
        ]
        if self.retrieved:
            shown += [FencedPiece.of("card", card.text) for card in self.retrieved.cards]
            known = {fact.content for fact in self.foundation}
            shown += fenced_facts((fact for fact in self.retrieved.facts if fact.content not in known), self.now)
        return shown

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
        facts_model: The model whose vectors serve the user's facts; None if facts have none.
        talk_model: The model whose vectors serve what was said to the Being; None if that has none.
        embedded: Waits for vectors that are computed meanwhile; used if they are the message's.

    Returns:
        None without a message, or if nothing in the message can be searched for.
    """
    query = (message or "")[:QUERY_CHARACTERS]
    if not query.strip():
        return None
    models: dict[Compared, str | None] = {"nodes": being.embedding_model}
    models |= {"facts": facts_model} if facts_model is not None else {}
    models |= {"told": talk_model} if talk_model is not None else {}
    try:
        early = embedded() if embedded else None
        known = {early.model: early.vectors} if early and early.words == query else {}
        return EmbeddedMessage(query, understand(embedders, Asker(being.being_id, "recall"), query, models, known))
    except InvalidRequest:
        return None


def embed_early(embedders: Embedders, being: Being, message: str) -> EarlyVector | None:
    """Embed a message for `embed_message`, before anything of its context is read; None if it can't be embedded."""
    query = message[:QUERY_CHARACTERS]
    try:
        vectors = embed_query(embedders, Asker(being.being_id, "recall"), query, being.embedding_model)
    except InvalidRequest:
        return None
    return EarlyVector(query, being.embedding_model, vectors)


def retrieve(
    tx: Transaction,
    settings: Settings,
    being: Being,
    message: EmbeddedMessage | None,
    chance: random.Random,
    shown: Collection[UUID] = (),
    in_prompt: AbstractSet[UUID] = frozenset(),
    find_passages: FindPassages | None = None,
) -> Retrieval:
    """Recall nodes, and retrieve facts and earlier talk for a message; without one, the pinned facts alone.

    Args:
        tx: The transaction.
        settings: The weights of fact ranking.
        being: The Being that recalls.
        message: The message and its vectors.
        chance: Shuffles the nodes' fragments.
        shown: Messages that the context shows in other regions.
        in_prompt: Messages that the prompt shows in any case. Nodes and facts that rest on these alone are left out;
            pinned facts are not.
        find_passages: What `passage_finder` returned, if it has begun beside this transaction.
    """
    now, _ = material.local_time(tx, being.user_id)
    if message is None:
        return Retrieval(foundation=foundation(tx, being.user_id, being.being_id, FOUNDATION_FACTS), now=now)
    most = NODE_CANDIDATES if in_prompt else RECALL_NODES
    nodes = recall.RecallQuery(message.words, most, RECALL_SIMILARITY)
    facts = retrieval.FactQuery(message.words, CONTEXT_FACTS, explain=True)
    shown_facts = evidence.resting_only_on(tx, being.user_id, being.being_id, in_prompt) if in_prompt else set()
    retrieved = retrieve_by_meaning(tx, settings, being, facts, message.meaning.facts, shown_facts)
    told = [fact.fact_id for fact in [*retrieved.foundation, *retrieved.facts]]
    # The same words are shown once: as a fact, else as a node, else as a passage.
    in_facts = evidence.messages(tx, being.user_id, being.being_id, told)
    recalled = recall_by_vector(tx, being.being_id, nodes, message.meaning.nodes, chance)
    rests_on = scenes.evidence(tx, being.being_id, [node.node_id for node in recalled.nodes])
    told_elsewhere = {node_id for node_id, on in rests_on.items() if on <= in_facts or on <= in_prompt}
    recalled = _without(recalled, told_elsewhere, chance, most=RECALL_NODES)
    in_nodes = {message_id for node in recalled.nodes for message_id in rests_on.get(node.node_id, ())}
    candidates = (find_passages or passage_finder(being, message))(tx)
    found = passages(tx, being, message.words, candidates, apart_from={*shown, *in_facts, *in_nodes})
    return Retrieval(recalled, retrieved, retrieved.foundation, found, now)


def passage_finder(being: Being, message: EmbeddedMessage, worded: Worded | None = None) -> FindPassages:
    """Return a function that finds the candidates of passages for a message, some perhaps known by its words."""
    understood = Understood(told=message.meaning.told)
    return lambda tx: passage_candidates(tx, being, message.words, understood, worded)


def _without(recalled: Recalled, node_ids: Collection[UUID], chance: random.Random, *, most: int) -> Recalled:
    """The best of what was recalled, without some of the nodes."""
    if not node_ids and len(recalled.nodes) <= most:
        return recalled
    kept = [
        (node, similarity)
        for node, similarity in zip(recalled.nodes, recalled.similarities, strict=True)
        if node.node_id not in node_ids
    ][:most]
    nodes = [node for node, _ in kept]
    return Recalled(
        fragments=to_fragments(nodes, chance),
        nodes=nodes,
        similarities=[similarity for _, similarity in kept],
        degraded=recalled.degraded,
    )
