"""A small model says which root, and puts notes right, in the mechanical steps; they go on without it."""

import json

import pytest

from memory.llm.provider_batches import BatchPending
from memory.patrol import demand
from memory.patrol import failed_notes as failed_note_uses
from memory.patrol.repair import check
from providers.embedders import Embedders
from providers.errors import BadAnswer
from providers.thinkers import Thinkers
from schemas.errors import NotFound
from schemas.intake.notes import Note
from schemas.ledger.kinds import PATROL_STEPS
from schemas.patrol.model_answers import RepairedScene
from store.intake import notes
from store.nodes import clusters
from store.patrol import runs
from tests.fakes.provider import Behaviour
from tests.models.thinking import REFERENCE
from tests.models.walking import walk_run

BROKEN = '{"action": "Pip met Ivor on the roof", "actors": ["Pip", "Ivor"], "when": ["2026-03-02"], "importance": 0.7'
MENDED = {
    "action": "Pip met Ivor on the roof",
    "actors": ["Pip", "Ivor"],
    "when": ["2026-03-02"],
    "setting": None,
    "dialogue": [],
    "sensory": [],
    "feeling": None,
    "importance": 0.7,
    "themes": [],
    "emotion": None,
}
FELT = dict(
    zip(("valence", "arousal", "dominance", "safety", "novelty", "trust"), (-0.3, 1, 0, 0.2, 0.8, -1), strict=True)
)
HISTORY = [{"date": "2026-03-01", "action": "Rain came in."}, "2026-03-02"]


def roots(life):
    with life.store.transaction() as tx:
        return {one.name: one.nodes for one in clusters.live(tx, life.being_id)}


def test_a_model_says_which_root_in_one_question_for_many(life):
    life.tell(*(f"Event {number}." for number in range(20)))
    life.answers.said["Classification"] = lambda material: {
        "business": REFERENCE.findall(material)[:15],
        "private": REFERENCE.findall(material)[15:],
    }
    life.patrol()

    assert roots(life) == {"Business": 15, "Private": 5}
    assert len(life.asked("Classification")) == 1


def test_what_the_model_leaves_out_goes_where_it_is_nearer(life):
    life.tell("Work, a client, a deadline, money.", "Family and friends at home.")
    life.answers.said["Classification"] = {"business": [], "private": []}
    life.patrol()

    assert sum(roots(life).values()) == 2


@pytest.mark.parametrize(
    "failure", [{"status": 529}, {"status": 429, "headers": {"retry-after": "9"}}, {"status": 401}]
)
def test_mechanical_steps_wait_for_no_model(life, failure):
    life.tell("Event.")
    life.hand_in(BROKEN)
    life.provider.script(*(Behaviour(do="fail", on="messages", **failure) for _ in range(2)))
    run = life.patrol()

    assert run.state == "done"
    assert run.steps["embed"] | {"nodes": 1, "repaired": 0, "parse_failed": 1} == run.steps["embed"]
    assert sum(roots(life).values()) == 1


def test_a_note_that_can_not_be_read_is_put_right_once(life):
    life.hand_in(BROKEN)
    life.answers.said["RepairedScene"] = MENDED
    run = life.patrol()

    assert run.steps["embed"] | {"nodes": 1, "repaired": 1, "parse_failed": 0} == run.steps["embed"]
    (node,) = life.nodes()
    assert (node.scene["actors"], node.importance) == (["Pip", "Ivor"], 0.7)
    assert "not JSON" in life.asked("RepairedScene")[0].material


def test_a_repaired_scene_keeps_its_emotion_and_its_dated_lines(life):
    life.hand_in(json.dumps({**json.loads(BROKEN + "}"), "when": HISTORY, "emotion": FELT})[:-1])
    life.answers.said["RepairedScene"] = MENDED | {"when": HISTORY, "emotion": FELT}
    life.patrol()

    (node,) = life.nodes()
    assert (node.scene["when"], node.emotion) == (HISTORY, FELT)


def failed_notes(life):
    with life.store.transaction() as tx:
        return notes.page(tx, life.being_id, state="parse_failed", after=None, limit=9)


def test_a_note_that_can_not_be_repaired_stays_marked_and_costs_no_second_call(life):
    life.hand_in(BROKEN)
    life.answers.said["RepairedScene"] = {**MENDED, "feeling": "I was jealous."}
    run = life.patrol()
    asked = len(life.asked("RepairedScene"))
    life.tell("Event.")
    life.patrol()

    assert run.steps["embed"]["parse_failed"] == 1
    (note,) = failed_notes(life)
    assert note.reason.startswith("not JSON")
    assert len(life.asked("RepairedScene")) == asked
    assert {"was not valid" in request.material for request in life.asked("RepairedScene")[1:]} == {True}


@pytest.mark.parametrize("new", [(), ("Event.",)])
def test_a_note_is_repaired_as_soon_as_there_is_a_model(life, clock, new):
    life.hand_in(BROKEN)
    life.patrol(thinker="none")
    assert [note.reason.split(":")[0] for note in failed_notes(life)] == ["not JSON"]
    life.provider.script(Behaviour(do="fail", on="messages", status=529))
    assert life.patrol().steps["embed"]["repaired"] == 0

    clock.advance(seconds=11)
    for scene in new:
        life.tell(scene)
    life.answers.said["RepairedScene"] = MENDED
    run = life.patrol()

    assert run.steps["embed"] | {"nodes": 1 + len(new), "repaired": 1, "parse_failed": 0} == run.steps["embed"]
    assert life.node("Pip met").importance == 0.7
    assert failed_notes(life) == []
    assert life.patrol().steps["embed"]["repaired"] == 0


def test_failed_notes_are_retried_on_request_and_repair_is_asked_again(life):
    life.hand_in(BROKEN)
    life.answers.said["RepairedScene"] = {**MENDED, "feeling": "I was jealous."}
    life.patrol()
    (failed,) = failed_notes(life)
    life.answers.said["RepairedScene"] = MENDED
    assert life.patrol().steps["embed"]["repaired"] == 0

    with pytest.raises(NotFound, match="no failed note"):
        failed_note_uses.retry(life.store, life.settings, life.being_id, [failed.note_id, life.being_id])
    assert failed_note_uses.retry(life.store, life.settings, life.being_id, [failed.note_id]) == 1
    assert life.patrol().steps["embed"]["repaired"] == 1
    assert life.node("Pip met").importance == 0.7
    assert failed_note_uses.retry(life.store, life.settings, life.being_id, None) == 0


def note(content):
    return Note(
        note_id="00000000-0000-0000-0000-000000000001",
        producer_id=None,
        type="scene",
        content=content,
        title=None,
        due_at=None,
        metadata={},
        state="stamped",
        reason=None,
        run_id=None,
        received_at="2026-03-09T10:00:00Z",
        read_at=None,
    )


@pytest.mark.parametrize(
    ("content", "changes"),
    [
        (BROKEN, {}),
        (BROKEN, {"action": "PIP met Ivor"}),
        ("Pip met Ivor on the roof", {"importance": None, "when": ["2026-03-09"]}),
        (json.dumps("é\nPip met Ivor on the roof, 0.7, 2026-03-02"), {"action": "é Pip"}),
    ],
)
def test_a_repair_in_the_notes_own_words_is_taken(content, changes):
    check(note(content), RepairedScene.model_validate(MENDED | changes))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"action": "Pip kissed Ivor"}, "words that the note does not have"),
        ({"when": ["2026-03-03"]}, "words that the note does not have"),
        ({"actors": ["Dagny"]}, "words that the note does not have"),
        ({"when": [{"date": "2026-03-02", "action": "It snowed"}]}, "words that the note does not have"),
        ({"importance": 0.9}, "importance"),
        ({"emotion": FELT}, "emotion"),
        ({"action": " "}, "not a scene"),
    ],
)
def test_a_repair_that_adds_something_is_refused(changes, complaint):
    with pytest.raises(BadAnswer, match=complaint):
        check(note(BROKEN), RepairedScene.model_validate(MENDED | changes))


def test_mechanical_steps_wait_for_no_batch(life):
    life.tell("Event.", "Another.")
    settings = life.settings.model_copy(update={"batch_thinking": True})
    with life.store.transaction() as tx:
        run_id = runs.want(tx, life.being_id, demanded=False, notes=9)
    embedders, thinkers = Embedders(settings), Thinkers(settings)
    with pytest.raises(BatchPending):
        walk_run(life.store, embedders, settings, life.being_id, run_id, thinkers=thinkers)

    with life.store.transaction() as tx:
        steps = runs.get(tx, life.being_id, run_id).steps
    assert steps["assign"]["told"] == 2
    assert steps.keys() == {"embed", "assign", "session_counts", "dying"}


def test_a_patrol_that_is_demanded_while_a_batch_is_under_way_pays_for_no_question_twice(life):
    life.tell("Event.", "Another.")
    settings = life.settings.model_copy(update={"batch_thinking": True})
    with life.store.transaction() as tx:
        run_id = runs.want(tx, life.being_id, demanded=False, notes=9)

    def walk():
        with life.store.transaction() as tx:
            tx.execute("update memory.work set lease_until = clock_timestamp() where state = 'running'")
        walk_run(
            life.store,
            Embedders(settings),
            settings,
            life.being_id,
            run_id,
            ["consolidate"],
            thinkers=Thinkers(settings),
        )

    walk_run(life.store, Embedders(settings), settings, life.being_id, run_id, PATROL_STEPS[:4])
    life.provider.script(Behaviour(do="unfinished", on="batch"), Behaviour(do="early", on="batched", times=None))
    with pytest.raises(BatchPending):
        walk()
    demand.demand(life.store, settings, life.being_id)
    with pytest.raises(BatchPending):
        walk()
    walk()

    endpoints = [request.endpoint for request in life.asked("Consolidation")]
    assert endpoints.count("batched") == len({str(request.body) for request in life.asked("Consolidation")}) > 0
    assert "messages" not in endpoints
    assert [request.endpoint for request in life.provider.requests].count("batch_cancel") == 1
