"""How a memory fades, what keeps it, and how it comes back."""

import pytest

from memory.nodes import curation
from schemas.errors import Refused
from store.patrol import steps


def test_each_patrol_makes_a_memory_weigh_a_little_less(life):
    life.happens("Mira baked buns.", importance=0.5)
    life.patrol()
    assert life.memory().session_count == 1
    life.patrol(2)
    assert life.memory().session_count == 3
    assert life.memory().effective_importance == pytest.approx(0.5 * 2.718281828 ** (-3 / 30))


def test_a_slight_memory_is_dying_when_it_has_sunk_to_a_twentieth(life):
    life.happens("A bus went by.", importance=0.06)
    life.patrol(5)
    assert life.memory().status == "active"
    life.patrol()
    assert life.memory().status == "dying"


def test_what_weighs_nothing_is_fresh_and_dying_at_once(life):
    life.happens("A bus went by.", importance=0.05)
    life.patrol()
    assert (life.memory().status, life.memory().fresh) == ("dying", True)


def test_being_recalled_keeps_a_memory_alive(life):
    life.happens("A red bus went by.", importance=0.06)
    life.patrol(5)
    life.recall("red bus")
    assert life.memory().session_count == 0
    life.patrol(5)
    assert life.memory().status == "active"


def test_looking_without_activating_changes_nothing(life):
    life.happens("A red bus went by.", importance=0.06)
    life.patrol(3)
    before = life.memory()
    assert life.recall("red bus", activate=False).nodes
    assert life.memory() == before


def test_a_dying_memory_that_is_recalled_is_active_again_at_once(life):
    life.happens("A red bus went by.", importance=0.06)
    life.patrol(6)
    assert life.memory().status == "dying"
    life.recall("red bus")
    assert life.memory().status == "active"


def test_a_pinned_memory_does_not_fade(life):
    life.happens("Mira was born on a ferry.", importance=0.06)
    life.patrol()
    curation.change_state(life.store, life.being_id, life.memory().node_id, "pin")
    life.patrol(30)
    assert (life.memory().status, life.memory().effective_importance) == ("active", 0.06)


def test_nothing_dies_without_a_model_to_judge_it(life):
    life.happens("A bus went by.", importance=0.05)
    life.patrol(3)
    assert life.memory().status == "dying"


def dies(life):
    """A dying memory that belongs to no other, and its consolidation."""
    with life.store.transaction() as tx:
        node = life.memory()
        tx.execute("update memory.memory_nodes set fresh = false where node_id = %s", [node.node_id])
        steps.make_dead(tx, life.being_id, [node.node_id])


def test_a_dead_memory_is_not_recalled_but_can_be_searched_for(life):
    life.happens("A red bus went by.", importance=0.05)
    life.patrol()
    dies(life)
    assert life.recall("red bus").nodes == []
    assert len(life.search("bus")) == 1


def test_a_dead_memory_that_is_asked_for_is_revived_by_the_next_patrol(life):
    life.happens("A red bus went by.", importance=0.06)
    life.patrol(6)
    dies(life)
    life.search("bus")
    assert life.memory().status == "dead"
    life.patrol()
    assert life.memory().status == "active"


def test_forgetting_on_request_can_be_taken_back(life):
    life.happens("Mira told me a secret about the lighthouse.")
    life.patrol()
    curation.change_state(life.store, life.being_id, life.memory().node_id, "forget")
    assert life.recall("secret lighthouse").nodes == []
    assert life.search("lighthouse") == []
    curation.change_state(life.store, life.being_id, life.memory().node_id, "revive")
    assert len(life.recall("secret lighthouse").nodes) == 1


def test_a_pinned_memory_is_not_forgotten_by_mistake(life):
    life.happens("Mira was born on a ferry.")
    life.patrol()
    curation.change_state(life.store, life.being_id, life.memory().node_id, "pin")
    with pytest.raises(Refused, match="unpin it first"):
        curation.change_state(life.store, life.being_id, life.memory().node_id, "forget")
