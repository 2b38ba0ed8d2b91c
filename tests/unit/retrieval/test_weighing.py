"""Candidates are ranked by a weighted sum of signals; what is costly to score is scored only where it may count."""

from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.weighing import bounded, ranked

VALUES = st.integers(-8, 8).map(lambda eighths: eighths / 8)
CANDIDATES = st.lists(st.tuples(VALUES, VALUES), max_size=12)


@given(CANDIDATES, st.integers(0, 12))
def test_the_best_have_the_highest_sums_and_equal_ones_go_by_their_order(candidates, limit):
    items = list(range(len(candidates)))
    values = {"near": [near for near, _ in candidates], "new": [new for _, new in candidates]}
    best = ranked(items, values, {"near": 2.0}, ties=lambda item: -item, limit=limit, wanted=lambda item: item % 3)

    expected = sorted((item for item in items if item % 3), key=lambda item: (-2 * candidates[item][0], -item))
    assert [one.item for one in best] == expected[:limit]
    assert all(one.values == {"near": candidates[one.item][0], "new": candidates[one.item][1]} for one in best)
    assert all(one.score == 2 * one.values["near"] for one in best)


SCORED = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20)


@given(SCORED, st.integers(1, 6))
def test_bounds_spare_scores_and_change_no_result(scored, limit):
    asked = []

    def score(item):
        asked.append(item)
        return scored[item][0]

    items = list(range(len(scored)))
    best = bounded(items, lambda item: sum(scored[item]), score, ties=lambda item: item, limit=limit)

    expected = sorted((item for item in items if sum(scored[item])), key=lambda item: (-scored[item][0], item))
    assert best == [(item, scored[item][0]) for item in expected[:limit]] or all(found == 0 for _, found in best)
    assert len(asked) == len({*asked})


def test_what_can_reach_none_of_the_best_is_not_scored():
    asked = []
    best = bounded([9, 5, 3], float, lambda item: asked.append(item) or item, ties=lambda item: item, limit=1)

    assert best == [(9, 9)]
    assert asked == [9]
