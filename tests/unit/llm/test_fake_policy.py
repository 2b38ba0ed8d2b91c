"""The fake provider's own answers pass the rules that real ones are held against."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts import extraction_rules
from memory.facts.confidence_rules import ShownMessage
from memory.facts.reconciliation import RECONCILE
from memory.patrol import classification, consolidation, diary, merge_rules, repair, splitting
from memory.talk import impressions, rolling, session_summary, spine, summarising
from memory.text.prompt_escaping import tagged
from providers.answers.answer_schema import answer_schema
from samples.canned import policy
from samples.canned.wire import Request
from schemas.facts.judgement import Judgement, Reconciliation
from schemas.intake.notes import Note
from schemas.nodes.nodes import Cluster, ShownNode
from schemas.patrol.model_answers import Classification, Consolidation, DiaryPages, RepairedScene, Split
from schemas.talk.impressions import ClosedSession
from schemas.talk.messages import Message
from schemas.talk.summaries import RollingSummary, SummarySpine

NOW = datetime(2026, 3, 2, tzinfo=UTC)
BREAD = "Mika baked dark rye bread for the market on Saturday"
# No text that is kept holds a NUL.
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=60)


def answered(form, material):
    body = {
        "system": "Do as told.",
        "messages": [{"role": "user", "content": material}],
        "output_config": {"format": {"schema": answer_schema(form)}},
    }
    request = Request(endpoint="messages", body=body, key_sha256=None)
    return form.model_validate_json(policy.answer(request))


def node(action, *, status="active", fresh=True, pinned=False, **scene):
    return ShownNode(
        node_id=uuid4(),
        cluster_id=uuid4(),
        scene={"action": action, "actors": ["Mika"], "when": ["2026-03-02"], **scene},
        feeling=scene.pop("feeling", None),
        themes=scene.pop("themes", []),
        emotion=None,
        importance=0.5,
        status=status,
        fresh=fresh,
        pinned=pinned,
        created_at=NOW,
        revision=1,
        may_die=status == "dying" and not fresh and not pinned,
    )


def part(*nodes):
    return merge_rules.PromptBatch(uuid4(), list(nodes), frozenset(node.node_id for node in nodes))


def test_what_is_told_in_nearly_the_same_words_becomes_one():
    shown = part(
        node(BREAD, dialogue=["Rye it is."]),
        node("Noor repaired the red bicycle"),
        node(f"{BREAD} morning", actors=["Mika", "Noor"]),
        node("a faded afternoon", status="dying", fresh=False),
        node(f"{BREAD} again", fresh=False, pinned=True),
    )
    said = answered(Consolidation, consolidation.material(shown))
    merge_rules.check(shown, said)
    (merge,) = said.merges
    assert (merge.survivor, set(merge.absorbed)) == ("m5", {"m1", "m3"})
    assert merge.actors == ["Mika", "Noor"]
    assert merge.dialogue == ["Rye it is."]
    assert said.make_dead == ["m4"]


@given(
    st.lists(
        st.builds(
            node,
            st.sampled_from([BREAD, f"{BREAD}!", "Noor mended 3 bikes", "<b>&amp;</b>", "雨"]) | texts,
            status=st.sampled_from(["active", "dying"]),
            fresh=st.booleans(),
            pinned=st.booleans(),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_no_consolidation_breaks_a_rule(nodes):
    shown = part(*nodes)
    merge_rules.check(shown, answered(Consolidation, consolidation.material(shown)))


def crowd(*actions, is_parent=True):
    cluster = Cluster.model_construct(name="Private", is_parent=is_parent, active_nodes=len(actions))
    return splitting.CrowdedCluster(cluster, [node(action) for action in actions], ["Bicycle and noor"])


def test_words_that_are_shared_make_topics():
    baking = [f"Mika baked bread number {number}" for number in range(4)]
    sailing = [f"Ada took the boat out to island {number}" for number in range(5)]
    shown = crowd(*baking, *sailing, "It rained")
    said = answered(Split, splitting.material(shown))
    splitting.check(shown, said)
    assert {frozenset(topic.memories) for topic in said.topics} == {
        frozenset({"m1", "m2", "m3", "m4"}),
        frozenset({"m5", "m6", "m7", "m8", "m9"}),
    }


@given(
    st.lists(
        st.lists(st.sampled_from(["bread", "boat", "rain", "noor", "bicycle", "garden"]), max_size=4), max_size=20
    ),
    st.booleans(),
)
def test_no_split_breaks_a_rule(words, is_parent):
    shown = crowd(*(" ".join(action) for action in words), is_parent=is_parent)
    splitting.check(shown, answered(Split, splitting.material(shown)))


def test_work_is_business():
    actions = {"m1": "The client paid the invoice", "m2": "Supper with Ada"}
    said = answered(Classification, classification.material(actions))
    classification.check(actions, said)
    assert (said.business, said.private) == (["m1"], ["m2"])


@pytest.mark.parametrize(
    "text",
    ['{"action": "Mika baked", "actors": ["Mika"], "when": ["2026-03-01"], "importance": 0.7,', "Mika baked bread."],
)
def test_a_scene_is_repaired_with_its_own_words(text):
    note = Note.model_construct(note_id=uuid4(), content=text, received_at=NOW)
    said = answered(RepairedScene, repair.material(note, "not JSON"))
    repair.check(note, said)
    assert said.action.startswith("Mika baked")


@pytest.mark.parametrize("count", [0, 1, 3, 20])
def test_a_day_has_its_measure_of_lines(count):
    memories = "\n".join(tagged("memory", f"{number}: {'something happened ' * 50}") for number in range(count))
    earlier = "one\ntwo\nthree\nfour\nfive"
    for before in ("", tagged("earlier", earlier), tagged("earlier", earlier) + tagged("noted", earlier)):
        diary.check(answered(DiaryPages, f"<day>2026-03-02</day>\n{before}\n{memories}"))


def heard(*said):
    """Messages by their refs, as the judge is shown them, as the rules know them, and the new ones' ids."""
    sources, shown, fresh = {}, [], set()
    for place, (by, text) in enumerate(said, start=1):
        role = {"user": "user", "companion": "assistant"}.get(by, "other")
        message = Message.model_construct(
            message_id=uuid4(),
            role=role,
            speaker=by,
            content=text,
            metadata={},
            created_at=datetime(2026, 3, 2, 18, 10, tzinfo=UTC),
        )
        sources[f"m{place}"] = ShownMessage(message, text)
        if role != "assistant":
            fresh.add(message.message_id)
        new = "no" if role == "assistant" else "yes"
        shown.append(tagged("message", text, ref=f"m{place}", by=by, at="2026-03-02 18:10", new=new))
    return sources, shown, fresh


def judged(*said, todos=()):
    sources, shown, fresh = heard(*said)
    known = {f"t{place}": uuid4() for place, _ in enumerate(todos, start=1)}
    shown = [
        *(tagged("todo", todo, ref=ref, kind="commitment") for ref, todo in zip(known, todos, strict=True)),
        *shown,
    ]
    return extraction_rules.check(answered(Judgement, "\n".join(shown)), sources, fresh, known), known


def test_what_people_tell_of_themselves_is_found_with_their_words():
    sound, _ = judged(
        ("user", "Hi & hello! I live in New Lisbon <3. My sister Ada likes to sail, and I love rye bread."),
        ("companion", "I like tea."),
        ("Noor", "I live in Ghent."),
        ("user", "Do I live in Rome? If I live in Rome, I hate it. I work at the harbour, but keep it between us."),
    )
    assert [fact.content for fact in sound.facts] == [
        "The user lives in New Lisbon.",
        "Ada is the sister of the user.",
        "The user likes rye bread.",
        "Noor lives in Ghent.",
        "The user works at the harbour.",
    ]
    secret = {one.message_id for one in sound.confidences}
    assert [fact.message.message_id in secret for fact in sound.facts] == [False, False, False, False, True]
    assert sound.facts[0].refs.keys() == {"thing:home", "place:new_lisbon"}
    assert sound.dropped == {"not real": 2}


def test_what_a_person_means_to_do_and_has_done_is_found():
    sound, known = judged(
        ("user", "I need to call the dentist tomorrow. I finished painting the fence."), todos=["Painting the fence"]
    )
    meant, done = sound.todos
    assert (meant.content, meant.done) == ("Call the dentist tomorrow", False)
    assert (done.known, done.done) == (known["t1"], True)


def test_statements_on_one_matter_are_compared():
    material = "\n".join(
        [
            tagged("earlier", "The user lives in Austin.", ref="e1", matter="k1"),
            tagged("new", "The user lives in Austin.", ref="n1", matter="k1"),
            tagged("new", "The user lives in Boston.", ref="n2", matter="k1"),
            tagged("new", "Ada sails.", ref="n3", matter="k2"),
        ]
    )
    said = answered(RECONCILE.answer, material)
    assert isinstance(said, Reconciliation)
    assert [(item.new, item.relation, item.earlier) for item in said.comparisons] == [
        ("n1", "same", "e1"),
        ("n2", "contradicts", "e1"),
        ("n3", "adds", None),
    ]


@given(st.lists(texts, min_size=1, max_size=60), st.integers(1, 3))
def test_no_summary_breaks_a_rule(said, times):
    for form, check in (
        (RollingSummary, rolling.check),
        (ClosedSession, session_summary.check),
        (SummarySpine, spine.check),
    ):
        so_far = None
        for _ in range(times):
            messages = [
                Message.model_construct(message_id=uuid4(), role="user", content=text, created_at=NOW) for text in said
            ]
            heard = {message.message_id: f"I must say: {message.content}" for message in messages}
            so_far = answered(form, summarising.material(so_far, messages, heard, own=impressions.refs(messages)))
            check(so_far)


def test_an_unknown_question_is_answered_with_the_sentences_of_its_material():
    from pydantic import BaseModel  # noqa: PLC0415  # here alone

    class Gist(BaseModel):
        """A short form of what was said."""

        one_liner: str
        what_mattered: list[str]
        mood: str | None

    said = answered(Gist, tagged("message", "It rained. Ada sailed! We had supper. Good night.", by="user"))
    assert said.one_liner == "It rained."
    assert said.what_mattered == ["Ada sailed!", "We had supper.", "Good night."]


SWIM = "Pip and Cord took their Sunday swim off the slipway, and screamed all the way in."
NO_SWIM = "Cord did not come to the Sunday swim off the slipway; Pip went into the sea without screaming all the way."
PLAN = "Cord has ordered a birthday party, a fiddler and a speech for her friend Pip to give."
TOLD = "Cord told her friend Pip that the birthday party is on Saturday, and the speech had better be funny."


def test_memories_that_contradict_each_other_stay_apart_and_complements_are_told_together():
    shown = part(node(SWIM), node(NO_SWIM), node(PLAN), node(TOLD))
    said = answered(Consolidation, consolidation.material(shown))
    merge_rules.check(shown, said)
    (merge,) = said.merges

    assert {merge.survivor, *merge.absorbed} == {"m3", "m4"}
    assert merge.action in {f"{PLAN} {TOLD}", f"{TOLD} {PLAN}"}


def test_the_diary_speaks_of_feelings_in_whole_sentences():
    felt = "Forty umbrellas in twenty-seven days. I did the division, then did it again, hoping for kinder umbrellas."
    long = "Pip counted the umbrellas, " + "which took a very long while, " * 20 + "and began anew."
    memories = [
        f'2026-03-01 — the workshop — Pip took the order. — "Hester: Forty." — ({felt})',
        f"2026-03-01 — {long} — (I counted along.)",
        '2026-03-01 — Terence stole a crust at 3.40. — (He laughed, "Ha." I laughed too.)',
        "2026-03-01 — It rained.",
    ]
    pages = answered(DiaryPages, "\n".join(tagged("memory", memory) for memory in memories))
    diary.check(pages)

    assert pages.diary[0] == f"Pip took the order. {felt}"
    assert pages.diary[2] == 'Terence stole a crust at 3.40. He laughed, "Ha." I laughed too.'
    assert pages.diary[1].endswith("long while. I counted along.")
    assert not any("—" in line or "Hester:" in line or "2026" in line for line in pages.diary)
    assert all(line.endswith((".", "!", "?")) for line in [*pages.diary, *pages.next_time])
