"""Ranking of candidates by a weighted sum of signals."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappush, heappushpop
from itertools import islice
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ranked(Generic[T]):
    """A candidate with its score, and each signal's value, of those without a weight too."""

    item: T
    score: float
    values: Mapping[str, float]


def ranked(
    items: Sequence[T],
    values: Mapping[str, Sequence[float]],
    weights: Mapping[str, float],
    *,
    ties: Callable[[T], Any],
    limit: int,
    wanted: Callable[[T], bool] = lambda _: True,
) -> list[Ranked[T]]:
    """Rank candidates, best first.

    Args:
        items: The candidates.
        values: The value of each signal for each candidate, by the signal's name.
        weights: What a signal counts; one without a weight is told, and counts nothing.
        ties: Orders candidates of one score, the least first.
        limit: How many are returned, at most.
        wanted: Which of them may be returned.
    """
    parts = [[weight * value for value in values[name]] for name, weight in weights.items()]
    scores = [sum(part) for part in zip(*parts, strict=True)]
    order = sorted(range(len(items)), key=lambda at: (-scores[at], ties(items[at])))
    best = islice((at for at in order if wanted(items[at])), limit)
    return [Ranked(items[at], scores[at], {name: of_all[at] for name, of_all in values.items()}) for at in best]


def bounded(
    items: Iterable[T],
    at_most: Callable[[T], float],
    score: Callable[[T], float],
    *,
    ties: Callable[[T], Any],
    limit: int,
) -> list[tuple[T, float]]:
    """Rank candidates whose signals take long to compute, best first; one whose score can't be above 0 is left out.

    Args:
        items: The candidates.
        at_most: An upper bound of a candidate's score, which takes little time.
        score: A candidate's score, computed only while its bound reaches the `limit` best scores.
        ties: Orders candidates of one score, the least first.
        limit: How many are returned, at most.

    Returns:
        The candidates with their scores.
    """
    bounds = sorted(((at_most(item), item) for item in items), key=lambda pair: -pair[0])
    best: list[float] = []
    found: list[tuple[T, float]] = []
    for bound, item in bounds:
        if not bound or (len(best) == limit and bound < best[0]):
            break
        found.append((item, score(item)))
        (heappush if len(best) < limit else heappushpop)(best, found[-1][1])
    return sorted(found, key=lambda one: (-one[1], ties(one[0])))[:limit]
