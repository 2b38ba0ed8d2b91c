"""Ranking facts by similarity, recency and entity frequency (state-and-memory seed, "Blended ranking")."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from memory.retrieval.weighing import Ranked, ranked
from schemas.facts.fact_rows import Fact
from schemas.limits import RECENCY_HALF_LIFE_DAYS

BLENDED: Mapping[str, float] = {
    # To the query.
    "similarity": 0.4,
    # 0.5^(days since last told / 14).
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
        "recency": [_recency(now - fact.last_told_at) for fact in facts],
        "frequency": [max((counts[ref] for ref in fact.entity_refs), default=0) / highest for fact in facts],
    }
    return ranked(facts, values, BLENDED if blend else PLAIN, ties=lambda fact: fact.fact_id, limit=limit)


def _recency(age: timedelta) -> float:
    days: float = max(age, timedelta(0)) / timedelta(days=1)
    return float(0.5 ** (days / RECENCY_HALF_LIFE_DAYS))
