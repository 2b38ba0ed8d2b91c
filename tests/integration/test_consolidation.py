"""Consolidation, with a model that says what the test wants: what it may do, and what it can't."""

import json

import pytest

from memory import curation
from memory.consolidation import marked_parts
from memory.scene import embedding_text
from providers.embedders import Embedders
from providers.errors import Transient
from schemas.limits import MARKED_NODES, NEAREST_NODES, PART_NODES
from store import consolidation, nodes, users
from tests.fakes.provider import Behaviour, running_provider
from tests.scenes import consolidated, make_being, remember, root, words
from tests.thinking import Answers, Life, thinking_settings

WHOLE = {"actors": ["Pip"], "dialogue": [], "themes": [], "feeling": None}


@pytest.fixture
def life(store, user):
    answers = Answers()
    with running_provider(answer=answers) as provider:
        settings = thinking_settings(provider, topic_birth=False)
        with store.transaction() as tx:
            being = users.add_being(tx, user.user_id, "mizzen", "Mizzen")
        yield Life(store, provider, answers, being.being_id, settings)


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


def history_of(life, node):
    with life.store.transaction() as tx:
        return nodes.history(tx, life.being_id, node.node_id)


def test_what_tells_the_same_becomes_one(life):
    life.tell(
        {"action": "The roof leaks badly.", "importance": 0.5, "when": ["2026-03-01"]},
        {"action": "Rain came through the roof.", "importance": 0.4, "when": ["2026-03-02"], "feeling": "Wet."},
        "Pip bought a drum.",
    )
    life.answers.said["Consolidation"] = merging("The roof", "Rain", action="The roof lets rain in.", feeling="Wet.")
    run = life.patrol()

    survivor, absorbed = life.node("The roof lets"), life.node("Rain")
    assert run.steps["consolidate"] | {"merges": 1, "absorbed": 1, "let_go": 0, "left": 0} == run.steps["consolidate"]
    assert survivor.importance == pytest.approx(0.55)
    assert survivor.feeling == "Wet."
    assert survivor.scene["when"] == ["2026-03-01", {"date": "2026-03-02", "action": "Rain came through the roof."}]
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
        (found, *_) = nodes.match(
            tx,
            life.being_id,
            embedder.model,
            embedder.embed([embedding_text(survivor.scene, survivor.feeling)])[0],
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
            "select response_id, said, kept from memory.model_responses where purpose = 'consolidate'"
        )
    assert took_in.detail["response_id"] == was_absorbed.detail["response_id"] == str(response["response_id"])
    assert response["kept"]
    # What a person does afterwards is nobody's decision but theirs.
    curation.pin(life.store, life.being_id, survivor.node_id, pinned=True)
    assert history_of(life, survivor)[-1].detail == {}


def test_what_is_dying_is_let_go(life):
    life.tell({"action": "Pip sneezed.", "importance": 0.01}, "The roof leaks.")
    life.patrol()
    assert life.node("Pip sneezed").status == "dying"

    life.answers.said["Consolidation"] = merging("", make_dead=["Pip sneezed"])
    run = life.patrol()

    assert run.steps["consolidate"]["let_go"] == 1
    assert life.node("Pip sneezed").status == "dead"


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
        {"merges": [{**WHOLE, "survivor": "m2", "absorbed": ["m1"], "action": "The roof"}], "make_dead": ["m1"]},
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
    assert "could not be used" in life.asked("Consolidation")[1].material


def test_a_pinned_memory_is_never_absorbed(life):
    life.tell("The roof leaks.", "Rain came through.")
    life.patrol(thinker="none")
    curation.pin(life.store, life.being_id, life.node("Rain").node_id, pinned=True)
    life.answers.said["Consolidation"] = merging("The roof", "Rain")
    assert life.patrol().steps["consolidate"]["left"] == 1
    assert life.node("Rain").status == "active"

    life.answers.said["Consolidation"] = merging("Rain", "The roof", action="Rain comes through the roof.")
    assert life.patrol().steps["consolidate"]["absorbed"] == 1


def recalled(life, node):
    with life.store.transaction() as tx:
        nodes.activate(tx, life.being_id, [node.node_id])


def pinned(life, node):
    curation.pin(life.store, life.being_id, node.node_id, pinned=True)


def edited(life, node):
    embedders = Embedders(life.settings)
    curation.correct(life.store, embedders, life.being_id, node.node_id, {"action": "Rain came in, edited."})


def forgotten(life, node):
    curation.forget(life.store, life.being_id, node.node_id)


def erased(life, node):
    with life.store.transaction() as tx:
        tx.execute("delete from memory.memory_nodes where node_id = %s", [node.node_id])


@pytest.mark.parametrize("meanwhile", [recalled, pinned, edited, forgotten, erased])
@pytest.mark.parametrize("role", ["survivor", "absorbed", "let go"])
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


def test_two_parts_that_want_the_same_memory_get_it_once(store, user):
    with store.transaction() as tx:
        being = make_being(tx, user)
        ids = remember(tx, being, *(words(f"event {number}") for number in range(3)), cluster=root(tx, being))
    with store.transaction() as tx:
        one, two, three = consolidation.named(tx, being.being_id, ids)
        said = words("event, merged")
        assert consolidation.merge(tx, being.being_id, one, [two], "three-d", said)
        assert not consolidation.merge(tx, being.being_id, three, [two], "three-d", said)
        assert not consolidation.merge(tx, being.being_id, one, [three], "three-d", said)
        assert consolidation.let_go(tx, being.being_id, [one]) == 0


def test_a_provider_that_is_down_is_waited_for_and_then_gone_without(life, clock):
    life.tell("The roof leaks.", "Rain came through.")
    life.patrol(thinker="none")
    life.provider.script(Behaviour(do="fail", status=529, on="messages", times=None))
    with pytest.raises(Transient) as down:
        life.patrol()
    assert 0 < down.value.retry_after <= life.settings.patience.total_seconds()

    clock.advance(seconds=life.settings.patience.total_seconds() + 1)
    run = life.resume()

    assert run.state == "done"
    assert run.steps["consolidate"]["outcome"] == "skipped"
    assert "529" in run.steps["consolidate"]["reason"] or "busy" in run.steps["consolidate"]["reason"]
    assert {
        run.steps[step]["outcome"] for step in ("embed", "assign", "session_counts", "dying", "revive", "merge")
    } == {"done"}
    assert all(node.fresh for node in life.nodes())


def test_what_was_paid_for_before_patience_ended_is_applied_and_not_asked_again(life, clock):
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
    with pytest.raises(Transient):
        life.patrol()
    clock.advance(seconds=life.settings.patience.total_seconds() + 1)
    run = life.resume()

    assert run.steps["consolidate"] | {"outcome": "done", "merges": 1, "left": 1} == run.steps["consolidate"]
    assert "busy" in run.steps["consolidate"]["reason"]
    life.provider.reset()
    life.answers.asked.clear()
    assert life.patrol().steps["consolidate"]["merges"] == 1
    (asked,) = life.asked("Consolidation")
    assert "drum" in asked.material


def names_told(material):
    """By which reference a small model knows the memory whose action begins so."""
    told = {block.split("\n")[1]: block.split('"')[1] for block in material.split("<memory ")[1:]}
    return lambda beginning: next(told[action] for action in told if action.startswith(beginning))


def test_a_provider_that_asks_for_more_patience_than_there_is_is_not_waited_for(life):
    life.tell("The roof leaks.", "Rain came through.")
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

    assert run.steps["consolidate"]["merges"] == 1
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
            consolidated(tx, being, ids[: count - marked])
            return being.being_id, ids

    return made


def test_a_small_topic_is_shown_whole(store, crowd):
    being_id, ids = crowd(PART_NODES, marked=1)
    with store.transaction() as tx:
        (part,) = marked_parts(tx, being_id)

    assert [node.node_id for node in part.nodes] == ids
    assert part.asked == set(ids)


def test_of_a_large_topic_each_marked_memory_is_shown_with_what_is_nearest(store, crowd):
    being_id, ids = crowd(500, marked=3)
    with store.transaction() as tx:
        (part,) = marked_parts(tx, being_id)

    assert part.asked == set(ids[-3:])
    assert {node.node_id for node in part.nodes} == set(ids[-NEAREST_NODES - 1 :])


def test_a_run_takes_so_much_and_leaves_the_rest_marked(store, crowd):
    being_id, ids = crowd(MARKED_NODES + 60, marked=MARKED_NODES + 60)
    with store.transaction() as tx:
        made = marked_parts(tx, being_id)

    assert {each for part in made for each in part.asked} == set(ids[-MARKED_NODES:])
    assert all(len(part.nodes) <= PART_NODES for part in made)
