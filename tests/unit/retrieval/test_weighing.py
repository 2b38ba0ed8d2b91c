"""Candidates are ranked by a weighted sum of signals; what is costly to score is scored only where it may count."""

from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.weighing import Ranked, bounded, first_of_each, ranked, spread

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


SPREAD = st.lists(st.tuples(VALUES, st.sampled_from("abc")), max_size=12).map(
    lambda some: [Ranked((at, group), score, {}) for at, (score, group) in enumerate(sorted(some, reverse=True))]
)


def group_of(item):
    return item[1]


@given(SPREAD, st.integers(0, 12))
def test_each_next_one_is_the_best_of_those_whose_group_counts_the_less_the_more_of_it_was_chosen(best, limit):
    chosen = spread(best, group_of, lambda _: 2.0, "crowded", -0.25, limit)

    left, before = list(best), []
    while left and len(before) < limit:
        after = {one.item: one.score - 0.5 * [group for _, group in before].count(one.item[1]) for one in left}
        next_one = max(left, key=lambda one: after[one.item])
        assert chosen[len(before)].item == next_one.item
        assert chosen[len(before)].score == after[next_one.item]
        left.remove(next_one)
        before.append(next_one.item)
    assert len(chosen) == len(before)


@given(SPREAD)
def test_the_first_of_each_group_stay_in_their_order(best):
    first = first_of_each(best, group_of)

    groups = [group for _, group in (one.item for one in best)]
    assert [one.item for one in first] == [one.item for at, one in enumerate(best) if one.item[1] not in groups[:at]]
