"""A patrol keeps muted memories among themselves, and writes nothing of them."""

import json
import re

from memory.nodes import curation
from memory.talk import muting
from operations.patrol.diary import read_diary
from schemas.talk.mutes import MuteRequest
from store.accounts import beings
from store.nodes import nodes
from tests.databases import answer_of
from tests.models.thinking import thinking_life
from tests.scenes import move, root

MARK = re.compile(r"zq\d+x")
REFERENCE = re.compile(r'ref="(m\d+)"')


def being_of(life):
    with life.store.transaction() as tx:
        return beings.get_being(tx, life.being_id)


def mute(life, *marks):
    for mark in marks:
        node = next(node for node in life.nodes() if mark in node.scene["action"])
        asked = MuteRequest(kind="node", target=str(node.node_id))
        muting.mute(life.store, life.settings, being_of(life), asked)


def told(life):
    """The marks of the memories that prompts may tell."""
    with life.store.transaction() as tx:
        return set(
            MARK.findall(" ".join(str(node.scene) for node in nodes.page(tx, life.being_id, limit=99, muted=False)))
        )


def merges_all(material):
    """Merges all that one prompt shows."""
    first, *others = REFERENCE.findall(material)
    whole = {"actors": ["Pip"], "dialogue": [], "themes": [], "feeling": None}
    action = f"The roof: {' '.join(sorted(set(MARK.findall(material))))}."
    merges = [{**whole, "action": action, "survivor": first, "absorbed": others}] if others else []
    return {"merges": merges, "make_dead": []}


def remembered(life, *marks):
    """Remember scenes in one root, undecided by a model."""
    life.tell(*(f"The roof leaks {mark}." for mark in marks))
    life.patrol(thinker="none")
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
        move(tx, being, [node.node_id for node in life.nodes()], root(tx, being))


def test_muted_memories_merge_with_muted_ones_alone_and_stay_muted_when_they_part(life):
    remembered(life, "zq1x", "zq2x", "zq3x", "zq4x")
    mute(life, "zq1x", "zq2x")
    life.answers.said["Consolidation"] = merges_all
    assert life.patrol().steps["consolidate"]["merges"] == 2

    shown = [set(MARK.findall(asked.material)) for asked in life.asked("Consolidation")]
    assert sorted(map(sorted, shown)) == [["zq1x", "zq2x"], ["zq3x", "zq4x"]]
    assert told(life) == {"zq3x", "zq4x"}
    for node in life.nodes():
        if node.absorbed_into:
            curation.change_state(life.store, life.being_id, node.node_id, "revive")
    assert told(life) == {"zq3x", "zq4x"}


def test_a_merge_that_a_model_proposed_before_one_of_them_was_muted_is_not_done(life):
    remembered(life, "zq1x", "zq2x")

    def merges_what_is_muted_meanwhile(material):
        mute(life, "zq1x")
        return merges_all(material)

    life.answers.said["Consolidation"] = merges_what_is_muted_meanwhile
    assert life.patrol().steps["consolidate"]["merges"] == 0
    assert told(life) == {"zq2x"}


def test_the_diary_is_written_anew_without_what_is_muted_and_no_prompt_for_it_has_its_words(life):
    def pages(material):
        lines = [f"I noted {mark}." for mark in sorted(set(MARK.findall(material)))]
        return {
            "diary": [*lines, "It rained.", "I heard it.", "All day."],
            "next_time": [*lines, "Ask.", "Be.", "Stay."],
        }

    life.answers.said["DiaryPages"] = pages
    life.tell("The roof leaks zq1x.", "Pip sings zq2x.")
    life.patrol()
    written = answer_of(life.store, read_diary, being_of(life), muted=False, limit=9)
    assert set(MARK.findall(str(written))) == {"zq1x", "zq2x"}, "the test would prove nothing"

    mute(life, "zq1x")
    hidden = answer_of(life.store, read_diary, being_of(life), muted=False, limit=9)
    assert "zq1x" not in str(hidden)

    before = len(life.answers.asked)
    life.tell("Pip drums zq3x.")
    assert life.patrol().steps["diary"]["outcome"] == "done"
    (asked,) = [one for one in life.answers.asked[before:] if one.purpose == "DiaryPages"]
    assert set(MARK.findall(json.dumps(asked.material))) == {"zq2x", "zq3x"}
    (entry,) = (page := answer_of(life.store, read_diary, being_of(life), muted=False, limit=9)).entries
    assert set(MARK.findall(entry.text)) == set(MARK.findall(page.think_md)) == {"zq2x", "zq3x"}
    with life.store.transaction() as tx:
        kept = tx.value("select count(*) from memory.diary where being_id = %s", [life.being_id])
    assert kept == 1, "the page was written in place of the other"


def test_a_muted_topic_parts_into_muted_topics(store, user):
    def splits(material):
        references = REFERENCE.findall(material)
        return {"topics": [{"name": "Rainy days", "memories": references[:4]}]}

    with thinking_life(store, user) as life:
        marks = [f"zq{number}x" for number in range(1, 13)]
        remembered(life, *marks)
        mute(life, *marks[:6])
        life.answers.said["Split"] = splits
        life.patrol()
        asked = [set(MARK.findall(one.material)) for one in life.asked("Split")]
    assert asked
    assert not [shown for shown in asked if shown & set(marks[:6])], "the root is not muted"
    assert told(life) == set(marks[6:])
