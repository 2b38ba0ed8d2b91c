"""Retrieval of facts that are relevant to a query (state-and-memory seed, "Memory Retrieval")."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from uuid import UUID

from memory.retrieval.query_vectors import embed_query, significant_terms
from memory.retrieval.weighing import Ranked, ranked, recency
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from providers.metering import RequestOwner
from schemas.accounts.accounts import Being
from schemas.facts.fact_answers import EntityCard, FactExplanation, RetrievedFact, RetrievedFacts
from schemas.facts.fact_rows import Fact
from schemas.limits import CARD_FACTS, FACT_CANDIDATES, FOUNDATION_FACTS, RECENCY_HALF_LIFE
from schemas.settings import Settings
from store import clock
from store.database import Store
from store.facts import cards as fact_cards
from store.facts import fact_vectors
from store.nodes.embeddings import ModelVectors
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class FactQuery:
    """A query for facts.

    Attributes:
        text: The query.
        limit: How many facts, at most.
        explain: Whether the answer has each fact's score in parts.
        floor: Whether facts are left out that are no nearer to the query than most: a floor that is relative to the
            candidates, since embedders differ in the similarity that they give to unrelated texts.
    """

    text: str
    limit: int
    explain: bool = False
    floor: bool = False


def retrieve(store: Store, embedders: Embedders, settings: Settings, being: Being, query: FactQuery) -> RetrievedFacts:
    """Find facts by similarity; by words, marked `degraded`, while the query can't be embedded.

    Raises:
        InvalidRequest: The query is empty, or the embedder refuses it.
    """
    if not query.text.strip():
        raise InvalidRequest("`query` is empty. Send a sentence or a few words.")
    model = store.run(fact_vectors.serving_model, being.user_id)
    meaning = embed_query(embedders, RequestOwner(being.being_id, "retrieve"), query.text, model) if model else None
    return store.run(retrieve_by_meaning, settings, being, query, meaning)


def retrieve_by_meaning(
    tx: Transaction,
    settings: Settings,
    being: Being,
    query: FactQuery,
    meaning: ModelVectors | None,
    apart_from: Collection[UUID] = (),
) -> RetrievedFacts:
    """Find facts by the query's vector, or by its words if there is none; those `apart_from` only among pinned ones."""
    if meaning is None:
        found = _by_words(tx, being, query.text, None)
    else:
        # Facts without a vector of their content are found by words meanwhile. This search comes first: a fact that
        # gets its vector between the two is found by both, and in the other order it would be found by neither.
        worded = _by_words(tx, being, query.text, meaning.model)
        near = [
            one
            for vector in meaning.vectors
            for one in fact_vectors.nearest(tx, being.user_id, being.being_id, meaning.model, vector, FACT_CANDIDATES)
        ]
        best = dict[object, tuple[Fact, float]]()
        for fact, likeness in [*near, *worded]:
            best[fact.fact_id] = (fact, max(likeness, best.get(fact.fact_id, (fact, 0.0))[1]))
        found = sorted(best.values(), key=lambda one: (-one[1], one[0].fact_id))[:FACT_CANDIDATES]
    # Until the user's first facts have vectors there is nothing that a comparison of meanings would find.
    degraded = meaning is None and fact_vectors.has_facts(tx, being.user_id, being.being_id)
    found = [one for one in found if one[0].fact_id not in apart_from]
    if query.floor:
        found = _above_floor(found)
    answer = _assemble(tx, settings, being, found, apart_from, limit=query.limit, degraded=degraded)
    return answer if query.explain else answer.model_copy(update={"explanation": None})


def _above_floor(candidates: Sequence[tuple[Fact, float]]) -> list[tuple[Fact, float]]:
    """The candidates in the upper half between the middle one's similarity and the highest."""
    if not candidates:
        return []
    similarities = [similarity for _, similarity in candidates]
    floor = (median(similarities) + max(similarities)) / 2
    return [one for one in candidates if one[1] >= floor]


def _by_words(tx: Transaction, being: Being, query: str, model: str | None) -> list[tuple[Fact, float]]:
    """Candidates with the share of the query's words that each contains; only those without a vector of `model`."""
    return fact_vectors.matching_words(
        tx, being.user_id, being.being_id, significant_terms(query), FACT_CANDIDATES, without_vector_of=model
    )


def _assemble(
    tx: Transaction,
    settings: Settings,
    being: Being,
    candidates: Sequence[tuple[Fact, float]],
    apart_from: Collection[UUID],
    *,
    limit: int,
    degraded: bool,
) -> RetrievedFacts:
    """Rank candidates; add cards of the entities that the best of them name, and the pinned facts."""
    best = rank(candidates, clock.now(tx), limit, blend=settings.blended_ranking)
    cards = _cards(tx, being, [one.item for one in best], apart_from)
    return RetrievedFacts(
        facts=[RetrievedFact(**dict(one.item), similarity=one.values["similarity"], score=one.score) for one in best],
        cards=cards,
        foundation=fact_cards.foundation(tx, being.user_id, being.being_id, FOUNDATION_FACTS),
        text="\n".join([*(card.text for card in cards), *(f"- {one.item.content}" for one in best)]),
        degraded=degraded,
        explanation=[FactExplanation(fact_id=one.item.fact_id, score=one.score, **one.values) for one in best],
    )


def _cards(tx: Transaction, being: Being, found: Sequence[Fact], apart_from: Collection[UUID]) -> list[EntityCard]:
    """Cards of the entities that these facts name, in that order; other facts of importance >= 2 or pinned."""
    refs = list(dict.fromkeys(ref for fact in found for ref in fact.entity_refs))
    others = fact_cards.important(
        tx,
        being.user_id,
        being.being_id,
        refs,
        apart_from=[*(fact.fact_id for fact in found), *apart_from],
        limit=CARD_FACTS,
    )
    return [
        EntityCard(
            entity_ref=ref,
            facts=[fact.content for fact in others[ref]],
            items=others[ref],
            text=f"[{ref}]: {'; '.join(fact.content for fact in others[ref])}",
        )
        for ref in refs
        if ref in others
    ]


BLENDED: Mapping[str, float] = {
    # To the query.
    "similarity": 0.4,
    # 0.5^(days since the last statement / 14).
    "recency": 0.3,
    # How often the fact's commonest entity occurs among the candidates, over the highest such count.
    "frequency": 0.3,
}
PLAIN: Mapping[str, float] = {"similarity": 1.0}


def rank(candidates: Sequence[tuple[Fact, float]], now: datetime, limit: int, *, blend: bool) -> list[Ranked[Fact]]:
    """Score candidates; returns the best, the highest score first, with their signals.

    Args:
        candidates: Facts with their similarity to the query, -1 to 1.
        now: The domain time.
        limit: How many, at most.
        blend: Whether recency and frequency count, or similarity alone.
    """
    facts = [fact for fact, _ in candidates]
    counts = Counter(ref for fact in facts for ref in fact.entity_refs)
    highest = max(counts.values(), default=1)
    values = {
        "similarity": [similarity for _, similarity in candidates],
        "recency": [recency(now - fact.last_told_at, RECENCY_HALF_LIFE) for fact in facts],
        "frequency": [max((counts[ref] for ref in fact.entity_refs), default=0) / highest for fact in facts],
    }
    return ranked(facts, values, BLENDED if blend else PLAIN, ties=lambda fact: fact.fact_id, limit=limit)
