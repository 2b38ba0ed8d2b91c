"""Keys for model providers: stored, listed without the key, brought along by a request, forgotten; and budgets."""

import pytest

from schemas.rows import Being
from store.transaction import value
from tests.acceptance.http.scenes import scene

KEY = "sk-ant-made-up-for-a-test-0123456789"
HEADER = {"X-LLM-API-Key": KEY}


def paid_by(person):
    """The keys that pay for the Being's work."""
    with person.ledger.transaction() as tx:
        return value(
            tx,
            "select array_agg(distinct paid_by) filter (where paid_by is not null) from memory.work"
            " where owner_id = %s",
            [person.being.being_id],
        )


def kept(person):
    """The person's keys as rows."""
    with person.ledger.transaction() as tx:
        return tx.execute("select * from memory.provider_keys where user_id = %s", [person.user.user_id]).fetchall()


def test_a_key_is_stored_listed_by_its_end_and_forgotten(person):
    added = person.client.post("/v1/keys", json={"key": KEY})

    assert added.status_code == 201
    assert (added.json()["provider"], added.json()["last_four"]) == ("anthropic", "6789")
    assert person.client.get("/v1/keys").json() == [added.json()]
    assert KEY not in added.text
    assert KEY.encode() not in kept(person)[0]["sealed"]
    assert person.client.delete(f"/v1/keys/{added.json()['key_id']}").status_code == 204
    assert person.client.get("/v1/keys").json() == kept(person) == []


def test_the_same_key_again_is_one_key(person):
    ids = {person.client.post("/v1/keys", json={"key": KEY}).json()["key_id"] for _ in range(2)}

    assert len(ids) == len(kept(person)) == 1


@pytest.mark.parametrize("key", ["short", "sk-with a space in it, 0123", "sk-ümlaut-0123456789", "k" * 513])
def test_what_can_not_be_a_key_is_refused_and_not_repeated(person, problem, key):
    told = problem(person.client.post("/v1/keys", json={"key": key}), 422)

    assert key not in str(told)
    assert kept(person) == []


def test_keys_are_the_users_and_nobody_elses(person, newcomer, problem):
    added = person.client.post("/v1/keys", json={"key": KEY}).json()
    stranger, of_one_being = newcomer(), person.with_token(being_id=person.being.being_id)

    assert stranger.client.get("/v1/keys").json() == []
    problem(stranger.client.delete(f"/v1/keys/{added['key_id']}"), 404)
    problem(of_one_being.get("/v1/keys"), 403)
    problem(of_one_being.post("/v1/keys", json={"key": KEY}), 403)
    problem(of_one_being.delete(f"/v1/keys/{added['key_id']}"), 403)
    problem(person.with_token(["read", "ingest"]).get("/v1/keys"), 403)
    assert len(kept(person)) == 1


def test_a_key_that_came_with_a_request_pays_for_what_that_causes_and_is_not_listed(person):
    person.ask("POST", "/notes", json=scene("The sea was calm."), headers=HEADER)
    person.ask("POST", "/messages", json={"role": "user", "content": "Look at the sea."}, headers=HEADER)
    demanded = person.ask("POST", "/patrols", headers=HEADER)
    (key,) = kept(person)

    assert demanded.status_code == 202
    assert paid_by(person) == [key["key_id"]]
    assert key["expires_at"] > key["created_at"]
    assert person.client.get("/v1/keys").json() == []


def test_a_header_that_holds_no_key_is_refused_before_anything_is_taken(person, problem):
    told = problem(
        person.ask("POST", "/notes", json=scene("The sea was calm."), headers={"X-LLM-API-Key": "too short"}), 422
    )

    assert "too short" not in str(told).replace("String should have at least", "")
    assert person.ask("GET", "/notes").json()["notes"] == []


def test_a_being_has_a_budget_of_its_own(person):
    changed = person.ask("PATCH", "", json={"daily_cost": 0.5, "daily_tokens": 1000}).json()

    assert (changed["daily_cost"], changed["daily_tokens"], changed["name"]) == ("0.5", 1000, person.being.name)
    renamed = person.ask("PATCH", "", json={"name": "Mira the Second", "daily_cost": None}).json()
    assert Being.model_validate(renamed).daily_cost is None
    assert (renamed["daily_tokens"], renamed["name"]) == (1000, "Mira the Second")


@pytest.mark.parametrize(
    "changes", [{}, {"name": None}, {"daily_cost": -1}, {"daily_tokens": 1.5}, {"daily_cost": "x"}]
)
def test_changes_that_can_not_be_are_refused(person, problem, changes):
    problem(person.ask("PATCH", "", json=changes), 422)


def test_cost_is_told_by_being_and_for_all(person):
    with person.ledger.transaction() as tx:
        tx.execute(
            "insert into memory.model_calls (user_id, being_id, purpose, provider, model, paid_with, outcome,"
            " input_tokens, output_tokens, cost, day, settled_at)"
            " values (%(user)s, %(being)s, 'diary', 'openai', 'm', 'user', 'answered', 10, 5, .5, '2026-03-02', now()),"
            " (%(user)s, %(being)s, 'diary', 'openai', 'm', 'user', 'answered', 10, 5, null, '2026-03-02', now()),"
            " (%(user)s, null, 'spine', 'openai', 'm', 'user', 'failed', 0, 0, 0, '2026-03-03', now())",
            {"user": person.user.user_id, "being": person.being.being_id},
        )
    (of_being,) = person.ask("GET", "/cost").json()
    assert (of_being["calls"], of_being["unpriced"], of_being["input_tokens"], of_being["cost"]) == (2, 1, 20, "0.5")
    everything = person.client.get("/v1/cost").json()
    assert [line["purpose"] for line in everything] == ["spine", "diary"]
    assert person.client.get("/v1/cost", params={"since": "2026-03-03"}).json() == everything[:1]
