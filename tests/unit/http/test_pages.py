"""The pages for a browser need no token, run no script and fetch nothing from another host."""

import re

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from schemas.settings import Settings


@pytest.fixture(scope="module")
def browser():
    return TestClient(create_app(Settings(embedder="minilm")))


@pytest.mark.parametrize(("path", "text"), [("/", "First steps"), ("/docs", "POST /v1/beings/{being}/recall")])
def test_a_browser_is_greeted(browser, path, text):
    answer = browser.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert text in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert "<script" not in answer.text
    assert [link for link in re.findall(r'(?:src|href)="([^"]*)"', answer.text) if not link.startswith("/")] == []


def test_the_address_in_the_examples_is_escaped(browser):
    answer = browser.get("/", headers={"Host": 'x"<b>'})
    assert "<b>" not in answer.text


@pytest.mark.parametrize("path", ["/openapi.json", "/docs/", "/docsx"])
def test_all_other_paths_need_a_token(browser, path):
    assert browser.get(path).status_code == 401
