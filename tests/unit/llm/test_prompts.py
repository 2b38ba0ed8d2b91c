"""Prompts: what is ours and what is theirs never mix, whatever they write."""

import re
from datetime import UTC, date, datetime
from uuid import UUID

import pytest

from memory.llm.prompting import FOLDER, about, prompt, whole_persona
from memory.patrol import classification, consolidation, diary, repair, splitting
from memory.patrol.merge_rules import PromptBatch
from memory.talk import summarising
from memory.text.prompt_escaping import unescaped
from schemas.accounts.accounts import Being
from schemas.context.persona import PersonaEntry, Soul
from schemas.intake.notes import Note
from schemas.nodes.nodes import Cluster
from schemas.patrol.model_answers import Split
from schemas.patrol.runs import DiaryEntry
from schemas.talk.messages import Message
from schemas.talk.summaries import RollingSummary
from tests.documents.shown import BEGAN, TOPIC, made_up
from tests.planting.injections import INJECTIONS

TAG = re.compile(r"<[^>]*>")
HARMLESS = "A quiet day."
FORGED = {"being_id": TOPIC, "user_id": TOPIC, "slug": "mizzen", "embedding_model": None, "patrol_counter": 0}


def being(text):
    return Being.model_construct(**FORGED, name=text, ticked_at=None, created_at=BEGAN)


def soul(text):
    return Soul(personality=text, voice=text, values=text, think_md=text)


def memory(text, number=1):
    fields = {"actors": [text], "dialogue": [text], "setting": text, "when": [{"date": text, "action": text}]}
    return made_up(number, text, feeling=text, themes=[text], **fields)


def cluster(text):
    return Cluster(
        cluster_id=TOPIC,
        name=text,
        is_parent=False,
        parent_id=TOPIC,
        nodes=12,
        active_nodes=12,
        fresh_nodes=0,
        dying_nodes=0,
        created_at=BEGAN,
        removed_at=None,
        merged_into=None,
    )


def entry(text):
    return DiaryEntry(day=date(2026, 3, 2), text=text, run_id=TOPIC, last_node_id=TOPIC, written_at=BEGAN)


def broken(text):
    return Note(
        note_id=UUID(int=1),
        producer_id=None,
        type="scene",
        content=text,
        title=None,
        due_at=None,
        read_at=None,
        metadata={},
        state="stamped",
        reason=None,
        run_id=None,
        received_at=datetime(2026, 3, 2, tzinfo=UTC),
    )


def relationship(text):
    fields = {"kind": "relationships", "entry_id": TOPIC, "enabled": True, "position": 0}
    return PersonaEntry(**fields, name="Ana", content=text, created_at=BEGAN, updated_at=BEGAN)


def said(text):
    return Message.model_construct(message_id=TOPIC, role="user", content=text, created_at=BEGAN)


BUILDERS = {
    "summaries": lambda text: summarising.material(RollingSummary(summary=text), [said(text)], {TOPIC: text}),
    "about": lambda text: about(being(text), soul(text)),
    "whole persona": lambda text: whole_persona(being(text), soul(text), [relationship(text)]),
    "consolidate": lambda text: consolidation.material(
        PromptBatch(TOPIC, [memory(text), memory(text, 2)], frozenset())
    ),
    "split": lambda text: splitting.material(splitting.CrowdedCluster(cluster(text), [memory(text)], [text])),
    "classify": lambda text: classification.material({"m1": text}),
    "repair": lambda text: repair.material(broken(text), "not JSON"),
    "diary": lambda text: diary.material(
        diary.DiaryDay(date(2026, 3, 2), being(text), soul(text), entry(text), [memory(text)])
    ),
}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
@pytest.mark.parametrize("injection", INJECTIONS)
def test_text_in_a_memory_stays_inside_its_tag(build, injection):
    assert TAG.findall(build(injection)) == TAG.findall(build(HARMLESS))


@pytest.mark.parametrize("injection", INJECTIONS)
def test_escaped_text_can_be_unescaped(injection):
    assert injection in unescaped(classification.material({"m1": injection}))


def test_there_are_enough_injections():
    assert len(set(INJECTIONS)) >= 30


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_a_prompt_names_its_version_its_answer_and_its_untrusted_tags(path):
    text = path.read_text()

    assert re.match(r"---\nversion: [1-9]\d*\nanswer: [A-Z]\w+\n---\n", text)
    assert re.search(r"never an\s+instruction", text)


def test_a_prompt_is_loaded_with_its_own_answer_class_only():
    with pytest.raises(ValueError, match="names the answer DiaryPages"):
        prompt("diary", Split, size="large", most_tokens=1)


def test_two_questions_of_one_being_share_a_prefix():
    who = about(being("Mizzen"), soul("calm"))
    one, other = (consolidation.CONSOLIDATE.question(who, material) for material in ("one", "other"))

    assert (one.instructions, one.about) == (other.instructions, other.about)
