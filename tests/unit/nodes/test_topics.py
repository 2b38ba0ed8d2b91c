"""Groups of similar nodes, against the definition of average linkage."""

from uuid import UUID

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory.nodes.topics import Candidate, average_linkage, parts
from schemas.limits import MOST_TOPIC_NODES, TOPIC_NODES

VECTORS = st.lists(st.tuples(*[st.integers(-3, 3)] * 3).filter(any), min_size=0, max_size=12)


def similarities(vectors):
    rows = np.array(vectors, dtype=np.float64).reshape(len(vectors), 3)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def average(matrix, group, other):
    return matrix[np.ix_(group, other)].mean()


@given(VECTORS, st.sampled_from([-0.5, 0.2, 0.6, 0.95]))
def test_no_two_groups_are_more_similar_than_the_threshold_and_each_is_similar_within(vectors, threshold):
    matrix = similarities(vectors)
    groups = average_linkage(matrix, threshold)

    assert sorted(member for group in groups for member in group) == list(range(len(vectors)))
    pairs = [(group, other) for group in groups for other in groups if group < other]
    assert all(average(matrix, group, other) < threshold + 1e-9 for group, other in pairs)
    for group in groups:
        # Each merge joined parts whose average similarity was at least the threshold.
        assert len(group) == 1 or matrix[np.ix_(group, group)].mean() >= threshold - 1e-9


def test_the_most_similar_are_merged_first():
    # 1 is similar enough to either side; it goes to the nearer one, and 2 is then too far from both on average.
    matrix = similarities([(1, 0, 0), (10, 3, 0), (10, 9, 0)])

    assert average_linkage(matrix, 0.9) == [[0, 1], [2]]
    assert average_linkage(matrix, 0.8) == [[0, 1, 2]]


def candidates(*vectors):
    return [Candidate(UUID(int=at + 1), 0, "", [], [], np.array(vector)) for at, vector in enumerate(vectors)]


@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 3).filter(any), min_size=1, max_size=70))
def test_no_part_is_crowded_and_none_is_too_small(vectors):
    whole = candidates(*vectors)
    found = parts(whole)

    assert sorted(one.node_id for part in found for one in part) == [one.node_id for one in whole]
    assert all(len(part) <= MOST_TOPIC_NODES for part in found)
    assert len(found) == 1 or min(map(len, found)) >= TOPIC_NODES
    assert found == parts(whole[::-1]), "it depends on the order"


def test_a_topic_of_two_subjects_comes_apart_between_them():
    one, other = [(1, 0.1 * at, 0) for at in range(6)], [(-1, 0, 0.1 * at) for at in range(7)]
    whole = candidates(*one, *other)

    assert [{each.node_id for each in part} for part in parts(whole)] == [
        {each.node_id for each in whole[6:]},
        {each.node_id for each in whole[:6]},
    ]
    assert len(parts(candidates(*one, *one))) == 1, "what is of one subject stays together"
