"""Ranking of candidates by a weighted sum of signals."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from heapq import heapify, heappop, heappush, heappushpop
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
    limit: int | None,
    wanted: Callable[[T], bool] = lambda _: True,
) -> list[Ranked[T]]:
    """Rank candidates, best first.

    Args:
        items: The candidates.
        values: The value of each signal for each candidate, by the signal's name.
        weights: The weight of each signal; a signal without one is reported, and counts nothing.
        ties: Orders candidates of one score, the least first.
        limit: How many are returned, at most; None: all.
        wanted: Which of them may be returned.
    """
    parts = [[weight * value for value in values[name]] for name, weight in weights.items()]
    scores = [sum(part) for part in zip(*parts, strict=True)]
    order = sorted(range(len(items)), key=lambda at: (-scores[at], ties(items[at])))
    best = [at for at in order if wanted(items[at])][:limit]
    return [Ranked(items[at], scores[at], {name: of_all[at] for name, of_all in values.items()}) for at in best]


def recency(age: timedelta, half_life: timedelta) -> float:
    """How recent something is: 1 where it is new, and half after each half-life."""
    return float(0.5 ** (max(age, timedelta()) / half_life))


def first_of_each(best: Iterable[Ranked[T]], group: Callable[[T], Hashable]) -> list[Ranked[T]]:
    """The first of each group, in their order."""
    first: dict[Hashable, Ranked[T]] = {}
    for one in best:
        first.setdefault(group(one.item), one)
    return list(first.values())


def spread(
    best: Sequence[Ranked[T]],
    group: Callable[[T], Hashable],
    size: Callable[[T], float],
    signal: str,
    weight: float,
    limit: int,
) -> list[Ranked[T]]:
    """Choose one after the other, so that many good ones of one group do not push out those of others.

    The more of its group has been chosen, the less a candidate counts (after "maximal marginal relevance", Carbonell
    and Goldstein, 1998).

    Args:
        best: Ranked candidates, best first.
        group: The group of a candidate.
        size: How much of its group a candidate is.
        signal: The name of the signal for how much of its group was chosen before.
        weight: The weight of that signal: below 0.
        limit: How many are returned, at most.
    """
    taken = Counter[Hashable]()
    queue = [(-one.score, place, 0.0) for place, one in enumerate(best)]
    heapify(queue)
    chosen: list[Ranked[T]] = []
    while queue and len(chosen) < limit:
        _, place, before = heappop(queue)
        one = best[place]
        now = float(taken[group(one.item)])
        if now > before:
            heappush(queue, (-(one.score + weight * now), place, now))
            continue
        chosen.append(replace(one, score=one.score + weight * now, values={**one.values, signal: now}))
        taken[group(one.item)] += size(one.item)  # type: ignore[assignment]
    return chosen


def bounded(
    items: Iterable[T],
    at_most: Callable[[T], float],
    score: Callable[[T], float],
    *,
    ties: Callable[[T], Any],
    limit: int,
) -> list[tuple[T, float]]:
    """Rank candidates with signals that take long to compute, best first; without those that can't score above 0.

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
