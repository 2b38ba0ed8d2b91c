"""Finding the facts that matter for what was just said (state-and-memory seed, "Memory Retrieval")."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.blending import ranked
from memory.questions import BadQuestion
from memory.recall import Meaning, meaning, telling_words
from providers.embedders import Embedders
from providers.metering import Asker
from schemas.fact_answers import EntityCard, FactExplanation, Retrieved, RetrievedFact
from schemas.facts import Fact
from schemas.limits import CARD_FACTS, FACT_CANDIDATES, FOUNDATION_FACTS
from schemas.rows import Being
from schemas.settings import Settings
from store import clock, fact_cards, fact_vectors
from store.database import Store
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Asked:
    """How facts are asked for: up to `limit` of them, on request with the reasons."""

    query: str
    limit: int
    explain: bool = False


def retrieve(store: Store, embedders: Embedders, settings: Settings, being: Being, asked: Asked) -> Retrieved:
    """Find facts by meaning; by words, marked `degraded`, while nobody can embed the query.

    Raises:
        BadQuestion: The query is empty, or the embedder refuses it.
    """
    if not asked.query.strip():
        raise BadQuestion("The query is empty: ask for something.")
    with store.transaction() as tx:
        model = fact_vectors.serving(tx, being.user_id)
    meant = meaning(embedders, Asker(being.being_id, "retrieve"), asked.query, model) if model else None
    with store.transaction() as tx:
        return retrieve_meant(tx, settings, being, asked, meant)


def retrieve_meant(tx: Transaction, settings: Settings, being: Being, asked: Asked, meant: Meaning | None) -> Retrieved:
    """Find facts by what a question means to the model of their vectors; by its words where there is no telling."""
    if meant is None:
        found = by_words(tx, being, asked.query)
    else:
        found = fact_vectors.nearest(tx, being.user_id, being.being_id, meant.model, meant.vector, FACT_CANDIDATES)
    answer = assembled(tx, settings, being, found, limit=asked.limit, degraded=meant is None)
    return answer if asked.explain else answer.model_copy(update={"explanation": None})


def by_words(tx: Transaction, being: Being, query: str) -> list[tuple[Fact, float]]:
    """Candidates by the share of the query's telling words that each holds."""
    return fact_vectors.worded(tx, being.user_id, being.being_id, telling_words(query), FACT_CANDIDATES)


def assembled(
    tx: Transaction,
    settings: Settings,
    being: Being,
    candidates: Sequence[tuple[Fact, float]],
    *,
    limit: int,
    degraded: bool,
) -> Retrieved:
    """Rank candidates, and add what is known of the entities that the best of them name, and what is always known."""
    best = ranked(candidates, clock.now(tx), blend=settings.blended_ranking)[:limit]
    cards = _cards(tx, being, [one.fact for one in best])
    return Retrieved(
        facts=[RetrievedFact(**dict(one.fact), similarity=one.similarity, score=one.score) for one in best],
        cards=cards,
        foundation=fact_cards.foundation(tx, being.user_id, being.being_id, FOUNDATION_FACTS),
        text="\n".join([*(card.text for card in cards), *(f"- {one.fact.content}" for one in best)]),
        degraded=degraded,
        explanation=[
            FactExplanation(
                fact_id=one.fact.fact_id,
                similarity=one.similarity,
                recency=one.recency,
                frequency=one.frequency,
                score=one.score,
            )
            for one in best
        ],
    )


def _cards(tx: Transaction, being: Being, found: Sequence[Fact]) -> list[EntityCard]:
    """What else is known of the entities that these facts name, in the order in which they name them."""
    refs = list(dict.fromkeys(ref for fact in found for ref in fact.entity_refs))
    others = fact_cards.important(
        tx, being.user_id, being.being_id, refs, apart_from=[fact.fact_id for fact in found], limit=CARD_FACTS
    )
    return [
        EntityCard(
            entity_ref=ref,
            facts=[fact.content for fact in others[ref]],
            text=f"[{ref}]: {'; '.join(fact.content for fact in others[ref])}",
        )
        for ref in refs
        if ref in others
    ]
