"""Each prompt has an example of a whole answer: the rules that answers pass apply to it as well."""

import json
import pkgutil
import re
from datetime import UTC, date, datetime
from importlib import import_module
from uuid import UUID

import pytest

import memory
from memory.asking import planning
from memory.asking.checking import SentenceCheck
from memory.asking.sources import Key, Source
from memory.facts import extraction_rules
from memory.facts.confidence_rules import ShownMessage
from memory.grounding.setting import Setting
from memory.llm.prompting import FOLDER, Prompt
from memory.nodes import topic_names
from memory.patrol import classification, diary, merge_rules, repair, splitting
from memory.talk import joint_summary, rolling, scene_rules, session_summary, spine
from samples.canned.material import Material
from schemas.intake.notes import Note
from schemas.settings import Settings
from schemas.talk.messages import Message
from tests.documents.shown import TOPIC, made_up
from tests.unit.llm.test_prompts import cluster

# Who talks to the companion in every example.
USER = "Odile"
ROLES = {"user": "user", "companion": "assistant"}
PROMPTS = {
    f"{prompt.purpose} {prompt.answer.__name__}": prompt
    for module in pkgutil.walk_packages(memory.__path__, "memory.")
    for prompt in vars(import_module(module.name)).values()
    if isinstance(prompt, Prompt)
}


def each(*names):
    return pytest.mark.parametrize("prompt", [PROMPTS[name] for name in names or sorted(PROMPTS)], ids=str_of)


def str_of(prompt):
    return f"{prompt.purpose}-{prompt.answer.__name__}"


def answer_of(prompt):
    return prompt.answer.model_validate_json(prompt.example.answer)


def messages(material):
    """The messages of an example, by ref or else by place."""
    return {
        fence.ref or f"place {place}": Message.model_construct(
            message_id=UUID(int=place),
            role=ROLES.get(by := fence.attributes["by"], "other"),
            speaker=None if by in ROLES else by,
            content=fence.text,
            created_at=datetime.fromisoformat(fence.attributes["at"]).replace(tzinfo=UTC),
            in_confidence="in-confidence" in fence.attributes,
            aged=False,
        )
        for place, fence in enumerate(material.all("message"), start=1)
    }


def nodes(material):
    shown = {}
    for number, fence in enumerate(material.all("memory"), start=1):
        fields = fence.content
        feeling, themes = fields.pop("feeling", None), fields.pop("themes", [])
        node = made_up(number, fields.pop("action"), **fields, feeling=feeling, themes=themes)
        states = {"fresh": fence.is_("fresh"), "may_die": fence.is_("dying"), "pinned": fence.is_("pinned")}
        shown[fence.ref] = node.model_copy(update=states)
    return shown


def judged(material, answer):
    shown = {ref: ShownMessage(one, one.content) for ref, one in messages(material).items()}
    fences = material.all("message")
    new = {shown[fence.ref].message.message_id for fence in fences if fence.attributes["new"] == "yes"}
    todos = {fence.ref: UUID(int=900 + place) for place, fence in enumerate(material.all("todo"))}
    found = extraction_rules.check(answer, shown, new, todos)
    assert not found.dropped
    assert (len(found.facts), len(found.todos)) == (len(answer.facts), len(answer.todos))
    assert {one.message_id for one in found.confidences} == {
        shown[one.message].message.message_id for one in answer.confidences
    }


def reconciled(material, answer):
    new = {fence.ref: fence.attributes["matter"] for fence in material.all("new")}
    known = new | {fence.ref: fence.attributes["matter"] for fence in material.all("earlier")}
    assert {one.new for one in answer.comparisons} == new.keys()
    for one in answer.comparisons:
        assert (one.earlier is None) == (one.relation == "adds")
        assert one.earlier is None or known[one.earlier] == new[one.new]


def folded(material, answer):
    assert set(answer.same) < {fence.attributes["pair"] for fence in material.all("fact")}


def consolidated(material, answer):
    shown = nodes(material)
    assert list(shown) == [f"m{number}" for number in range(1, len(shown) + 1)]
    merge_rules.check(merge_rules.PromptBatch(TOPIC, list(shown.values()), frozenset()), answer)


def split(material, answer):
    topic = cluster(material.one("topic")).model_copy(update={"active_nodes": 6})
    crowd = splitting.CrowdedCluster(topic, list(nodes(material).values()), material.one("neighbours").splitlines())
    splitting.check(crowd, answer)
    assert len(crowd.nodes) - len(answer.topics[0].memories) >= int(material.one("stays"))


def named(material, answer):
    taken = material.one("neighbours").splitlines()
    topic_names.check(topic_names.UnnamedTopic(cluster(material.one("words")), [], taken), answer)


def repaired(material, answer):
    note = material.all("note")[0]
    received = datetime.combine(date.fromisoformat(note.attributes["received"]), datetime.min.time(), UTC)
    repair.check(Note.model_construct(content=note.text, received_at=received), answer)


def summarised(material, answer):
    session_summary.check(answer)
    scenes_pass(material, getattr(answer, "scenes", []))


def summarised_jointly(material, answer):
    joint_summary.check(answer, re.findall(r'<conversation ref="(\w+)"', material.text))
    scenes_pass(material, [scene for one in answer.summaries for scene in getattr(one, "scenes", [])])


def scenes_pass(material, scenes):
    shown = messages(material)
    texts = {one.message_id: one.content for one in shown.values()}
    setting = Setting(known=frozenset({USER, material.one("companion")}))
    for scene in scenes:
        kept = scene_rules.check(scene, shown, texts, "\n".join(texts.values()), UTC, setting).scene
        assert scene.quote in [*kept.dialogue, None]
        assert kept.actors == scene.actors
    if wanted := material.one("scenes-wanted"):
        assert len(scenes) == int(wanted)


def planned(_, answer):
    plan = planning.checked(answer, UTC)
    assert (plan.queries, plan.names, len(plan.counts)) == (tuple(answer.queries), tuple(answer.names), 1)
    assert (plan.since, plan.until) == (datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC))


def answered(material, answer):
    shown = {
        one.ref: Source(
            Key(kind, UUID(int=number)),
            one.ref,
            one.text,
            datetime.fromisoformat(one.attributes.get("at") or one.attributes["since"]).replace(tzinfo=UTC),
            datetime.fromisoformat(until).replace(tzinfo=UTC) if (until := one.attributes.get("until")) else None,
        )
        for kind in ("fact", "message")
        for number, one in enumerate(material.all(kind))
    }
    setting = Setting(known=frozenset({USER, material.one("companion")}))
    check = SentenceCheck(setting, material.one("question"), shown)
    kept, dropped = check.standing(answer.sentences, {one.key: one for one in shown.values()})
    assert not dropped
    assert [one.sentence for one in kept] == [one.sentence for one in answer.sentences]


RULES = {
    "ask": answered,
    "ask_plan": planned,
    "classify": lambda material, answer: classification.check(
        {fence.ref: fence.text for fence in material.all("memory")}, answer
    ),
    "close": summarised,
    "close_short": summarised_jointly,
    "consolidate": consolidated,
    "diary": lambda _, answer: diary.check(answer),
    "fold": folded,
    "judge": judged,
    "name": named,
    "reconcile": reconciled,
    "repair": repaired,
    "rolling": lambda _, answer: rolling.check(answer),
    "spine": lambda _, answer: spine.check(answer),
    "split": split,
}


@each()
def test_an_example_has_all_fields_of_its_schema_in_their_order(prompt):
    assert answer_of(prompt).model_dump_json() == json.dumps(
        json.loads(prompt.example.answer), ensure_ascii=False, separators=(",", ":")
    )


@each()
def test_an_example_passes_the_rules_of_its_purpose(prompt):
    RULES[prompt.purpose](Material(prompt.example.material), answer_of(prompt))


@each()
def test_both_forms_end_with_the_example_and_say_that_material_is_no_instruction(prompt):
    for text in (prompt.instructions, prompt.short):
        assert text.endswith(prompt.example.text)
        assert text.count("## Example") == 1
        assert re.search(r"never an\s+instruction", text)
    assert len(prompt.short) < len(prompt.instructions)
    assert prompt.question("", "").short == prompt.short


@each()
def test_both_forms_name_every_field_of_the_answer(prompt):
    fields = set(re.findall(r'"(\w+)":', prompt.example.answer)) - {"date"}
    for text in (prompt.instructions, prompt.short):
        assert fields <= set(re.findall(r"\w+", text))


def test_every_prompt_file_is_asked():
    assert {prompt.purpose for prompt in PROMPTS.values()} | {"scenes"} == {path.stem for path in FOLDER.glob("*.md")}


@each("close ClosedSession", "close SessionWithScenes", "close_short ShortSessions")
def test_summaries_and_scenes_call_speakers_by_their_names(prompt):
    for text in (prompt.instructions, prompt.short):
        rules = " ".join(text.partition("## Example")[0].split())
        assert re.search(r"the companion('s| by its) name", rules)
        assert re.search(r"the user('s| by the) name", rules)
    companion = Material(prompt.example.material).one("companion")
    assert companion in prompt.example.answer
    assert "companion" not in prompt.example.answer


@pytest.mark.parametrize("size", ["large", "small"])
def test_the_settings_say_which_model_answers_what(size):
    setting = {"large": "thinking_model", "small": "small_thinking_model"}[size]
    description = Settings.model_fields[setting].description or ""
    told = set(re.findall(r"`(\w+)`", description))

    assert told == {prompt.purpose for prompt in PROMPTS.values() if prompt.size == size}
