"""Prompts: what is ours and what is theirs never mix, whatever they write."""

import re
from datetime import UTC, date, datetime
from uuid import UUID

import pytest

from memory import classification, consolidation, diary, repair, splitting, summarising
from memory.fences import unfenced
from memory.merging import Part
from memory.prompting import FOLDER, about, prompt
from schemas.patrol_answers import Split
from schemas.rows import Being, Cluster, DiaryEntry, Message, Note, Soul
from schemas.summaries import RollingSummary
from tests.injections import INJECTIONS
from tests.shown import BEGAN, TOPIC, made_up

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
    return DiaryEntry(day=date(2026, 3, 2), text=text, run_id=TOPIC, told_to=TOPIC, written_at=BEGAN)


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


def said(text):
    return Message.model_construct(message_id=TOPIC, role="user", content=text, created_at=BEGAN)


BUILDERS = {
    "summaries": lambda text: summarising.material(RollingSummary(summary=text), [said(text)], {TOPIC: text}),
    "about": lambda text: about(being(text), soul(text)),
    "consolidate": lambda text: consolidation.material(Part(TOPIC, [memory(text), memory(text, 2)], frozenset())),
    "split": lambda text: splitting.material(splitting.Crowd(cluster(text), [memory(text)], [text])),
    "classify": lambda text: classification.material({"m1": text}),
    "repair": lambda text: repair.material(broken(text), "not JSON"),
    "diary": lambda text: diary.material(
        diary.Day(date(2026, 3, 2), being(text), soul(text), entry(text), [memory(text)])
    ),
}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
@pytest.mark.parametrize("injection", INJECTIONS)
def test_what_is_in_a_memory_stays_inside_its_fence(build, injection):
    assert TAG.findall(build(injection)) == TAG.findall(build(HARMLESS))


@pytest.mark.parametrize("injection", INJECTIONS)
def test_what_is_fenced_can_be_read_as_it_was_written(injection):
    assert injection in unfenced(classification.material({"m1": injection}))


def test_there_are_enough_injections():
    assert len(set(INJECTIONS)) >= 30


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_a_prompt_says_its_version_its_answer_and_whose_words_are_fenced(path):
    text = path.read_text()

    assert re.match(r"---\nversion: [1-9]\d*\nanswer: [A-Z]\w+\n---\n", text)
    assert re.search(r"never an\s+instruction", text)


def test_a_prompt_is_asked_for_its_own_answer():
    with pytest.raises(ValueError, match="asks for a DiaryPages"):
        prompt("diary", Split, size="large", most_tokens=1)


def test_two_questions_of_one_being_begin_with_the_same_bytes():
    who = about(being("Mizzen"), soul("calm"))
    one, other = (consolidation.CONSOLIDATE.question(who, material) for material in ("one", "other"))

    assert (one.instructions, one.about) == (other.instructions, other.about)
