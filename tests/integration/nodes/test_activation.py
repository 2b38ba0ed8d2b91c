"""Being found keeps a memory alive, and brings what was nearly gone back."""

from datetime import timedelta
from uuid import uuid4

import pytest

from store.nodes import nodes
from store.patrol import steps
from tests.scenes import absorb, activate, make_being, remember, seen, settled, words


@pytest.fixture
def tx(store):
    with store.transaction() as tx:
        yield tx


@pytest.fixture
def find(tx, being):
    """Let an answer find nodes."""
    return lambda *found: activate(tx, being.being_id, found)


@pytest.fixture
def look(tx, being):
    """A node as it is now."""
    return lambda node_id: seen(tx, being, node_id)


@pytest.fixture
def pass_patrols(tx, being):
    """Let patrols pass: what fades is dying, and what is asked for lives again."""

    def passing(count):
        for _ in range(count):
            steps.raise_counter(tx, being.being_id)
            steps.flag_dying(tx, being.being_id)
            steps.revive_dead(tx, being.being_id)

    return passing


@pytest.fixture
def dead(tx, being, pass_patrols):
    """A node that faded and was let go."""
    (node_id,) = remember(tx, being, words(importance=0.051))
    pass_patrols(1)
    settled(tx, being, [node_id])
    steps.make_dead(tx, being.being_id, [node_id])
    return node_id


def test_being_found_is_counted_and_starts_the_count_of_patrols_again(tx, being, find, look, pass_patrols):
    (node_id,) = remember(tx, being, words())
    pass_patrols(3)
    assert look(node_id).session_count == 3

    find(node_id)

    assert (look(node_id).session_count, look(node_id).reactivation_count) == (0, 1)
    pass_patrols(2)
    assert look(node_id).session_count == 2


def test_being_found_is_remembered_by_the_domains_clock(store, being, clock):
    with store.transaction() as tx:
        (node_id,) = remember(tx, being, words())
        assert seen(tx, being, node_id).last_activated is None
    clock.advance(days=30)
    with store.transaction() as tx:
        activate(tx, being.being_id, [node_id])
        node = seen(tx, being, node_id)

    assert node.last_activated - node.created_at >= timedelta(days=30)


def test_a_dying_node_that_is_found_is_active(tx, being, find, look, pass_patrols):
    (node_id,) = remember(tx, being, words(importance=0.051))
    pass_patrols(1)
    assert look(node_id).status == "dying"

    find(node_id)

    assert (look(node_id).status, look(node_id).reactivation_count) == ("active", 1)
    assert look(node_id).effective_importance == 0.051


def test_a_dead_node_that_is_found_counts_two_and_lives_after_the_next_patrol(find, look, pass_patrols, dead):
    find(dead)
    assert (look(dead).status, look(dead).reactivation_count, look(dead).session_count) == ("dead", 2, 0)

    pass_patrols(1)

    assert look(dead).status == "active"


def test_a_dead_node_that_is_not_found_stays_dead(look, pass_patrols, dead):
    pass_patrols(5)

    assert look(dead).status == "dead"


def test_what_was_found_before_it_died_does_not_revive_it(tx, being, find, look, pass_patrols):
    (node_id,) = remember(tx, being, words(importance=0.051))
    find(node_id)
    find(node_id)
    pass_patrols(1)
    settled(tx, being, [node_id])
    steps.make_dead(tx, being.being_id, [node_id])
    tx.execute("update memory.memory_nodes set final_session_count = 0 where node_id = %s", [node_id])

    pass_patrols(1)

    assert look(node_id).status == "dead"


def test_an_absorbed_node_credits_its_final_survivor_and_stays_dead(tx, being, find, look, pass_patrols):
    first, second, final = remember(tx, being, words("One."), words("Two."), words("Three."))
    absorb(tx, being.being_id, second, [first])
    absorb(tx, being.being_id, final, [second])

    find(first)
    pass_patrols(1)

    assert (look(first).reactivation_count, look(first).status) == (2, "dead")
    assert (look(second).reactivation_count, look(second).last_activated) == (0, None)
    assert look(final).reactivation_count == 1


def test_a_survivor_is_credited_once_an_answer(tx, being, find, look):
    *absorbed, survivor = remember(tx, being, words("One."), words("Two."), words("Three."))
    absorb(tx, being.being_id, survivor, absorbed)

    find(*absorbed, survivor)

    assert look(survivor).reactivation_count == 1


def test_a_node_is_credited_once_however_often_an_answer_names_it(tx, being, find, look):
    (node_id,) = remember(tx, being, words())

    find(node_id, node_id)

    assert look(node_id).reactivation_count == 1


def test_what_was_forgotten_is_not_found_and_takes_no_credit(tx, being, find, look):
    absorbed, survivor = remember(tx, being, words("One."), words("Two."))
    absorb(tx, being.being_id, survivor, [absorbed])
    nodes.change_state(tx, being.being_id, survivor, "forget")

    find(absorbed, survivor)

    assert (look(survivor).reactivation_count, look(survivor).last_activated) == (0, None)


def test_a_pinned_node_keeps_its_importance_and_goes_on_counting(tx, being, look, pass_patrols):
    (node_id,) = remember(tx, being, words(importance=0.06))
    nodes.change_state(tx, being.being_id, node_id, "pin")
    pass_patrols(50)

    assert (look(node_id).status, look(node_id).session_count) == ("active", 50)
    assert look(node_id).effective_importance == 0.06
    nodes.change_state(tx, being.being_id, node_id, "unpin")
    pass_patrols(1)
    assert look(node_id).status == "dying"


def test_pinning_a_dying_node_makes_it_active_and_it_goes_on_counting_where_it_stopped(tx, being, look, pass_patrols):
    (node_id,) = remember(tx, being, words(importance=0.051))
    pass_patrols(4)
    assert (look(node_id).status, look(node_id).session_count) == ("dying", 1)

    nodes.change_state(tx, being.being_id, node_id, "pin")
    pass_patrols(1)

    assert (look(node_id).status, look(node_id).session_count) == ("active", 2)


def test_a_weight_too_small_to_compute_with_fades_like_any_other(tx, being, look, pass_patrols):
    (node_id,) = remember(tx, being, words(importance=5e-324))
    nodes.change_state(tx, being.being_id, node_id, "pin")
    pass_patrols(1)
    nodes.change_state(tx, being.being_id, node_id, "unpin")
    tx.execute("update memory.beings set patrol_counter = 1000000")

    assert look(node_id).effective_importance == 0


def test_finding_nothing_changes_nothing(tx, being, find, look):
    (node_id,) = remember(tx, being, words())

    find()
    find(uuid4())

    assert look(node_id).last_activated is None


def test_another_beings_memory_is_out_of_reach(tx, user, being, look):
    (node_id,) = remember(tx, being, words())

    activate(tx, make_being(tx, user).being_id, [node_id])

    assert look(node_id).reactivation_count == 0


def test_a_nodes_history_tells_its_life(tx, being, find, pass_patrols, dead):
    find(dead)
    pass_patrols(1)
    nodes.change_state(tx, being.being_id, dead, "pin")
    nodes.change_state(tx, being.being_id, dead, "unpin")
    nodes.change_state(tx, being.being_id, dead, "forget")
    nodes.change_state(tx, being.being_id, dead, "revive")

    events = [line.event for line in nodes.history(tx, being.being_id, dead)]

    assert events == [
        "born",
        "dying",
        "consolidated",
        "dead",
        "active again",
        "pinned",
        "unpinned",
        "forgotten",
        "active again",
    ]
