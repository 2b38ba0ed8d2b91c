"""A person's forgetting or reviving can be undone: the memory is what it would be without it."""

import pytest

from schemas.errors import NotFound, Refused
from store.accounts import beings
from store.nodes import nodes
from store.patrol import steps
from tests.scenes import remember, seen, settled, words

LIFE = (
    *("status", "session_count", "effective_importance", "reactivation_count", "last_activated", "pinned"),
    *("absorbed_into", "forgotten_at", "patrols_left"),
)


@pytest.fixture
def tx(store):
    with store.transaction() as tx:
        yield tx


@pytest.fixture
def life(tx, being):
    """The state of a node."""
    return lambda node_id: {name: getattr(seen(tx, being, node_id), name) for name in LIFE}


def pass_patrols(tx, being, count):
    for _ in range(count):
        steps.raise_counter(tx, being.being_id)
        steps.flag_dying(tx, being.being_id)


@pytest.fixture
def node_id(request, tx, being):
    """A node in a state that a person can change."""
    node_id, survivor = remember(tx, being, words(importance=0.6), words(importance=0.9))
    pass_patrols(tx, being, 3)
    if request.param in {"dying", "dead"}:
        pass_patrols(tx, being, 80)
        assert seen(tx, being, node_id).status == "dying"
    if request.param == "dead":
        settled(tx, being, [node_id])
        steps.make_dead(tx, being.being_id, [node_id])
    if request.param == "forgotten":
        nodes.change_state(tx, being.being_id, node_id, "forget")
    if request.param == "absorbed":
        tx.execute(
            """
            update memory.memory_nodes
            set status = 'dead', absorbed_into = %s, session_count_base = null, final_session_count = 3,
                reactivations_at_death = 0
            where being_id = %s and node_id = %s
            """,
            [survivor, being.being_id, node_id],
        )
    return node_id


@pytest.mark.parametrize(
    ("node_id", "change"),
    [
        *((state, "forget") for state in ("active", "dying", "dead", "absorbed")),
        *((state, "revive") for state in ("dying", "dead", "absorbed", "forgotten")),
    ],
    indirect=["node_id"],
)
def test_the_memory_is_as_before(tx, being, life, node_id, change):
    before = life(node_id)
    nodes.change_state(tx, being.being_id, node_id, change)
    assert life(node_id) != before
    nodes.change_state(tx, being.being_id, node_id, "undo")
    assert life(node_id) == before


def test_patrols_that_passed_meanwhile_count(tx, being):
    (node_id,) = remember(tx, being, words(importance=0.6))
    pass_patrols(tx, being, 3)
    nodes.change_state(tx, being.being_id, node_id, "forget")
    pass_patrols(tx, being, 2)
    nodes.change_state(tx, being.being_id, node_id, "undo")
    assert seen(tx, being, node_id).session_count == 5


def test_a_change_is_undone_once(store, being):
    with store.transaction() as tx:
        (node_id,) = remember(tx, being, words())
        nodes.change_state(tx, being.being_id, node_id, "forget")
        nodes.change_state(tx, being.being_id, node_id, "undo")
    with pytest.raises(Refused), store.transaction() as tx:
        nodes.change_state(tx, being.being_id, node_id, "undo")


def test_what_happened_since_is_not_overwritten(store, being):
    with store.transaction() as tx:
        (node_id,) = remember(tx, being, words())
        nodes.change_state(tx, being.being_id, node_id, "forget")
        nodes.change_state(tx, being.being_id, node_id, "revive")
        nodes.change_state(tx, being.being_id, node_id, "pin")
    with pytest.raises(Refused), store.transaction() as tx:
        nodes.change_state(tx, being.being_id, node_id, "undo")


def test_no_other_beings_memory_is_changed(store, being):
    with store.transaction() as tx:
        (node_id,) = remember(tx, being, words())
        other = beings.add_being(tx, being.user_id, "another", "Another")
        nodes.change_state(tx, being.being_id, node_id, "forget")
    with pytest.raises(NotFound), store.transaction() as tx:
        nodes.change_state(tx, other.being_id, node_id, "undo")
