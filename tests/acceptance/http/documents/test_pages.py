"""A page in a browser may call the API only if its origin was set."""

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from api.app import create_app
from schemas.settings import Settings

PREFLIGHT = {
    "Origin": "https://page.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "Authorization",
}


@pytest.fixture
def served(stack, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", stack.database_url)
    monkeypatch.setenv("REDIS_URL", stack.redis_url)
    return lambda origins: TestClient(create_app(Settings(embedder="minilm", api_origins=origins)))


def test_by_default_no_page_may(person):
    answer = person.client.options("/v1/beings", headers=PREFLIGHT)
    assert "access-control-allow-origin" not in answer.headers


def test_a_page_of_an_origin_that_was_set_may_and_no_other(served):
    client = served("https://page.example, https://other.example")
    answer = client.options("/v1/beings", headers=PREFLIGHT)
    assert answer.headers["access-control-allow-origin"] == "https://page.example"
    of_an_sdk = {"Access-Control-Request-Headers": "authorization, x-stainless-lang, x-memory-being"}
    answer = client.options("/openai/v1/chat/completions", headers=PREFLIGHT | of_an_sdk)
    assert answer.headers["access-control-allow-headers"] == of_an_sdk["Access-Control-Request-Headers"]
    stranger = client.options("/v1/beings", headers=PREFLIGHT | {"Origin": "https://stranger.example"})
    assert "access-control-allow-origin" not in stranger.headers


@pytest.mark.parametrize(
    "origin", ["https://page.example/", "page.example", "https://Page.example", "https://a.example/b"]
)
def test_what_a_browser_never_sends_is_no_origin(origin):
    with pytest.raises(ValidationError, match="Must be origins like"):
        Settings(api_origins=f"http://localhost:8000, {origin}")


@pytest.mark.parametrize("origins", ["*", "null", "app://notes.example, http://127.0.0.1:8000"])
def test_origins_of_programs_and_files_may_be_set(origins):
    assert Settings(api_origins=origins).api_origins == origins


def test_a_page_reads_errors_as_well(served, person):
    token = person.with_token(["ingest", "read"]).headers["authorization"]
    sent = {"Origin": "https://page.example", "Authorization": token}
    with served("https://page.example") as client:
        answers = [
            client.post("/v1/beings/nobody/context", json={}, headers=sent),
            client.post("/v1/beings/mira/context", json={}, headers=sent | {"Authorization": "Bearer none"}),
            client.post("/v1/beings/mira/context", json={"colour": "red"}, headers=sent),
            client.post("/v1/beings/mira/vault", json={}, headers=sent),
            client.post("/v1/beings/mira/context", content=b"{", headers=sent | {"Content-Type": "application/json"}),
            client.post("/openai/v1/chat/completions", json={}, headers=sent),
            client.get("/nowhere", headers=sent),
        ]
    assert [answer.status_code for answer in answers] == [404, 401, 422, 403, 400, 400, 404]
    for answer in answers:
        assert answer.headers["access-control-allow-origin"] == "https://page.example", answer.url
        assert "x-request-id" in answer.headers["access-control-expose-headers"].lower()
        assert answer.headers["x-request-id"]
