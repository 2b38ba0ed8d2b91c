"""Consolidation, with a model that says what the test wants: what it may do, and what it can't."""

import json
import re

import pytest

from memory.nodes import curation
from memory.nodes.node_erasure import erase_node
from memory.nodes.scenes import embedding_text
from memory.patrol import demand
from memory.patrol.consolidation import marked_batches, marked_nodes
from providers.embedders import Embedders
from providers.errors import Transient
from providers.thinkers import Thinkers
from schemas.limits import LEFT_OVER_NODES, NEAREST_NODES, PART_NODES
from schemas.settings import Settings
from store.accounts import beings
from store.llm import responses
from store.nodes import finding, nodes
from store.patrol import consolidation, runs
from tests.fakes.provider import Behaviour
from tests.models.walking import walk_patrol, walk_run
from tests.scenes import activate, make_being, move, remember, root, settled, words

SAD = dict(zip(("valence", "arousal", "dominance", "safety", "novelty", "trust"), (-1, 0.5, 0, 0, 0, 0), strict=True))
WHOLE = {"actors": ["Pip"], "dialogue": [], "themes": [], "feeling": None}


def merging(survivor, *absorbed, make_dead=(), action="The roof leaks", **changes):
    """An answer that merges memories, named by how their actions begin, and lets others go."""

    def answer(material):
        names = references(material)
        merges = [
            {**WHOLE, **changes, "action": action, "survivor": names(survivor), "absorbed": [*map(names, absorbed)]}
            for _ in absorbed[:1]
        ]
        return {"merges": merges, "make_dead": [*map(names, make_dead)]}

    return answer


def references(material):
    """By which reference a model knows the memory whose action begins so."""
    told = {}
    for block in material.split("<memory ")[1:]:
        reference = block.split('"')[1]
        told[json.loads(block.split("\n")[1])["action"]] = reference

    def named(beginning):
        (found,) = [reference for action, reference in told.items() if action.startswith(beginning)]
        return found

    return named


def remembered_without_a_key(life, *scenes):
    """Remember scenes in one root, unseen by a model."""
    life.tell(*scenes)
    life.patrol(thinker="none")
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
        move(tx, being, [node.node_id for node in life.nodes()], root(tx, being))


def history_of(life, node):
    with life.store.transaction() as tx:
        return nodes.history(tx, life.being_id, node.node_id)


def test_what_tells_the_same_becomes_one(life):
    life.tell(
        {"action": "The roof leaks badly.", "importance": 0.5, "when": ["2026-03-01"]},
        {
            "action": "Rain came through the roof.",
            "importance": 0.4,
            "when": ["2026-03-02"],
            "feeling": "Wet.",
            "setting": "the workshop",
            "emotion": SAD,
        },
        "Pip bought a drum.",
    )
    life.answers.said["Consolidation"] = merging("The roof", "Rain", action="The roof lets rain in.", feeling="Wet.")
    run = life.patrol()

    survivor, absorbed = life.node("The roof lets"), life.node("Rain")
    assert run.steps["consolidate"] | {"merges": 1, "absorbed": 1, "let_go": 0, "left": 0} == run.steps["consolidate"]
    assert survivor.importance == pytest.approx(0.55)
    assert survivor.feeling == "Wet."
    assert survivor.scene["when"] == [
        {"date": "2026-03-01", "action": "The roof leaks badly."},
        {"date": "2026-03-02", "action": "Rain came through the roof."},
    ]
    assert (survivor.scene["setting"], survivor.emotion) == ("the workshop", SAD)
    assert 'state="fresh" importance="0.40"' in life.asked("Consolidation")[0].material
    assert (absorbed.status, absorbed.absorbed_into) == ("dead", survivor.node_id)
    assert not any(node.fresh for node in life.nodes())
    assert life.node("Pip bought").status == "active"


def test_a_survivor_is_found_by_its_new_words(life):
    life.tell("A roof leaks.", "Water drips indoors.")
    life.answers.said["Consolidation"] = merging("A roof", "Water", action="The roof leaks indoors.")
    life.patrol()

    survivor = life.node("The roof leaks")
    embedder = Embedders(life.settings).wanted
    with life.store.transaction() as tx:
        (found, *_) = finding.match(
            tx,
            life.being_id,
            embedder.model,
            embedder.embed([embedding_text(survivor.scene, survivor.feeling)]),
            threshold=0.99,
            limit=3,
        )
        kept = tx.execute(
            "select count(*) from memory.embeddings join memory.memory_nodes using (being_id, text_hash)"
        ).fetchone()
    assert found[0].node_id == survivor.node_id
    assert kept == {"count": 0}


def test_a_history_says_who_absorbed_whom_in_which_run_by_which_response(life):
    life.tell("The roof leaks badly.", "Rain came through the roof.")
    life.answers.said["Consolidation"] = merging("The roof", "Rain")
    run = life.patrol()

    survivor, absorbed = life.node("The roof"), life.node("Rain")
    (took_in,) = [event for event in history_of(life, survivor) if event.event == "took in"]
    (was_absorbed,) = [event for event in history_of(life, absorbed) if event.event == "absorbed"]
    assert took_in.detail["absorbed"] == str(absorbed.node_id)
    assert was_absorbed.detail["into"] == str(survivor.node_id)
    assert took_in.run_id == was_absorbed.run_id == run.run_id
    with life.store.transaction() as tx:
        (response,) = tx.execute(
            "select response_id, completion, retained from memory.model_responses where purpose = 'consolidate'"
        )
    assert took_in.detail["response_id"] == was_absorbed.detail["response_id"] == str(response["response_id"])
    assert response["retained"]
    # What a person does afterwards is not a model's decision.
    curation.change_state(life.store, life.being_id, survivor.node_id, "pin")
    assert history_of(life, survivor)[-1].detail == {}


def test_a_response_goes_with_each_memory_that_it_showed_also_where_its_merge_did_not_happen(life):
    life.tell("The roof leaks badly.", "Rain came through the roof.", "Marzipan was bought.", "Pip ate marzipan.")

    def while_one_is_pinned(material):
        curation.change_state(life.store, life.being_id, life.node("Pip ate").node_id, "pin")
        roof = merging("The roof", "Rain")(material)["merges"]
        return {"merges": roof + merging("Marzipan", "Pip ate", action="Pip bought marzipan")(material)["merges"]}

    life.answers.said["Consolidation"] = lambda material: {"make_dead": [], **while_one_is_pinned(material)}
    assert life.patrol().steps["consolidate"]["merges"] == 1
    with life.store.transaction() as tx:
        assert tx.value("select count(*) from memory.model_responses where retained") == 1
        being = beings.get_being(tx, life.being_id)
    for action in ("Marzipan", "Pip ate"):
        erase_node(life.store, life.settings, Embedders(life.settings), being, life.node(action).node_id)

    with life.store.transaction() as tx:
        assert tx.value("select count(*) from memory.model_responses where completion ~* 'marzipan'") == 0


def test_what_is_dying_is_let_go(life):
    life.tell({"action": "Pip sneezed.", "importance": 0.01}, "The roof leaks.")
    life.patrol()
    assert life.node("Pip sneezed").status == "dying"

    life.answers.said["Consolidation"] = merging("", make_dead=["Pip sneezed"])
    run = life.patrol()

    assert run.steps["consolidate"]["let_go"] == 1
    assert life.node("Pip sneezed").status == "dead"


def let_go_of_all(material):
    """Name every memory that the prompt calls dying in make_dead."""
    states = re.findall(r'ref="(m\d+)" state="([^"]*)"', material)
    return {"merges": [], "make_dead": [reference for reference, state in states if "dying" in state.split()]}


@pytest.mark.parametrize(("pace", "let_go"), [("gentle", [0, 0, 1]), ("seed", [0, 1])])
def test_a_memory_that_becomes_dying_waits_for_another_counted_patrol(life, pace, let_go):
    life.tell({"action": "Pip sneezed.", "importance": 0.052}, "The roof leaks.")
    life.answers.said["Consolidation"] = let_go_of_all
    reports = [life.patrol(letting_go=pace).steps["consolidate"] for _ in let_go]

    assert [report["let_go"] for report in reports] == let_go
    assert life.node("Pip sneezed").status == "dead"


def test_an_uncounted_patrol_lets_nothing_go_that_has_to_wait(life):
    life.tell({"action": "Pip sneezed.", "importance": 0.052}, "The roof leaks.")
    life.answers.said["Consolidation"] = let_go_of_all
    life.patrol()
    life.patrol()
    life.tell("Pip bought a drum.")
    settings = life.settings
    with life.store.transaction() as tx:
        run_id = runs.want(tx, life.being_id, demanded=False, notes=9)
    run = walk_run(life.store, Embedders(settings), settings, life.being_id, run_id, thinkers=Thinkers(settings))

    assert run.steps["session_counts"]["outcome"] == "not due"
    assert run.steps["consolidate"] | {"let_go": 0, "dying": 1} == run.steps["consolidate"]


def test_the_first_key_on_an_old_memory_lets_little_go_and_reports_the_rest(life):
    life.tell(*({"action": f"Slight thing {number}.", "importance": 0.05} for number in range(30)))
    life.tell(*(f"Lasting thing {number}." for number in range(90)))
    for _ in range(3):
        life.patrol(thinker="none")
    life.answers.said["Consolidation"] = let_go_of_all
    reports = [life.patrol().steps["consolidate"] for _ in range(3)]

    # Without a key all stayed fresh. Then 5 % of the 120 living ones, and of those left after that.
    assert [(report["let_go"], report["dying"]) for report in reports] == [(0, 30), (6, 24), (6, 18)]
    at_once = life.patrol(letting_go="seed").steps["consolidate"]
    assert (at_once["let_go"], at_once["dying"]) == (18, 0)


def test_nothing_is_asked_where_nothing_has_changed(life):
    life.tell("The roof leaks.", "Pip bought a drum.")
    life.patrol()
    life.answers.asked.clear()
    life.patrol()

    assert life.asked("Consolidation") == []


@pytest.mark.parametrize(
    "answer",
    [
        {"merges": [{**WHOLE, "survivor": "m1", "absorbed": ["m9"], "action": "The roof"}], "make_dead": []},
        {"merges": [{**WHOLE, "survivor": "m1", "absorbed": ["m1"], "action": "The roof"}], "make_dead": []},
        {"merges": [{**WHOLE, "survivor": "m1", "absorbed": ["m2"], "action": "7 roofs"}], "make_dead": []},
        {"merges": [], "make_dead": ["m1"]},
        {"merges": "all of them", "make_dead": []},
    ],
)
def test_an_answer_against_the_rules_changes_nothing_and_the_run_goes_on(life, answer):
    life.tell("The roof leaks.", "Pip bought a drum.")
    life.answers.said["Consolidation"] = answer
    run = life.patrol()

    assert run.state == "done"
    assert run.steps["consolidate"] | {"merges": 0, "let_go": 0, "left": 1} == run.steps["consolidate"]
    assert [(node.status, node.fresh) for node in life.nodes()] == [("active", True)] * 2
    assert "was not valid" in life.asked("Consolidation")[1].material


def test_a_pinned_memory_is_never_absorbed(life):
    remembered_without_a_key(life, "The roof leaks.", "Rain came through.")
    curation.change_state(life.store, life.being_id, life.node("Rain").node_id, "pin")
    life.answers.said["Consolidation"] = merging("The roof", "Rain")
    assert life.patrol().steps["consolidate"]["left"] == 1
    assert life.node("Rain").status == "active"

    life.answers.said["Consolidation"] = merging("Rain", "The roof", action="Rain comes through the roof.")
    asked = len(life.asked("Consolidation"))
    assert life.patrol().steps["consolidate"]["left"] == 1
    assert len(life.asked("Consolidation")) == asked
    with life.store.transaction() as tx:
        responses.remove_unanswered(tx, life.being_id)
    assert life.patrol().steps["consolidate"]["absorbed"] == 1


def recalled(life, node):
    with life.store.transaction() as tx:
        activate(tx, life.being_id, [node.node_id])


def pinned(life, node):
    curation.change_state(life.store, life.being_id, node.node_id, "pin")


def edited(life, node):
    embedders = Embedders(life.settings)
    curation.correct(life.store, embedders, life.being_id, node.node_id, {"action": "Rain came in, edited."})


def forgotten(life, node):
    curation.change_state(life.store, life.being_id, node.node_id, "forget")


def erased(life, node):
    with life.store.transaction() as tx:
        tx.execute("delete from memory.memory_nodes where node_id = %s", [node.node_id])


@pytest.mark.parametrize(
    ("role", "meanwhile"),
    [
        *(
            (role, change)
            for role in ("survivor", "absorbed", "let go")
            for change in (pinned, edited, forgotten, erased)
        ),
        ("let go", recalled),
    ],
)
def test_what_was_touched_since_it_was_shown_stays_as_it_is(life, meanwhile, role):
    life.tell(
        {"action": "Rain came through.", "importance": 0.01 if role == "let go" else 0.5},
        "The roof leaks.",
        {"action": "Pip sneezed.", "importance": 0.01},
        {"action": "Pip coughed.", "importance": 0.01},
        {"action": "Pip coughed twice.", "importance": 0.5},
    )
    life.patrol()
    life.tell("Pip bought a drum.")
    after = {}

    def answer(material):
        if not after:
            node = life.node("Rain")
            meanwhile(life, node)
            after.update({node.node_id: node for node in life.nodes() if node.scene["action"].startswith("Rain")})
        pair = {"survivor": ("Rain", "The roof"), "absorbed": ("The roof", "Rain"), "let go": ("The roof",)}[role]
        said = merging(*pair, make_dead=["Pip sneezed", *(["Rain"] if role == "let go" else [])])(material)
        names = references(material)
        other = {"survivor": names("Pip coughed twice"), "absorbed": [names("Pip coughed.")], "action": "Pip coughed."}
        return {**said, "merges": [*said["merges"], {**WHOLE, **other}]}

    life.answers.said["Consolidation"] = answer
    run = life.patrol()

    assert {node.node_id: node for node in life.nodes() if node.node_id in after} == after
    # What else was decided is applied, and the rest of the topic stays marked.
    assert life.node("Pip sneezed").status == "dead"
    assert run.steps["consolidate"] | {"merges": 1, "let_go": 1, "left": 1} == run.steps["consolidate"]
    assert life.node("The roof").status == "active"
    assert life.node("Pip bought").fresh


@pytest.mark.parametrize("found", ["Rain", "The roof"])
def test_a_memory_that_is_recalled_while_the_model_thinks_is_merged_all_the_same(life, found):
    life.tell("Rain came through.", "The roof leaks.")
    merged = merging("Rain", "The roof", action="Rain came through the roof.")

    def answer(material):
        recalled(life, life.node(found))
        return merged(material)

    life.answers.said["Consolidation"] = answer
    run = life.patrol()

    assert run.steps["consolidate"] | {"merges": 1} == run.steps["consolidate"]
    assert life.node("Rain came through the roof.").status == "active"
    by_action = {node.scene["action"]: node for node in life.nodes()}
    assert by_action["The roof leaks."].status == "dead"
    assert sum(node.reactivation_count for node in by_action.values()) == 1


def test_two_parts_that_want_the_same_memory_get_it_once(store, user):
    with store.transaction() as tx:
        being = make_being(tx, user)
        ids = remember(tx, being, *(words(f"event {number}") for number in range(3)), cluster=root(tx, being))
    with store.transaction() as tx:
        one, two, three = consolidation.by_ids(tx, being.being_id, ids)
        said = words("event, merged")
        assert consolidation.merge(tx, being.being_id, one, [two], "three-d", said)
        assert not consolidation.merge(tx, being.being_id, three, [two], "three-d", said)
        assert not consolidation.merge(tx, being.being_id, one, [three], "three-d", said)
        assert consolidation.let_go(tx, being.being_id, [one]) == 0


def test_a_topic_that_is_too_long_for_the_model_is_asked_about_in_halves(life):
    remembered_without_a_key(life, *(f"Event {number}." for number in range(8)))
    said = "This model's maximum context length is 100 tokens."
    refusal = Behaviour(do="fail", on="messages", when='ref=\\"m5', status=400, message=said, times=None)
    life.provider.script(refusal)
    run = life.patrol()

    assert run.steps["consolidate"] | {"outcome": "done", "left": 0} == run.steps["consolidate"]
    assert not any(node.fresh for node in life.nodes())
    assert len(life.asked("Consolidation")) == 2


def owed(life):
    """Run the patrols that begin because a provider may be back; returns them."""
    with life.store.transaction() as tx:
        before = {run.run_id for run in runs.newest(tx, life.being_id, 100)}
    demand.begin_owed(life.store, life.settings)
    with life.store.transaction() as tx:
        began = [run for run in runs.newest(tx, life.being_id, 100) if run.run_id not in before]
    return [life.resume() for _ in began]


def test_a_provider_that_is_down_is_not_waited_for_and_what_it_missed_is_done_when_it_is_back(life, clock):
    remembered_without_a_key(life, "The roof leaks.", "Rain came through.")
    life.answers.said["Consolidation"] = merging("The roof", "Rain")
    life.provider.script(Behaviour(do="fail", status=529, on="messages", times=None))
    run = life.patrol()

    assert run.state == "done"
    assert run.steps["consolidate"]["outcome"] == "skipped"
    assert "busy" in run.steps["consolidate"]["reason"]
    assert {
        run.steps[step]["outcome"] for step in ("embed", "assign", "session_counts", "dying", "revive", "merge")
    } == {"done"}
    assert all(node.fresh for node in life.nodes())
    assert len([request for request in life.provider.requests if request.endpoint == "messages"]) == 1
    assert owed(life) == []

    clock.advance(seconds=60)
    (tried,) = owed(life)
    assert tried.steps["consolidate"]["outcome"] == "skipped"

    life.provider.reset()
    clock.advance(seconds=600)
    (made_up,) = owed(life)
    assert made_up.steps["consolidate"]["merges"] == 1
    assert made_up.steps["session_counts"]["outcome"] == "not due"
    assert made_up.steps["diary"]["lines"] == 3
    assert owed(life) == []


def test_what_was_paid_for_before_a_provider_went_away_is_applied_and_not_asked_again(life, clock):
    life.answers.said["Classification"] = lambda material: {
        "private": [names_told(material)("The roof"), names_told(material)("Rain")],
        "business": [names_told(material)("Pip sold"), names_told(material)("A drum")],
    }
    life.answers.said["Consolidation"] = lambda material: (
        merging("The roof", "Rain")(material) if "roof" in material else merging("Pip sold", "A drum")(material)
    )
    life.provider.script(Behaviour(do="fail", status=529, on="messages", when="quayside", times=None))
    life.tell("The roof leaks.", "Rain came through.")
    life.tell(*({"action": action, "themes": ["quayside"]} for action in ("Pip sold a drum.", "A drum was sold.")))
    run = life.patrol(thinking_calls=1)

    assert "busy" in run.steps["consolidate"]["reason"]
    life.provider.reset()
    clock.advance(seconds=60)
    # One request probes, so that another of the same step may be held back until the patrol after that.
    merges = [each.steps["consolidate"].get("merges", 0) for each in (run, *owed(life), *owed(life))]
    assert sum(merges) == 2
    assert len(life.asked("Consolidation")) == 2


def names_told(material):
    """By which reference a small model knows the memory whose action begins so."""
    told = {block.split("\n")[1]: block.split('"')[1] for block in material.split("<memory ")[1:]}
    return lambda beginning: next(told[action] for action in told if action.startswith(beginning))


def test_a_provider_that_asks_to_wait_long_is_not_waited_for(life):
    remembered_without_a_key(life, "The roof leaks.", "Rain came through.")
    life.provider.script(Behaviour(do="fail", status=429, headers={"retry-after": "3000"}, on="messages", times=None))
    run = life.patrol()

    assert run.steps["consolidate"]["outcome"] == "skipped"
    assert {node.status for node in life.nodes()} == {"active"}


def test_a_spent_budget_leaves_everything_marked_and_says_so(life):
    life.tell("The roof leaks.", "Rain came through.", {"action": "Pip sneezed.", "importance": 0.01})
    run = life.patrol(daily_tokens=1)

    assert run.state == "done"
    assert run.steps["consolidate"] | {"outcome": "skipped"} == run.steps["consolidate"]
    assert "budget" in run.steps["consolidate"]["reason"]
    assert all(node.fresh for node in life.nodes())
    assert not life.asked("Consolidation")


def test_what_was_said_is_paid_for_once_though_the_step_is_tried_again(life):
    life.tell("The roof leaks.", "Rain came through.")
    life.answers.said["Consolidation"] = merging("The roof", "Rain", action="The roof leaks rain.")
    life.provider.script(
        *(Behaviour(do="fail", status=500, on="embeddings", when="The roof leaks rain", times=1) for _ in range(2))
    )
    for _ in range(2):
        with pytest.raises(Transient):
            life.patrol() if not life.asked("Consolidation") else life.resume()
    run = life.resume()

    assert run.steps["consolidate"] | {"merges": 1} == run.steps["consolidate"]
    assert len(life.asked("Consolidation")) == 1


@pytest.fixture
def crowd(store, user):
    """A Being with many memories in one topic, of which the last so many are marked."""

    def made(count, marked):
        with store.transaction() as tx:
            being = make_being(tx, user)
            vectors = [(1.0, number / count, 0.0) for number in range(count)]
            ids = remember(
                tx,
                being,
                *(words(f"event {place}", vector=vector) for place, vector in enumerate(vectors)),
                cluster=root(tx, being),
            )
            settled(tx, being, ids[: count - marked])
            return being.being_id, ids

    return made


def in_batches(tx, settings, being_id):
    """The batches that a run with a model asks about."""
    return marked_batches(tx, being_id, marked_nodes(tx, settings, being_id))


def test_a_small_topic_is_shown_whole(store, crowd):
    being_id, ids = crowd(PART_NODES, marked=1)
    with store.transaction() as tx:
        (part,) = in_batches(tx, Settings(), being_id)

    assert [node.node_id for node in part.nodes] == ids
    assert part.to_decide == set(ids)


def test_of_a_large_topic_each_marked_memory_is_shown_with_what_is_nearest(store, crowd):
    being_id, ids = crowd(500, marked=3)
    with store.transaction() as tx:
        (part,) = in_batches(tx, Settings(), being_id)

    assert part.to_decide == set(ids[-3:])
    assert {node.node_id for node in part.nodes} == set(ids[-NEAREST_NODES - 1 :])


def test_a_run_takes_so_much_and_leaves_the_rest_marked(store, crowd):
    most = 300 + LEFT_OVER_NODES
    being_id, ids = crowd(most + 60, marked=most + 60)
    with store.transaction() as tx:
        made = in_batches(tx, Settings(run_notes=300), being_id)

    assert {each for part in made for each in part.to_decide} == set(ids[-most:])
    assert all(len(part.nodes) <= PART_NODES for part in made)


def test_without_a_model_nothing_is_read_or_compared(store, crowd, monkeypatch):
    """In a topic of thousands that takes seconds."""
    being_id, ids = crowd(PART_NODES + 10, marked=PART_NODES + 10)
    read, compared = [], []
    marked, nearest = consolidation.marked, consolidation.nearest
    monkeypatch.setattr(consolidation, "marked", lambda *asked: read.append(asked) or marked(*asked))
    monkeypatch.setattr(consolidation, "nearest", lambda *asked: compared.append(asked) or nearest(*asked))
    settings = Settings(thinker="none", embedder="minilm")

    run = walk_patrol(store, Embedders(settings), settings, being_id)

    assert run.steps["consolidate"]["outcome"] == "skipped"
    assert (read, compared) == ([], [])
    with store.transaction() as tx:
        assert {node.node_id for node in marked_nodes(tx, settings, being_id).nodes} == set(ids)
        assert in_batches(tx, settings, being_id)
    assert compared
