"""A message that was retracted is nowhere, until it is restored; what was erased never comes back."""

from tests.acceptance.conftest import PATIENCE
from workers.embedded.processes import wait_until

SAID = [
    {"id": "q", "role": "user", "content": "Where did the marzipan go?", "conversation": "chat"},
    {"id": "swiped", "role": "assistant", "content": "The zeppelin took the marzipan.", "conversation": "chat"},
]


def found(person, query="zeppelin"):
    results = person.ask("POST", "/search", json={"query": query}).json()["results"]
    return [one["producer_id"] for one in results]


def retract(person, **changes):
    return person.ask("POST", "/messages/retract", **changes)


def test_a_swiped_answer_is_in_no_search_and_no_context_until_it_is_restored(person):
    receipt = person.ask("POST", "/messages", json=SAID).json()
    assert wait_until(lambda: "swiped" in found(person), PATIENCE)
    assert "zeppelin" in person.ask("POST", "/context", json={"message": "And?", "conversation": "chat"}).text

    answer = retract(person, json={"ids": ["swiped", "on-its-way"]}).json()

    assert (answer["retracted"], answer["awaited"], answer["ids"]) == (1, 1, [receipt["ids"][1]])
    assert "swiped" not in found(person)
    assert "zeppelin" not in person.ask("POST", "/context", json={"message": "And?", "conversation": "chat"}).text
    assert person.ask("GET", "/session-state").json()["state"]["messageCount"] == 1
    (listed,) = person.ask("GET", "/retracted-messages").json()["messages"]
    assert (listed["producer_id"], listed["content"]) == ("swiped", SAID[1]["content"])

    assert person.ask("POST", "/messages/restore", json={"conversation": "chat"}).json()["restored"] == 1
    assert wait_until(lambda: "swiped" in found(person), PATIENCE)


def test_a_retraction_with_a_key_is_applied_once(person):
    person.ask("POST", "/messages", json=SAID)
    by_key = {"json": {"ids": ["swiped"]}, "headers": {"Idempotency-Key": "swipe-1"}}
    assert retract(person, **by_key).json()["retracted"] == 1
    edited = {**SAID[1], "content": "I ate it."}
    assert person.ask("POST", "/messages", json=edited).json()["accepted"] == 1
    assert retract(person, **by_key).json() | {"rebuilds": None} == {
        "retracted": 0,
        "unchanged": 1,
        "awaited": 0,
        "ids": [],
        "rebuilds": None,
    }


def test_what_was_erased_is_not_restored(person, problem):
    receipt = person.ask("POST", "/messages", json=SAID).json()
    retract(person, json={"ids": ["swiped"]})
    person.client.delete(f"/v1/beings/{person.being.being_id}/messages/{receipt['ids'][1]}")
    problem(person.ask("POST", "/messages/restore", json={"ids": ["swiped"]}), 410)
    problem(person.ask("POST", "/messages/restore", json={"ids": ["never"]}), 404)
    problem(person.ask("POST", "/messages/retract", json={"ids": []}), 422)
