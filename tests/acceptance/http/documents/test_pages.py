"""A page in a browser may call the API only if its origin was set."""

import pytest
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
    stranger = client.options("/v1/beings", headers=PREFLIGHT | {"Origin": "https://stranger.example"})
    assert "access-control-allow-origin" not in stranger.headers
