"""With an Idempotency-Key, the same request is applied once, whatever it does, and answered alike."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from memory.accounts import access
from store.facts import todos

RULE = {"name": "kindness", "content": "Be kind to Ada."}


def keyed():
    return {"Idempotency-Key": uuid4().hex}


def stored(person):
    with person.ledger.transaction() as tx:
        return tx.value("select count(*) from memory.request_answers where user_id = %s", [person.user.user_id])


def test_every_post_takes_a_key(person):
    paths = person.client.get("/openapi.json").json()["paths"]
    for path, methods in paths.items():
        if "post" in methods:
            names = {parameter["name"].lower() for parameter in methods["post"].get("parameters", ())}
            assert "idempotency-key" in names, path


def test_a_repeated_demand_for_a_patrol_ages_once(person):
    headers = keyed()
    first = person.ask("POST", "/patrols", headers=headers)
    assert person.patrol()["state"] == "done"
    runs = person.ask("GET", "/patrols").json()["patrols"]
    repeated = person.ask("POST", "/patrols", headers=headers)
    assert (repeated.status_code, repeated.json()) == (202, first.json())
    assert person.ask("GET", "/patrols").json()["patrols"] == runs


def test_the_same_request_at_the_same_moment_is_applied_once(person):
    headers = keyed()
    with ThreadPoolExecutor(8) as pool:
        answers = [
            *pool.map(lambda _: person.ask("POST", "/persona/partner_rules", json=RULE, headers=headers), range(8))
        ]
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert len(person.ask("GET", "/persona/partner_rules").json()["entries"]) == 1


def test_another_request_under_a_used_key_is_a_conflict(person, problem):
    headers = keyed()
    person.ask("POST", "/persona/partner_rules", json=RULE, headers=headers)
    for path, body in (("/persona/partner_rules", {**RULE, "name": "other"}), ("/persona/preferences", RULE)):
        answer = person.ask("POST", path, json=body, headers=headers)
        assert "new key" in problem(answer, 409)["detail"]
    assert len(person.ask("GET", "/persona/partner_rules").json()["entries"]) == 1


def test_a_refused_request_leaves_its_key_free(person):
    headers = keyed()
    being = {"slug": "mira", "name": "Mira"}
    assert person.client.post("/v1/beings", json=being, headers=headers).status_code == 409
    person.client.delete(f"/v1/beings/{person.being.being_id}")
    answers = [person.client.post("/v1/beings", json=being, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()


def test_a_question_is_answered_alike_and_finds_once(person):
    headers = keyed()
    body = {"query": "the oven"}
    first, second = (person.ask("POST", "/recall", json=body, headers=headers) for _ in range(2))
    assert (first.status_code, first.json()) == (200, {"recalled": "", "degraded": False})
    assert second.json() == first.json()
    assert stored(person) == 1


def test_a_repeated_request_for_a_token_gets_the_same_secret(person, ledger):
    secret, _ = access.issue_operator_token(ledger, lifetime=None)
    operator = person.with_secret(secret)
    headers = keyed()
    path = f"/v1/users/{person.user.user_id}/tokens"
    first, second = (operator.post(path, json={"scopes": ["read"]}, headers=headers) for _ in range(2))
    assert first.json() == second.json()
    assert person.with_secret(first.json()["secret"]).get("/v1/beings").status_code == 200


def test_another_token_does_not_read_the_answer(person):
    headers = keyed()
    first = person.ask("POST", "/persona/partner_rules", json=RULE, headers=headers)
    path = f"/v1/beings/{person.being.being_id}/persona/partner_rules"
    other = person.with_token().post(path, json={**RULE, "name": "other"}, headers=headers)
    assert other.status_code == first.status_code == 201
    assert other.json() != first.json()


def test_stored_answers_show_no_content_and_go_when_something_is_erased(person):
    person.ask("POST", "/persona/partner_rules", json=RULE, headers=keyed())
    with person.ledger.transaction() as tx:
        rows = tx.execute(
            "select answer from memory.request_answers where user_id = %s", [person.user.user_id]
        ).fetchall()
    assert len(rows) == 1
    assert b"kind" not in bytes(rows[0]["answer"])
    receipt = person.ask("POST", "/notes", json={"type": "knowledge", "title": "t", "content": "c"}).json()
    assert person.ask("POST", f"/notes/{receipt['ids'][0]}/erase").status_code == 200
    assert stored(person) == 0


def a_note(person):
    (note_id,) = person.ask("POST", "/notes", json={"type": "todo", "content": "Call Ada."}).json()["ids"]
    return f"/notes/{note_id}"


def a_todo(person):
    with person.ledger.transaction() as tx:
        todo_id = todos.add(
            tx,
            person.being.being_id,
            kind="commitment",
            content="Call Ada.",
            source="shadow_extraction",
            confidence=1.0,
        )
    return f"/todos/{todo_id}"


def an_entry(person):
    entry = person.ask("POST", "/persona/preferences", json={"name": "ada", "content": "Calls Ada."}).json()
    return f"/persona/preferences/{entry['entry_id']}"


def a_profile(person):
    profile = {"regions": ["core", "instructions", "default"], "instructions": "Call Ada."}
    assert person.ask("PUT", "/profiles/thinking", json=profile).is_success
    return "/profiles/thinking"


@pytest.mark.parametrize("made", [a_note, a_todo, an_entry, a_profile])
def test_stored_answers_go_with_what_a_person_removes(person, made):
    path = made(person)
    shown = person.ask("POST", "/context", json={"message": "Hi."}, headers=keyed())
    assert shown.is_success
    assert stored(person) == 1

    assert person.ask("DELETE", path).status_code == 204

    assert stored(person) == 0


def test_stored_answers_go_with_the_user_model(person):
    assert person.client.put("/v1/user-model", json={"content": "Calls Ada."}).is_success
    person.ask("POST", "/context", json={"message": "Hi."}, headers=keyed())

    assert person.client.delete("/v1/user-model").status_code == 204

    assert stored(person) == 0
