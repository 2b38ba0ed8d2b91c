"""Splitting and the birth of topics, with a model that says what the test wants."""

import pytest

from memory.nodes import curation
from memory.nodes.node_erasure import erase_node
from memory.patrol.splitting import CrowdedCluster, check, group_by_similarity
from providers.embedders import Embedders
from providers.errors import BadAnswer
from schemas.limits import BIRTH_NODES, SPLIT_CLUSTERS
from schemas.patrol.model_answers import NewTopic, Split
from store.accounts import beings
from store.nodes import clusters
from store.nodes.shown import newest
from store.patrol import splitting, steps
from tests.models.thinking import thinking_life
from tests.scenes import make_being, make_topic, remember, root, words

CROWD = [f"Pip rowed to island {number}." for number in range(12)]


@pytest.fixture
def life(store, user):
    with thinking_life(store, user) as made:
        yield made


def topics(life):
    with life.store.transaction() as tx:
        return {one.name: one.active_nodes for one in clusters.live(tx, life.being_id)}


def into(**groups):
    return {"topics": [{"name": name.replace("_", " "), "memories": refs} for name, refs in groups.items()]}


def refs(first, last):
    return [f"m{number}" for number in range(first, last + 1)]


def test_a_crowded_root_gives_birth_to_the_topics_that_a_model_names(life):
    life.tell(*CROWD)
    life.answers.said["Split"] = into(Near_islands=refs(1, 5), Far_islands=refs(6, 12))
    run = life.patrol()

    assert topics(life) == {"Business": 0, "Private": 0, "Near islands": 5, "Far islands": 7}
    assert run.steps["split"] | {"topics": 2, "moved": 12, "left": 0} == run.steps["split"]


def test_a_crowded_topic_comes_apart_and_lives_on(life):
    life.tell(*CROWD)
    life.answers.said["Split"] = into(Islands=refs(1, 12))
    life.patrol()
    life.answers.said["Split"] = into(Far_islands=refs(1, 4))
    life.patrol()

    assert topics(life) == {"Business": 0, "Private": 0, "Islands": 8, "Far islands": 4}
    history = curation.story(life.store, life.being_id, life.nodes()[0].node_id).history
    *_, event = [event for event in history if event.event == "moved"]
    assert "response_id" in event.detail


def test_what_was_asked_is_left_in_peace_until_five_more_come(life):
    life.tell(*CROWD)
    life.patrol()
    life.patrol()
    assert len(life.asked("Split")) == 1

    life.tell(*(f"Pip rowed on, {number}." for number in range(5)))
    life.patrol()
    assert len(life.asked("Split")) == 2


def test_what_no_try_gets_right_is_left_in_peace_as_well(life):
    life.tell(*CROWD)
    life.answers.said["Split"] = into(Too_few=refs(1, 2))
    assert life.patrol().steps["split"]["left"] == 1
    assert len(life.asked("Split")) == 3
    life.patrol()
    assert len(life.asked("Split")) == 3

    life.answers.said["Split"] = into(Islands=refs(1, 5))
    life.tell(*(f"Pip rowed on, {number}." for number in range(5)))
    assert life.patrol().steps["split"]["topics"] == 1


@pytest.mark.parametrize("change", ["forget", "pin"])
def test_what_was_touched_since_it_was_shown_stays_where_it_is(life, change):
    life.tell(*CROWD)
    touched = []

    def answer(_):
        if not touched:
            touched.append(life.nodes()[0])
            curation.change_state(life.store, life.being_id, touched[0].node_id, change)
        return into(Near_islands=refs(1, 4), Far_islands=refs(10, 12))

    life.answers.said["Split"] = answer
    run = life.patrol()

    stayed = next(node for node in life.nodes() if node.node_id == touched[0].node_id)
    assert stayed.cluster_id == touched[0].cluster_id
    assert topics(life)["Near islands"] == 3
    assert run.steps["split"]["left"] == 1


def test_a_topic_that_would_be_too_small_by_now_is_not_founded(life):
    life.tell(*CROWD)

    def answer(_):
        curation.change_state(life.store, life.being_id, life.nodes()[0].node_id, "forget")
        return into(Near_islands=refs(1, 3))

    life.answers.said["Split"] = answer
    life.patrol()

    assert "Near islands" not in topics(life)


def test_a_spent_budget_lets_topics_be_born_by_likeness(life):
    life.tell(*CROWD)
    life.patrol(topic_birth=False)
    run = life.patrol(daily_tokens=1)

    assert run.steps["split"]["topics"] >= 1
    assert "budget" in run.steps["split"]["reason"]


def test_topics_are_grouped_without_the_lock_on_the_being_and_what_was_changed_since_stays(life):
    life.tell(*CROWD)
    life.patrol(topic_birth=False)
    with life.store.transaction() as writer:
        steps.raise_counter(writer, life.being_id)
        grouped = group_by_similarity(life.store, Embedders(life.settings), life.being_id, births=True)
    pinned = life.nodes()[0]
    curation.change_state(life.store, life.being_id, pinned.node_id, "pin")

    assert born(life, grouped) == {"topics": 1}
    assert sorted(topics(life).values()) == [0, 1, len(CROWD) - 1]


def test_no_topic_is_named_by_the_words_of_what_was_erased_since(life, store):
    life.tell(*CROWD)
    life.patrol(topic_birth=False)
    grouped = group_by_similarity(life.store, Embedders(life.settings), life.being_id, births=True)
    with store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
    erase_node(store, life.settings, Embedders(life.settings), being, life.nodes()[0].node_id)

    assert born(life, grouped) == {"topics": 0}
    assert topics(life) == {"Business": 0, "Private": len(CROWD) - 1}


def born(life, grouped):
    with life.store.transaction() as tx:
        return grouped.apply(tx, life.being_id)


def test_births_can_be_turned_off(life):
    life.tell(*CROWD)
    assert life.patrol(topic_birth=False).steps["split"]["topics"] == 0
    assert not life.asked("Split")


def test_a_root_shows_its_newest(store, user):
    with store.transaction() as tx:
        being = make_being(tx, user)
        ids = remember(tx, being, *(words(f"event {n}") for n in range(BIRTH_NODES + 5)), cluster=root(tx, being))
        shown = newest(tx, being.being_id, root(tx, being), BIRTH_NODES)[::-1]

    assert [node.node_id for node in shown] == ids[5:]


def test_a_run_asks_of_so_many_topics_and_leaves_the_rest_for_later(store, user):
    with store.transaction() as tx:
        being = make_being(tx, user)
        for topic in range(SPLIT_CLUSTERS + 3):
            ids = remember(tx, being, *(words(f"event {n}") for n in range(11)), cluster=root(tx, being))
            make_topic(tx, being, f"Topic {topic}", ids)
        first = splitting.crowded(tx, being.being_id, roots=True)
        for cluster in first:
            splitting.mark_asked(tx, being.being_id, cluster.cluster_id)
        second = splitting.crowded(tx, being.being_id, roots=True)

    assert (len(first), len(second)) == (SPLIT_CLUSTERS, 3)


@pytest.fixture
def crowded(store, user):
    """A sub-cluster of twelve, and its root."""
    with store.transaction() as tx:
        being = make_being(tx, user)
        ids = remember(tx, being, *(words(f"event {n}") for n in range(12)), cluster=root(tx, being))
        make_topic(tx, being, "Islands", ids)
        (cluster,) = splitting.crowded(tx, being.being_id, roots=True)
        nodes = newest(tx, being.being_id, cluster.cluster_id, BIRTH_NODES)[::-1]
    return CrowdedCluster(cluster, nodes, ["Boats"])


@pytest.mark.parametrize(
    ("groups", "complaint"),
    [
        ({"Far islands": refs(1, 2)}, "at least 3"),
        ({"Far islands": refs(1, 10)}, "At least 3 memories must be named in no topic"),
        ({"Far islands": [*refs(1, 3), "m99"]}, "not there"),
        ({"Far islands": refs(1, 3), "Near islands": refs(3, 6)}, "one topic at most.*m3"),
        ({"Far islands": refs(1, 3), "far  Islands": refs(4, 6)}, "name of its own"),
        ({"boats": refs(1, 3)}, "name of its own"),
        ({"islands": refs(1, 3)}, "name of its own"),
        ({" ": refs(1, 3)}, "name"),
        ({"Far islands, and what else there was to be seen from the boat": refs(1, 3)}, "60 characters"),
    ],
)
def test_a_split_against_the_rules_is_refused(crowded, groups, complaint):
    with pytest.raises(BadAnswer, match=complaint):
        check(crowded, Split(topics=[NewTopic(name=name, memories=memories) for name, memories in groups.items()]))


def test_a_split_by_the_rules_is_taken(crowded):
    check(crowded, Split(topics=[]))
    check(crowded, Split(topics=[NewTopic(name="Far islands", memories=refs(1, 9))]))
