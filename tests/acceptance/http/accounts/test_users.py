"""An application with an operator's token creates its users and their tokens over HTTP, once each."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

UNKNOWN = "0199d6a8-5c00-7000-8000-000000000001"


@pytest.fixture
def customer(operator):
    """A user of an application."""
    return operator.post("/v1/users", json={"external_id": f"customer/{uuid4()}", "name": "Ada"}).json()


def test_a_user_is_created_once_by_the_applications_own_id(operator):
    new = {"external_id": f"customer/{uuid4()}", "name": "Ada", "time_zone": "Europe/Lisbon"}
    created, again = operator.post("/v1/users", json=new), operator.post("/v1/users", json=new | {"name": "Bea"})

    assert (created.status_code, again.status_code) == (201, 200)
    assert created.json() == again.json(), "a known user is returned as stored"
    assert operator.get("/v1/users", params={"external_id": new["external_id"]}).json()["users"] == [created.json()]
    namesake = operator.post("/v1/users", json=new | {"external_id": f"customer/{uuid4()}"})
    assert (namesake.status_code, namesake.json()["name"]) == (201, "Ada")


def test_users_come_in_pages(operator):
    for _ in range(2):
        operator.post("/v1/users", json={"external_id": f"customer/{uuid4()}"})
    first = operator.get("/v1/users", params={"limit": 1}).json()
    second = operator.get("/v1/users", params={"limit": 1, "cursor": first["cursor"]}).json()

    assert len(first["users"]) == 1
    assert first["users"] != second["users"]


def test_a_users_token_opens_the_users_memory_and_ends_at_once(operator, customer, person, problem):
    tokens = f"/v1/users/{customer['user_id']}/tokens"
    issued = operator.post(tokens, json={"scopes": ["ingest", "read", "manage"]})
    assert issued.status_code == 201
    client = person.with_secret(issued.json()["secret"])
    assert client.post("/v1/beings", json={"slug": "mira", "name": "Mira"}).status_code == 201
    bound = operator.post(tokens, json={"scopes": ["read"], "being": "mira"}).json()
    assert person.with_secret(bound["secret"]).get("/v1/beings/mira").json()["user_id"] == customer["user_id"]
    assert [token["token_id"] for token in operator.get(tokens).json()["tokens"]] == [
        issued.json()["token"]["token_id"],
        bound["token"]["token_id"],
    ]
    assert operator.delete(f"{tokens}/{issued.json()['token']['token_id']}").status_code == 204
    problem(client.get("/v1/beings"), 401)


def test_a_token_expires_when_it_was_told_to(operator, customer, person, problem):
    tokens = f"/v1/users/{customer['user_id']}/tokens"
    past, later = (datetime.now(UTC) + timedelta(hours=hours) for hours in (-1, 1))
    expired = operator.post(tokens, json={"scopes": ["read"], "expires": past.isoformat()}).json()
    valid = operator.post(tokens, json={"scopes": ["read"], "expires": later.isoformat()}).json()

    problem(person.with_secret(expired["secret"]).get("/v1/beings"), 401)
    assert person.with_secret(valid["secret"]).get("/v1/beings").json()["beings"] == []


def test_a_user_is_changed_and_erased(operator, customer, problem):
    path = f"/v1/users/{customer['user_id']}"
    changed = operator.patch(path, json={"facts_known_to": "present", "time_zone": "Europe/Berlin"}).json()
    assert (changed["facts_known_to"], changed["time_zone"], changed["name"]) == ("present", "Europe/Berlin", "Ada")
    assert operator.patch(path, json={"facts_known_to": None}).json()["facts_known_to"] is None
    budget = operator.patch(path, json={"daily_cost": 2.5, "daily_tokens": 1000}).json()
    assert (budget["daily_cost"], budget["daily_tokens"], budget["time_zone"]) == ("2.5", 1000, "Europe/Berlin")
    assert operator.patch(path, json={"daily_cost": None}).json()["daily_tokens"] == 1000
    problem(operator.patch(path, json={"time_zone": "Mars/Olympus"}), 409)
    problem(operator.patch(path, json={}), 422)
    assert operator.delete(path).status_code == 200
    problem(operator.get(path), 404)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/users", {"external_id": ""}),
        ("POST", "/v1/users", {"external_id": "a", "name": " "}),
        ("POST", f"/v1/users/{UNKNOWN}/tokens", {"scopes": []}),
        ("POST", f"/v1/users/{UNKNOWN}/tokens", {"scopes": ["all"]}),
    ],
)
def test_bad_requests_are_refused(operator, problem, method, path, body):
    problem(operator.request(method, path, json=body), 422)


@pytest.mark.parametrize("path", ["", "/tokens"])
def test_of_a_user_who_is_not_there_nothing_is_answered(operator, problem, path):
    problem(operator.get(f"/v1/users/{UNKNOWN}{path}"), 404)


def test_a_users_token_creates_no_user_and_its_body_is_not_read(person, problem):
    problem(person.client.post("/v1/users", content=b"no JSON"), 403)


def test_a_being_of_another_user_can_not_be_named(operator, customer, person, problem):
    other = {"scopes": ["read"], "being": str(person.being.being_id)}
    problem(operator.post(f"/v1/users/{customer['user_id']}/tokens", json=other), 404)


def test_a_requests_provider_key_ends_with_its_token(operator, customer, person, ledger):
    tokens = f"/v1/users/{customer['user_id']}/tokens"
    issued = operator.post(tokens, json={"scopes": ["ingest", "read", "manage"]}).json()
    client = person.with_secret(issued["secret"])
    client.post("/v1/beings", json={"slug": "mira", "name": "Mira"})
    key = {"X-LLM-API-Key": "sk-ant-made-up-for-a-test-0123456789"}
    said = client.post("/v1/beings/mira/messages", json={"role": "user", "content": "Hello."}, headers=key)
    assert said.json()["accepted"] == 1

    def keys():
        with ledger.transaction() as tx:
            query = "select count(*) from memory.provider_keys where user_id = %s"
            return tx.value(query, [customer["user_id"]])

    assert keys() == 1
    operator.delete(f"{tokens}/{issued['token']['token_id']}")
    assert keys() == 0
