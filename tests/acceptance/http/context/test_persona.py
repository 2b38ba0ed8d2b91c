"""A Being's persona can be written, read, changed and taken away."""

import pytest

from schemas.limits import PERSONA_CHARACTERS

KINDS = ["partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills"]


def test_a_soul_is_written_part_by_part(person):
    empty = person.ask("GET", "/soul").json()
    assert empty["soul"]["personality"] == empty["state"]["mood"] == ""

    person.ask("PATCH", "/soul", json={"personality": "Warm.", "voice": "Short.", "mood": "rested"})
    soul = person.ask("PATCH", "/soul", json={"voice": "", "project": "a bakery"}).json()

    assert (soul["soul"]["personality"], soul["soul"]["voice"]) == ("Warm.", "")
    assert (soul["state"]["mood"], soul["state"]["project"]) == ("rested", "a bakery")
    assert person.ask("GET", "/soul").json() == soul


def test_nothing_to_change_is_no_change(person, problem):
    problem(person.ask("PATCH", "/soul", json={}), 422)
    problem(person.ask("PATCH", "/soul", json={"mood": "x" * 201}), 422)
    problem(person.ask("PATCH", "/soul", json={"temper": "hot"}), 422)


@pytest.mark.parametrize("kind", KINDS)
def test_each_list_is_added_to_read_changed_and_shortened(person, problem, kind):
    path = f"/persona/{kind}"
    second = person.ask("POST", path, json={"name": "second", "content": "After.", "position": 1}).json()
    first = person.ask("POST", path, json={"name": "first", "content": "Before."}).json()
    assert [entry["name"] for entry in person.ask("GET", path).json()["entries"]] == ["first", "second"]

    changed = person.ask("PATCH", f"{path}/{second['entry_id']}", json={"enabled": False, "content": "Later."}).json()
    assert (changed["name"], changed["enabled"], changed["content"]) == ("second", False, "Later.")
    problem(person.ask("PATCH", f"{path}/{second['entry_id']}", json={"name": "first"}), 409)
    problem(person.ask("POST", path, json={"name": "first", "content": "Again."}), 409)

    assert person.ask("DELETE", f"{path}/{first['entry_id']}").status_code == 204
    problem(person.ask("DELETE", f"{path}/{first['entry_id']}"), 404)
    assert [entry["name"] for entry in person.ask("GET", path).json()["entries"]] == ["second"]


def test_sizes_are_bounded_and_said(person, problem):
    too_long = {"name": "long", "content": "x" * (PERSONA_CHARACTERS + 1)}
    assert str(PERSONA_CHARACTERS) in problem(person.ask("POST", "/persona/skills", json=too_long), 422)["detail"]
    for number in range(100):
        assert person.ask("POST", "/persona/skills", json={"name": f"{number}", "content": "x"}).status_code == 201
    full = problem(person.ask("POST", "/persona/skills", json={"name": "one more", "content": "x"}), 409)
    assert "100" in full["detail"]


def test_a_list_that_does_not_exist_is_none(person, problem):
    problem(person.ask("GET", "/persona/vices"), 422)


def test_the_user_model_is_the_users_own_and_shared_by_all_beings(person, newcomer, problem):
    problem(person.client.get("/v1/user-model"), 404)
    person.client.put("/v1/user-model", json={"content": "Plans ahead."})
    sibling = person.add_being("sibling")
    for_one = person.with_token(being_id=sibling.being_id)

    assert for_one.get("/v1/user-model").json()["content"] == "Plans ahead."
    assert "Plans ahead." in for_one.post("/v1/beings/sibling/context", json={}).json()["text"]
    problem(for_one.put("/v1/user-model", json={"content": "Mine."}), 403)
    problem(for_one.delete("/v1/user-model"), 403)
    problem(newcomer().client.get("/v1/user-model"), 404)
    assert person.client.delete("/v1/user-model").status_code == 204
    problem(person.client.get("/v1/user-model"), 404)
