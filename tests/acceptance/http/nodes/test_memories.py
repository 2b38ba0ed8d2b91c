"""Single memories and their topics: looked at, pinned, corrected, forgotten, brought back."""

import pytest

from tests.acceptance.http.intake.scenes import scene


@pytest.fixture
def node(person):
    """A memory of the oven."""
    person.ask("POST", "/notes", json=scene(feeling="There was no bread.", importance=0.4))
    person.patrol()
    (only,) = person.ask("GET", "/nodes").json()["nodes"]
    return only


def test_a_pinned_memory_does_not_fade(person, node):
    path = f"/nodes/{node['node_id']}"
    assert person.ask("PATCH", path, json={"pinned": True}).json()["pinned"]
    person.patrol()
    pinned = person.ask("GET", path).json()
    assert (pinned["effective_importance"], pinned["patrols_left"]) == (0.4, None)
    assert not person.ask("PATCH", path, json={"pinned": False}).json()["pinned"]


def test_a_correction_is_found_by_its_new_words(person, node):
    changes = {"action": "The violin lost a string at the concert.", "feeling": None, "importance": 7, "pinned": True}
    answer = person.ask("PATCH", f"/nodes/{node['node_id']}", json=changes)
    assert answer.status_code == 200, answer.text
    corrected = answer.json()
    assert corrected["scene"] == {**node["scene"], "action": changes["action"]}
    assert (corrected["feeling"], corrected["importance"], corrected["pinned"]) == (None, 1.0, True)
    recalled = person.ask("POST", "/recall", json={"query": "A violin at a concert"}).json()
    assert "violin" in recalled["recalled"]


def test_what_is_no_correction_is_refused_and_changes_nothing(person, problem, node):
    path = f"/nodes/{node['node_id']}"
    for changes, place in (
        ({}, "No change is given"),
        ({"pinned": None}, "No change is given"),
        ({"colour": "red"}, "body.colour"),
        ({"pinned": "yes"}, "body.pinned"),
        ({"action": None}, "action"),
        ({"action": " "}, "body.action"),
        ({"actors": "Mira"}, "body.actors"),
        ({"when": [{"date": "2026-03-02"}]}, "body.when[0].action"),
        ({"emotion": {"valence": 3}}, "body.emotion"),
    ):
        assert place in problem(person.ask("PATCH", path, json=changes), 422)["detail"]
        assert person.ask("GET", path).json() == node


def test_a_forgotten_node_is_not_found_until_it_is_revived(person, problem, node):
    path = f"/nodes/{node['node_id']}"
    forgotten = person.ask("DELETE", path).json()
    assert (forgotten["status"], forgotten["forgotten_at"] is None) == ("dead", False)
    assert person.ask("POST", "/search_memory", json={"query": "oven"}).json()["nodes"] == []
    assert "revive it first" in problem(person.ask("PATCH", path, json={"pinned": True}), 409)["detail"]
    corrected_and_pinned = person.ask("PATCH", path, json={"pinned": True, "feeling": "Oh."})
    problem(corrected_and_pinned, 409)
    assert person.ask("GET", path).json()["feeling"] == node["feeling"]

    assert person.ask("POST", f"{path}/revive").json()["status"] == "active"
    assert len(person.ask("POST", "/search_memory", json={"query": "oven"}).json()["nodes"]) == 1


def test_a_pinned_memory_is_not_forgotten(person, problem, node):
    path = f"/nodes/{node['node_id']}"
    person.ask("PATCH", path, json={"pinned": True})
    assert "unpin it first" in problem(person.ask("DELETE", path), 409)["detail"]


def test_a_memory_tells_its_story(person, node):
    person.ask("PATCH", f"/nodes/{node['node_id']}", json={"pinned": True})
    story = person.ask("GET", f"/nodes/{node['node_id']}/history").json()
    assert story["note"]["note_id"] == node["note_id"]
    assert story["text"] == "2026-03-02 — The oven failed during the morning bake. — (There was no bread.)"
    assert [event["event"] for event in story["history"]] == ["born", "assigned", "pinned"]


def test_what_fades_next_is_told(person, node):
    # Importance 0.4 is down to 0.05 after ⌈30 × ln 8⌉ = 63 patrols, of which one has passed.
    assert node["patrols_left"] == 62
    assert person.ask("GET", "/fading", params={"patrols": 61}).json()["nodes"] == []
    (fading,) = person.ask("GET", "/fading", params={"patrols": 62}).json()["nodes"]
    assert fading["node_id"] == node["node_id"]


def test_lists_come_in_pages(person):
    person.ask("POST", "/notes", json=[scene(f"Event {number}.") for number in range(7)])
    person.ask("POST", "/messages", json=[{"role": "user", "content": f"{number}"} for number in range(7)])
    for _ in range(7):
        person.patrol()
    (session,) = person.ask("GET", "/sessions").json()["sessions"]
    messages = f"/sessions/{session['session_id']}/messages"
    for path, key, id_ in (
        ("/nodes", "nodes", "node_id"),
        ("/notes", "notes", "note_id"),
        ("/fading", "nodes", "node_id"),
        ("/patrols", "patrols", "run_id"),
        (messages, "messages", "message_id"),
    ):
        seen, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            wanted = {"limit": 3} | ({"patrols": 10_000} if path == "/fading" else {})
            page = person.ask("GET", path, params=wanted | ({"cursor": cursor} if cursor else {})).json()
            seen += [row[id_] for row in page[key]]
            cursor, pages = page["cursor"], pages + 1
        assert (pages, len(seen), len(set(seen))) == (3, 7, 7)


@pytest.mark.parametrize(
    "path", ["/fading", "/patrols", "/nodes", "/sessions/00000000-0000-0000-0000-000000000000/messages"]
)
@pytest.mark.parametrize("cursor", ["x", "/", "00000000-0000-0000-0000-000000000000/²"])
def test_a_cursor_that_was_never_given_out_is_told_so(person, problem, path, cursor):
    assert "cursor" in problem(person.ask("GET", path, params={"cursor": cursor}), 422)["detail"]


def test_lists_can_be_narrowed(person, problem, node):
    def actions(**query):
        return [each["scene"]["action"] for each in person.ask("GET", "/nodes", params=query).json()["nodes"]]

    home = node["cluster_id"]
    other = next(
        each["cluster_id"] for each in person.ask("GET", "/clusters").json()["clusters"] if each["cluster_id"] != home
    )
    assert len(actions(status="active", cluster=home)) == 1
    assert actions(status="dead") == actions(cluster=other) == []
    problem(person.ask("GET", "/nodes", params={"cluster": person.being.being_id}), 404)


def test_a_being_is_made_shown_and_renamed(person, problem):
    made = person.client.post("/v1/beings", json={"slug": "jon", "name": "Jon"})
    assert made.status_code == 201
    assert person.client.get(f"/v1/beings/{made.json()['being_id'].upper()}").json() == made.json()
    assert person.client.patch("/v1/beings/jon", json={"name": "Jón 🍞"}).json()["name"] == "Jón 🍞"
    assert [being["slug"] for being in person.client.get("/v1/beings").json()["beings"]] == ["mira", "jon"]
    problem(person.client.post("/v1/beings", json={"slug": "jon", "name": "Jon"}), 409)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"slug": "jon"}, "body.name"),
        ({"slug": "Jon", "name": "Jon"}, "body.slug"),
        ({"slug": "jon\n", "name": "Jon"}, "body.slug"),
        ({"slug": "0199d6a8-5c00-7000-8000-000000000001", "name": "Jon"}, "body.slug"),
        ({"slug": "jon", "name": ""}, "body.name"),
        ({"slug": "a\0b", "name": "Jon"}, "body.slug"),
        ({"slug": "jon", "name": "Jon", "soul": "good"}, "body.soul"),
        (["jon"], "body"),
    ],
)
def test_what_is_no_being_is_refused(person, problem, body, place):
    assert place in problem(person.client.post("/v1/beings", json=body), 422)["detail"]
