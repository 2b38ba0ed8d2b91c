"""The whole way: a note is handed in, a patrol makes it a memory, and it is recalled. Everything runs for real."""

from schemas.ledger.kinds import PATROL_DUE
from store.patrol import steps as patrol
from tests.conftest import PATIENCE
from workers.embedded.processes import wait_until

SCENE = {
    "type": "scene",
    "content": {
        "action": "The oven failed during the morning bake.",
        "actors": ["Mira", "Jon"],
        "when": ["2026-03-02"],
        "feeling": "I had promised bread, and there was none.",
        "themes": ["bakery"],
        "importance": 0.7,
    },
}


def test_what_is_handed_in_is_recalled(person):
    receipt = person.ask("POST", "/notes", json=SCENE)
    assert receipt.status_code == 202
    assert receipt.json()["accepted"] == 1

    report = person.patrol()
    assert report["state"] == "done"
    assert report["counts"]["nodes"] == 1
    assert [step["step"] for step in report["steps"]][:2] == ["embed", "assign"]
    assert {step["outcome"] for step in report["steps"]} == {"done", "skipped"}

    recalled = person.ask("POST", "/recall", json={"query": "What went wrong with the oven in the morning?"}).json()
    assert recalled.keys() == {"recalled", "degraded"}
    assert not recalled["degraded"]
    assert recalled["recalled"].startswith("<recalled_memory>")
    assert "The oven failed" in recalled["recalled"]
    assert "I had promised bread" in recalled["recalled"]


def test_a_note_is_remembered_without_a_demanded_patrol(person):
    note_id = person.ask("POST", "/notes", json=SCENE).json()["ids"][0]
    with person.ledger.transaction() as tx:
        # It has waited for as long as the settings say.
        waited = "update memory.work set next_at = clock_timestamp() where owner_id = %s and kind = %s"
        tx.execute(waited, [person.being.being_id, PATROL_DUE.name])

    def remembered():
        return person.ask("GET", "/notes", params={"state": "remembered"}).json()["notes"]

    assert wait_until(lambda: bool(remembered()), PATIENCE, pause=0.1)
    assert [note["note_id"] for note in remembered()] == [note_id]
    (patrol,) = person.ask("GET", "/patrols").json()["patrols"]
    assert not patrol["demanded"]


def test_a_string_that_is_no_scene_is_kept_and_marked_with_its_reason(person):
    broken = ['{"action": "half a sce', '{"actors": ["Mira"], "when": ["2026-03-02"]}']
    receipt = person.ask("POST", "/notes", json=[*({"type": "scene", "content": text} for text in broken), SCENE])
    assert receipt.json()["accepted"] == 3
    counts = person.patrol()["counts"]
    assert (counts["nodes"], counts["parse_failed"]) == (1, 2)
    failed = person.ask("GET", "/notes", params={"state": "parse_failed"}).json()["notes"]
    assert {note["content"] for note in failed} == set(broken)
    reasons = "\n".join(sorted(note["reason"] for note in failed))
    assert "not JSON" in reasons
    assert "action: Field required" in reasons


def test_an_explanation_says_why_and_need_keep_nothing_alive(person):
    person.ask("POST", "/notes", json=SCENE)
    person.patrol()
    person.patrol()
    asked = {"query": "oven", "format": "nodes", "explain": True, "activate": False}
    answer = person.ask("POST", "/recall", json=asked).json()
    (node,), (why,) = answer["nodes"], answer["explanation"]
    assert node["scene"]["action"] == SCENE["content"]["action"]
    assert why["node_id"] == node["node_id"]
    assert why["similarity"] == node["similarity"] >= 0.35
    assert why["session_count"] == 2
    assert why["effective_importance"] < 0.7
    assert "threshold 0.35" in why["why"]
    untouched = person.ask("GET", f"/nodes/{node['node_id']}").json()
    assert (untouched["session_count"], untouched["reactivation_count"]) == (2, 0)

    person.ask("POST", "/recall", json={**asked, "activate": True})
    activated = person.ask("GET", f"/nodes/{node['node_id']}").json()
    assert (activated["session_count"], activated["reactivation_count"]) == (0, 1)


def test_who_recalls_does_not_wait_for_a_patrol_that_writes(person, ledger):
    person.ask("POST", "/notes", json=SCENE)
    person.patrol()
    with ledger.transaction() as writer:
        patrol.raise_counter(writer, person.being.being_id)
        (node,) = person.ask("POST", "/recall", json={"query": "oven", "format": "nodes"}).json()["nodes"]

    def times_found():
        return person.ask("GET", f"/nodes/{node['node_id']}").json()["reactivation_count"]

    assert wait_until(lambda: times_found() == 1, PATIENCE, pause=0.1)


def test_what_nothing_is_like_recalls_nothing(person):
    person.ask("POST", "/notes", json=SCENE)
    person.patrol()
    answer = person.ask("POST", "/recall", json={"query": "quantum chromodynamics", "threshold": 0.9})
    assert answer.json() == {"recalled": "", "degraded": False}


def test_topics_and_words_find_it_too(person):
    person.ask("POST", "/notes", json=SCENE)
    person.patrol()
    clusters = person.ask("GET", "/clusters").json()["clusters"]
    assert {cluster["name"] for cluster in clusters} == {"Business", "Private"}
    (home,) = (cluster for cluster in clusters if cluster["active_nodes"])
    topic = person.ask("POST", "/recall_memory", json={"cluster_id": home["cluster_id"]}).json()
    assert [node["scene"]["action"] for node in topic["nodes"]] == [SCENE["content"]["action"]]
    assert topic["cursor"] is None

    either = person.ask("POST", "/search_memory", json={"query": 'nothing "morning BAKE"'}).json()
    assert len(either["nodes"]) == 1
    both = person.ask("POST", "/search_memory", json={"query": 'nothing "morning BAKE"', "mode": "and"}).json()
    assert both["nodes"] == []
    assert both["terms"] == ["nothing", "morning BAKE"]
