"""Batches for prompts: within their limits, complete, and each marked node decided once."""

from hypothesis import given
from hypothesis import strategies as st

from memory.nodes.prompt_rendering import NODE_TOKENS
from memory.patrol.prompt_batches import batches, fits, whole
from schemas.limits import NEAREST_NODES, PART_NODES, PART_TOKENS
from tests.documents.shown import TOPIC, made_up


@st.composite
def neighbourhoods(draw):
    """Some memories of any length, and for some of them up to ten others that are near."""
    lengths = draw(st.lists(st.sampled_from([20, 500, 2_000]), min_size=1, max_size=90))
    nodes = [made_up(number, "x" * length) for number, length in enumerate(lengths, start=1)]
    ids = [node.node_id for node in nodes]
    marked = draw(st.lists(st.sampled_from(ids), unique=True))
    near = {
        each: [
            other
            for other in draw(st.lists(st.sampled_from(ids), unique=True, max_size=NEAREST_NODES))
            if other != each
        ]
        for each in marked
    }
    return near, {node.node_id: node for node in nodes}


@given(neighbourhoods())
def test_each_marked_memory_is_asked_about_once_with_all_that_is_near(world):
    near, nodes = world
    made = batches(TOPIC, near, nodes)

    assert sorted(each for part in made for each in part.to_decide) == sorted(near)
    for part in made:
        there = {node.node_id for node in part.nodes}
        assert fits(part.nodes)
        assert all({each, *near[each]} <= there for each in part.to_decide)
        assert [node.created_at for node in part.nodes] == sorted(node.created_at for node in part.nodes)


def test_what_is_alike_stays_together():
    nodes = {node.node_id: node for node in (made_up(number) for number in range(1, 91))}
    ids = list(nodes)
    # Every other memory is one of a chain of neighbours; the chain is longer than what lies between.
    near = {ids[number]: [ids[number + 2]] for number in range(88)}
    first, *_ = batches(TOPIC, near, nodes)

    assert {ids.index(each) % 2 for each in first.to_decide} == {0}


def test_a_small_topic_is_shown_whole():
    part = whole(TOPIC, [made_up(2), made_up(1)])

    assert list(part.by_reference) == ["m1", "m2"]
    assert part.by_reference["m1"] == made_up(1)
    assert part.to_decide == {node.node_id for node in part.nodes}


def test_any_neighbourhood_fits():
    assert (NEAREST_NODES + 1) * (NODE_TOKENS + 20) <= PART_TOKENS
    assert NEAREST_NODES < PART_NODES
