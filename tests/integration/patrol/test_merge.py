"""❼ Small topics join the topic most like them, or their root, and no memory is lost on the way."""

from math import cos, radians, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.nodes import clusters, nodes
from store.patrol import steps
from tests.scenes import EAST, NORTH, make_being, make_user, remember, root, seen, words

SOUTH = (0.0, -1.0, 0.0)


def at(degrees):
    """A direction on the ground, so that the similarity of two is the cosine of the angle between them."""
    return (cos(radians(degrees)), sin(radians(degrees)), 0.0)


def make_topic(tx, being, name, vectors, parent=None):
    """A topic with one active node for each vector."""
    topic = tx.value(
        "insert into memory.clusters (being_id, name, parent_id) values (%s, %s, %s) returning cluster_id",
        [being.being_id, name, parent or root(tx, being)],
    )
    remember(tx, being, *(words(name, vector=vector) for vector in vectors), cluster=topic)
    return topic


def home_of(tx, being, topic):
    """The cluster that a topic is part of now; itself, if it was left in peace."""
    return clusters.find(tx, being.being_id, topic).cluster_id


@pytest.fixture
def tx(store):
    with store.transaction() as tx:
        yield tx


def test_three_active_nodes_make_a_topic_and_two_do_not(tx, being):
    two = make_topic(tx, being, "Two", [EAST] * 2)
    three = make_topic(tx, being, "Three", [NORTH] * 3)

    assert steps.merge_small(tx, being.being_id) == 1
    assert home_of(tx, being, two) == root(tx, being)
    assert home_of(tx, being, three) == three


def test_a_small_topic_joins_the_sibling_most_like_it(tx, being):
    small = make_topic(tx, being, "Small", [at(0)])
    near = make_topic(tx, being, "Near", [at(20)] * 3)
    make_topic(tx, being, "Far", [at(-40)] * 3)

    steps.merge_small(tx, being.being_id)

    assert home_of(tx, being, small) == near


@pytest.mark.parametrize(("similarity", "joins"), [(0.44, False), (0.46, True)])
def test_it_takes_a_similarity_of_more_than_0_45(tx, being, similarity, joins):
    small = make_topic(tx, being, "Small", [EAST])
    sibling = make_topic(tx, being, "Large", [(similarity, (1 - similarity**2) ** 0.5, 0)] * 3)

    steps.merge_small(tx, being.being_id)

    assert home_of(tx, being, small) == (sibling if joins else root(tx, being))


def test_exactly_the_threshold_is_not_enough(tx, being):
    small = make_topic(tx, being, "Small", [EAST])
    make_topic(tx, being, "Half as like", [(1, 0, 0), (0, 1, 0), (0, 1, 0), (-1, 0, 0), (1, 0, 0), (0, 0, 1)])
    (similarity,) = tx.execute(
        "select 1 - (a.vector <=> b.vector) as s from memory.clusters as a join memory.clusters as b using (being_id)"
        " where a.name = 'Small' and b.name = 'Half as like'"
    )

    merged = "select memory.merge_small_clusters(%s, %s)"
    tx.value(merged, [being.being_id, similarity["s"]])

    assert home_of(tx, being, small) == root(tx, being)


def test_a_topic_joins_only_within_its_own_root(tx, being):
    small = make_topic(tx, being, "Small", [EAST], parent=root(tx, being, "Private"))
    make_topic(tx, being, "Twin at work", [EAST] * 3, parent=root(tx, being, "Business"))

    steps.merge_small(tx, being.being_id)

    assert home_of(tx, being, small) == root(tx, being, "Private")


def test_the_dead_move_along(tx, being):
    small = make_topic(tx, being, "Small", [EAST])
    (dead,) = remember(tx, being, words("Long ago."), cluster=small)
    nodes.change_state(tx, being.being_id, dead, "forget")
    sibling = make_topic(tx, being, "Large", [EAST] * 3)

    steps.merge_small(tx, being.being_id)

    assert seen(tx, being, dead).cluster_id == sibling


def test_a_topic_without_active_nodes_is_similar_to_no_other_and_joins_its_root(tx, being):
    faded = make_topic(tx, being, "Faded", [])
    (dead,) = remember(tx, being, words("Long ago."), cluster=faded)
    nodes.change_state(tx, being.being_id, dead, "forget")
    make_topic(tx, being, "Large", [EAST] * 3)

    steps.merge_small(tx, being.being_id)

    assert seen(tx, being, dead).cluster_id == root(tx, being)


def test_an_empty_topic_goes(tx, being):
    empty = make_topic(tx, being, "Empty", [])

    assert steps.merge_small(tx, being.being_id) == 1
    assert empty not in {cluster.cluster_id for cluster in clusters.live(tx, being.being_id)}


def test_vectors_that_cancel_out_are_similar_to_no_other(tx, being):
    undirected = make_topic(tx, being, "North and south", [NORTH, SOUTH])
    make_topic(tx, being, "Large", [EAST] * 3)

    steps.merge_small(tx, being.being_id)

    assert home_of(tx, being, undirected) == root(tx, being)


def test_a_topic_that_grew_by_the_merge_before_it_stays(tx, being):
    """One after the other by age, with live counts: the older joins the younger, which is then large enough."""
    older = make_topic(tx, being, "Older", [EAST] * 2)
    younger = make_topic(tx, being, "Younger", [EAST] * 2)

    assert steps.merge_small(tx, being.being_id) == 1
    assert home_of(tx, being, older) == younger
    assert home_of(tx, being, younger) == younger


def test_a_topic_with_topics_below_it_stays(tx, being):
    parent = make_topic(tx, being, "Parent", [])
    make_topic(tx, being, "Child", [EAST] * 3, parent=parent)

    assert steps.merge_small(tx, being.being_id) == 0
    assert home_of(tx, being, parent) == parent


def test_a_removed_topic_leads_to_where_its_memories_are(tx, being):
    first = make_topic(tx, being, "First", [at(0)] * 1)
    second = make_topic(tx, being, "Second", [at(10)] * 1)
    third = make_topic(tx, being, "Third", [at(20)] * 1)

    steps.merge_small(tx, being.being_id)

    # First joins second; with two nodes second joins third, where all three are enough for a topic.
    assert home_of(tx, being, first) == home_of(tx, being, second) == third
    assert len(nodes.page(tx, being.being_id, limit=10, cluster_id=third)) == 3


def test_another_beings_topics_are_never_siblings(tx, user, being):
    other = make_being(tx, user)
    make_topic(tx, other, "Twin", [EAST] * 3)
    small = make_topic(tx, being, "Small", [EAST])

    steps.merge_small(tx, being.being_id)

    assert home_of(tx, being, small) == root(tx, being)


def test_roots_are_never_merged(tx, being):
    assert steps.merge_small(tx, being.being_id) == 0
    assert len(clusters.live(tx, being.being_id)) == 2


def plainly_merged(topics):
    """❼ as the seed says it, over lists of angles: where each topic's nodes end up, None for the root."""
    live = dict(enumerate(topics))
    went = {}

    def direction(angles):
        return np.mean([np.float16(at(angle)).astype(float) for angle in angles], axis=0)

    def similarity(one, other):
        one, other = direction(one), direction(other)
        lengths = np.linalg.norm(one) * np.linalg.norm(other)
        # Nodes that cancel out have no direction, and are similar to no topic.
        return one @ other / lengths if lengths else -1.0

    for name in range(len(topics)):
        if len(live[name]) > 2:
            continue
        angles = live.pop(name)
        scores = {other: similarity(angles, theirs) for other, theirs in live.items() if angles and theirs}
        best = max(scores, key=scores.get, default=None)
        went[name] = best if best is not None and scores[best] > 0.45 else None
        if went[name] is not None:
            live[went[name]] = [*live[went[name]], *angles]
    return went


# Angles far enough apart that half precision can't turn a comparison around.
ANGLES = st.integers(0, 11).map(lambda hour: hour * 30 + hour**2 % 7)


@settings(max_examples=settings.default.max_examples // 3)
@given(topics=st.lists(st.lists(ANGLES, max_size=4), max_size=5))
def test_merging_does_what_the_seed_says(store, topics):
    with store.transaction() as tx:
        being = make_being(tx, make_user(tx))
        ids = [make_topic(tx, being, f"Topic {name}", map(at, angles)) for name, angles in enumerate(topics)]
        before = nodes.page(tx, being.being_id, limit=100)

        merged = steps.merge_small(tx, being.being_id)

        went = plainly_merged(topics)
        assert merged == len(went)
        rows = tx.execute("select cluster_id, merged_into from memory.clusters where cluster_id = any(%s)", [ids])
        into = {row["cluster_id"]: row["merged_into"] for row in rows}
        for name, cluster_id in enumerate(ids):
            expected = went.get(name, name)
            assert into[cluster_id] == (
                None if name not in went else root(tx, being) if expected is None else ids[expected]
            )
        after = {node.node_id: node for node in nodes.page(tx, being.being_id, limit=100)}
        assert {node.node_id for node in before} == set(after)
        live = {cluster.cluster_id for cluster in clusters.live(tx, being.being_id)}
        assert {node.cluster_id for node in after.values()} <= live
        tx.rollback()
