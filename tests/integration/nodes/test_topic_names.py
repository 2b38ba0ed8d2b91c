"""Names of topics: words without a key, a model's once there is one, and a person's for good."""

import pytest

from schemas.errors import NotFound, Refused
from store.accounts import beings
from store.nodes import clusters
from store.nodes import topic_names as stored_names
from tests.models.thinking import thinking_life
from tests.scenes import root

CROWD = [f"Pip rowed to island {number}." for number in range(12)]


@pytest.fixture
def life(store, user):
    with thinking_life(store, user) as made:
        yield made


def topics(life):
    with life.store.transaction() as tx:
        return {one.name: one for one in clusters.live(tx, life.being_id) if not one.is_parent}


def split_by_a_model(life, *names):
    refs = [f"m{number}" for number in range(1, 13)]
    half = len(refs) // len(names)
    life.answers.said["Split"] = {
        "topics": [
            {"name": name, "memories": refs[place * half : (place + 1) * half]} for place, name in enumerate(names)
        ]
    }
    life.tell(*CROWD)
    life.patrol()


def test_a_topic_is_named_by_words_and_properly_once_there_is_a_key(life):
    life.tell(*CROWD)
    life.patrol(thinker="none")
    (by_words,) = topics(life).values()
    assert by_words.named_by == "words"
    assert "island" in by_words.name.lower()

    life.answers.said["TopicName"] = {"name": "Rowing to islands"}
    run = life.patrol()
    life.patrol()

    assert {name: topic.named_by for name, topic in topics(life).items()} == {"Rowing to islands": "model"}
    assert run.steps["split"]["named"] == 1
    assert by_words.name in life.asked("TopicName")[0].material
    assert len(life.asked("TopicName")) == 1


def test_a_topic_that_no_answer_names_keeps_its_words_and_is_not_asked_about_again(life):
    life.tell(*CROWD)
    life.patrol(thinker="none")
    before = set(topics(life))
    life.answers.said["TopicName"] = {"name": " "}
    life.patrol()
    asked = len(life.asked("TopicName"))
    life.patrol()

    assert set(topics(life)) == before
    assert len(life.asked("TopicName")) == asked == 3


def test_a_name_that_a_model_chose_when_it_saw_an_erased_memory_goes(life):
    split_by_a_model(life, "Near islands", "Far islands")
    life.answers.said["Split"] = {"topics": []}
    done = life.erase("Pip rowed to island 11")

    # Both, for the model chose both names when it was shown all.
    assert done.renamed == 2
    assert not {"Near islands", "Far islands"} & set(topics(life))
    assert {topic.named_by for topic in topics(life).values()} == {"words"}

    life.answers.said["TopicName"] = lambda material: {"name": f"Trips {material.count('island 1.')}"}
    life.patrol()
    assert set(topics(life)) == {"Trips 0", "Trips 1"}


def test_a_later_memory_did_not_give_a_topic_its_name(life):
    split_by_a_model(life, "Near islands", "Far islands")
    life.answers.said["Split"] = {"topics": []}
    life.tell("Pip rowed to island 99.")
    life.patrol()

    assert life.erase("Pip rowed to island 99").renamed == 0
    assert set(topics(life)) == {"Near islands", "Far islands"}


def change(life, cluster_id, **wanted):
    with life.store.transaction() as tx:
        return stored_names.change(tx, life.being_id, cluster_id, **wanted)


def test_a_person_renames_and_moves_topics_and_patrols_keep_the_name(life):
    split_by_a_model(life, "Near islands", "Far islands")
    near = topics(life)["Near islands"]
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
        business = root(tx, being, "Business")
    changed = change(life, near.cluster_id, name="Sundays", root="Business")
    assert (changed.name, changed.named_by, changed.parent_id) == ("Sundays", "person", business)
    moved_back = change(life, near.cluster_id, name=None, root="Private")
    assert (moved_back.name, moved_back.named_by, moved_back.parent_id) == ("Sundays", "person", near.parent_id)

    life.erase("Pip rowed to island 0")
    life.patrol()
    assert "Sundays" in topics(life)


def test_roots_and_topics_that_are_gone_can_not_be_changed(life):
    life.tell("Pip rowed.")
    life.patrol()
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
        private = root(tx, being, "Private")
    with pytest.raises(Refused, match="Private is a root"):
        change(life, private, name="Mine", root=None)
    with pytest.raises(NotFound):
        change(life, life.being_id, name="Mine", root=None)
