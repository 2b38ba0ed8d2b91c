"""Ranking facts by similarity, recency and entity frequency (state-and-memory seed, "Blended ranking")."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from schemas.facts.rows import Fact
from schemas.limits import FREQUENCY_WEIGHT, RECENCY_HALF_LIFE_DAYS, RECENCY_WEIGHT, SIMILARITY_WEIGHT


@dataclass(frozen=True, slots=True)
class Scored:
    """A fact with its score and the score's parts: recency and frequency in 0..1, similarity in -1..1."""

    fact: Fact
    similarity: float
    recency: float
    frequency: float
    score: float


def rank(candidates: Sequence[tuple[Fact, float]], now: datetime, *, blend: bool) -> list[Scored]:
    """Score candidates; returns them with the highest score first.

    Args:
        candidates: Facts with their similarity to the query.
        now: The domain time.
        blend: Whether recency and frequency count, or similarity alone.

    Returns:
        score = 0.4 · similarity + 0.3 · recency + 0.3 · frequency, where recency is 0.5^(days since last told / 14),
        and frequency is how often the fact's commonest entity occurs among the candidates, over the highest such count.
    """
    counts = Counter(ref for fact, _ in candidates for ref in fact.entity_refs)
    highest = max(counts.values(), default=1)
    scored = []
    for fact, similarity in candidates:
        recency = _recency(now - fact.last_told_at)
        frequency = max((counts[ref] for ref in fact.entity_refs), default=0) / highest
        blended = SIMILARITY_WEIGHT * similarity + RECENCY_WEIGHT * recency + FREQUENCY_WEIGHT * frequency
        scored.append(Scored(fact, similarity, recency, frequency, blended if blend else similarity))
    return sorted(scored, key=lambda one: (-one.score, one.fact.fact_id))


def _recency(age: timedelta) -> float:
    days: float = max(age, timedelta(0)) / timedelta(days=1)
    return float(0.5 ** (days / RECENCY_HALF_LIFE_DAYS))
