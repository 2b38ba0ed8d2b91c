"""A user takes a Being away, and erases it."""

import json

from tests.acceptance.http.scenes import scene


def test_a_being_is_taken_away_and_erased_while_its_patrol_runs(person, problem):
    path = f"/v1/beings/{person.being.being_id}"
    notes = [{**scene(f"Marzipan number {number} was baked."), "id": f"n{number}"} for number in range(3)]
    person.client.post(f"{path}/notes", json=notes)
    person.patrol(person.being)
    exported = [json.loads(line) for line in person.client.get(f"{path}/export").text.splitlines()]
    assert [line["kind"] for line in exported].count("node") == 3
    (first, *_) = person.client.get(f"{path}/nodes").json()["nodes"]
    gone = person.client.post(f"{path}/nodes/{first['node_id']}/erase").json()
    assert (gone["nodes"], gone["notes"]) == (1, 1)
    problem(person.client.get(f"{path}/nodes/{first['node_id']}"), 404)
    problem(person.client.post(f"{path}/notes/{first['note_id']}/erase"), 404)
    person.client.post(f"{path}/notes", json=[{**note, "id": f"again-{note['id']}"} for note in notes])
    assert person.client.post(f"{path}/patrols").is_success
    erased = person.client.delete(path).json()
    assert (erased["beings"], erased["notes"]) == (1, 5)
    problem(person.client.get(path), 404)
    with person.ledger.transaction() as tx:
        assert tx.execute("select from memory.work where owner_id = %s", [person.being.being_id]).fetchall() == []


def test_only_who_may_manage_takes_away_or_erases(person, problem):
    path = f"/v1/beings/{person.being.being_id}"
    reader = person.with_token(scopes=["read"])
    problem(reader.get(f"{path}/export"), 403)
    problem(reader.delete(path), 403)
