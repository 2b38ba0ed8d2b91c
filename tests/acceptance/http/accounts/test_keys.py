"""Keys for model providers: stored, listed without the key, brought along by a request, forgotten; and budgets."""

import pytest

from schemas.accounts.accounts import Being
from tests.acceptance.http.intake.scenes import scene

KEY = "sk-ant-made-up-for-a-test-0123456789"
HEADER = {"X-LLM-API-Key": KEY}


def brought_keys(person):
    """The keys that came with what the Being was handed, by table."""
    with person.ledger.transaction() as tx:
        return {
            table: tx.execute(
                f"select distinct request_key_id from memory.{table} where being_id = %s",  # noqa: S608  # our own names
                [person.being.being_id],
            ).fetchall()
            for table in ("notes", "messages")
        }


def kept(person):
    """The person's keys as rows."""
    with person.ledger.transaction() as tx:
        return tx.execute("select * from memory.provider_keys where user_id = %s", [person.user.user_id]).fetchall()


def test_a_key_is_stored_listed_by_its_end_and_forgotten(person):
    added = person.client.post("/v1/keys", json={"key": KEY})

    assert added.status_code == 201
    assert (added.json()["provider"], added.json()["last_four"]) == ("anthropic", "6789")
    assert person.client.get("/v1/keys").json()["keys"] == [added.json()]
    assert KEY not in added.text
    assert KEY.encode() not in kept(person)[0]["sealed"]
    assert person.client.delete(f"/v1/keys/{added.json()['key_id']}").status_code == 204
    assert person.client.get("/v1/keys").json()["keys"] == kept(person) == []


def test_the_same_key_again_is_one_key(person):
    ids = {person.client.post("/v1/keys", json={"key": KEY}).json()["key_id"] for _ in range(2)}

    assert len(ids) == len(kept(person)) == 1


@pytest.mark.parametrize("key", ["short", "sk-with a space in it, 0123", "sk-ümlaut-0123456789", "k" * 513])
def test_what_can_not_be_a_key_is_refused_and_not_repeated(person, problem, key):
    told = problem(person.client.post("/v1/keys", json={"key": key}), 422)

    assert key not in str(told)
    assert kept(person) == []


def test_keys_are_seen_by_their_user_alone(person, newcomer, problem):
    added = person.client.post("/v1/keys", json={"key": KEY}).json()
    stranger, of_one_being = newcomer(), person.with_token(being_id=person.being.being_id)

    assert stranger.client.get("/v1/keys").json()["keys"] == []
    problem(stranger.client.delete(f"/v1/keys/{added['key_id']}"), 404)
    problem(of_one_being.get("/v1/keys"), 403)
    problem(of_one_being.post("/v1/keys", json={"key": KEY}), 403)
    problem(of_one_being.delete(f"/v1/keys/{added['key_id']}"), 403)
    problem(person.with_token(["read", "ingest"]).get("/v1/keys"), 403)
    assert len(kept(person)) == 1


def test_a_key_that_came_with_a_request_stays_with_what_that_handed_in_and_is_not_listed(person):
    person.ask("POST", "/notes", json=scene("The sea was calm."), headers=HEADER)
    person.ask("POST", "/messages", json={"role": "user", "content": "Look at the sea."}, headers=HEADER)
    (key,) = kept(person)

    brought = [{"request_key_id": key["key_id"]}]
    assert brought_keys(person) == {"notes": brought, "messages": brought}
    assert str(key["key_id"]) not in person.ask("GET", "/notes").text
    assert key["expires_at"] > key["created_at"]
    assert person.client.get("/v1/keys").json()["keys"] == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/notes", scene("The sea was calm.")),
        ("/messages", {"role": "user", "content": "Look at the sea."}),
        ("/turns", {"messages": [{"role": "user", "content": "Look at the sea."}]}),
    ],
)
def test_a_key_needs_a_token_that_may_read(person, problem, path, body):
    feeder = person.with_token(["ingest"], being_id=person.being.being_id)
    told = problem(feeder.post(f"/v1/beings/{person.being.being_id}{path}", json=body, headers=HEADER), 403)

    assert "`read`" in str(told["detail"])
    assert kept(person) == []
    assert brought_keys(person) == {"notes": [], "messages": []}


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
    (of_being,) = person.ask("GET", "/cost").json()["spending"]
    assert (of_being["calls"], of_being["unpriced"], of_being["input_tokens"], of_being["cost"]) == (2, 1, 20, "0.5")
    assert of_being["budget_reached_at"] is None
    with person.ledger.transaction() as tx:
        tx.execute(
            "insert into memory.budgets_reached (user_id, being_id, day, lacking)"
            " values (%s, %s, '2026-03-02', 'cost')",
            [person.user.user_id, person.being.being_id],
        )
    (of_being,) = person.ask("GET", "/cost").json()["spending"]
    assert of_being["budget_reached_at"]
    everything = person.client.get("/v1/cost").json()["spending"]
    assert [line["purpose"] for line in everything] == ["spine", "diary"]
    assert person.client.get("/v1/cost", params={"since": "2026-03-03"}).json()["spending"] == everything[:1]
