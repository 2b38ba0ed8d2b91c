"""A confidence is set and lifted over HTTP, and a sibling is told nothing in between."""

SEED = {"type": "PROFILE", "content": "Loves marzipan.", "entity_refs": ["thing:marzipan"], "pinned": True}
MARKED = {"role": "user", "content": "I hide the zeppelin.", "metadata": {"in_confidence": True}}


def change(person, path, *, secret):
    answer = person.ask("PATCH", path, json={"in_confidence": secret})
    assert answer.is_success, answer.text
    return answer.json()


def test_a_message_shows_its_confidence_and_is_decided_on(person, problem):
    (message_id,) = person.ask("POST", "/messages", json=MARKED).json()["ids"]
    (session,) = person.ask("GET", "/sessions").json()["sessions"]
    (said,) = person.ask("GET", f"/sessions/{session['session_id']}/messages").json()["messages"]
    assert said["in_confidence"]
    assert not change(person, f"/messages/{message_id}", secret=False)["in_confidence"]
    assert change(person, f"/messages/{message_id}", secret=True)["in_confidence"]
    problem(person.ask("PATCH", f"/messages/{session['session_id']}", json={"in_confidence": True}), 404)
    problem(person.ask("PATCH", f"/messages/{message_id}", json={}), 422)


def test_a_sibling_knows_a_fact_only_while_it_is_in_no_confidence(person):
    sibling = person.add_being("leo")
    (fact_id,) = person.ask("POST", "/facts", json=[SEED]).json()["fact_ids"]

    def told():
        asked = [
            person.client.get(f"/v1/beings/{sibling.being_id}/facts"),
            person.client.get(f"/v1/beings/{sibling.being_id}/entities"),
            person.client.get(f"/v1/beings/{sibling.being_id}/export"),
            person.client.post(f"/v1/beings/{sibling.being_id}/context", json={"message": "And?"}),
        ]
        return ["marzipan" in answer.text for answer in asked]

    assert told() == [True] * 4
    assert change(person, f"/facts/{fact_id}", secret=True)["being_id"] == str(person.being.being_id)
    assert told() == [False] * 4
    assert change(person, f"/facts/{fact_id}", secret=False)["being_id"] is None
    assert told() == [True] * 4


def test_an_open_loop_in_confidence_is_a_todo_that_says_so(person):
    person.ask("POST", "/facts", json=[{"type": "OPEN_LOOP", "content": "Buy the ring.", "in_confidence": True}])
    (todo,) = person.ask("GET", "/todos").json()["todos"]
    assert todo["in_confidence"]
    assert not change(person, f"/todos/{todo['todo_id']}", secret=False)["in_confidence"]
