"""The pages for a browser need no token, hold no inline script, and fetch nothing from another host."""

import re

import pytest
from starlette.testclient import TestClient

from api import openapi_file
from api.app import create_app
from api.page.files import EDITION, FILES
from schemas.settings import Settings

# Where a text may name another host: namespaces of XML, which no browser fetches.
NAMESPACE = "http://www.w3.org/"


@pytest.fixture(scope="module")
def browser():
    return TestClient(create_app(Settings(embedder="minilm")))


@pytest.mark.parametrize(("path", "text"), [("/", "Skip to the content"), ("/docs", "POST /v1/beings/{being}/recall")])
def test_a_browser_gets_a_page_with_a_strict_policy(browser, path, text):
    answer = browser.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert text in answer.text
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert [
        link for link in re.findall(r'(?:src|href)="([^"]*)"', answer.text) if not link.startswith(("/", "#", "page/"))
    ] == []


def test_the_reference_shows_all_of_the_document_and_no_link_in_it_is_broken(browser):
    page, document = browser.get("/docs").text, openapi_file.document()
    places = re.findall(r' id="([^"]+)"', page)
    assert len(places) == len(set(places))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(places)
    operations = {each["operationId"] for methods in document["paths"].values() for each in methods.values()}
    types = {f"type-{name}" for name in document["components"]["schemas"]}
    assert operations | types <= set(places)
    for words in ("PATROL_KEEP_REQUEST_ANSWERS", "integer ≥ 1 ≤ 200", "threshold</code> (optional)"):
        assert words in page


def test_the_memory_page_runs_only_files_of_this_server(browser):
    answer = browser.get("/")
    assert "script-src 'self'; style-src 'self';" in answer.headers["content-security-policy"]
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in answer.headers["content-security-policy"]
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=", answer.text) == []


@pytest.mark.parametrize("name", sorted(FILES))
def test_each_file_of_the_page_is_served_as_what_it_is(browser, name):
    answer = browser.get(f"/page/{name}", headers={"Accept-Encoding": "identity"})
    assert answer.status_code == 200
    packed = browser.get(f"/page/{name}", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == answer.content
    assert answer.content == FILES[name].content
    assert answer.headers["content-type"] == FILES[name].media_type
    assert browser.get(f"/page/{name}", headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    hosts = [url for url in re.findall(r"https?://[^\s\"'`)]+", answer.text) if not url.startswith(NAMESPACE)]
    assert hosts == []
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", answer.text) == []
    )


@pytest.mark.parametrize("name", ["none.js", "..%2Ffiles.py", "../files.py", "__init__.py"])
def test_no_other_file_is_served(browser, name):
    answer = browser.get(f"/page/{name}")
    assert answer.status_code in {401, 404}
    assert "FILES" not in answer.text


@pytest.mark.parametrize("path", ["/openapi.json", "/docs/", "/docsx"])
def test_all_other_paths_need_a_token(browser, path):
    assert browser.get(path).status_code == 401


def test_browsers_keep_the_pages_files_until_one_of_them_changes(browser):
    opened = browser.get("/")
    assert opened.headers["cache-control"] == "no-cache"
    files = [path for path in re.findall(r'"(page/[^"]+)"', opened.text) if path != "page/session"]
    assert {path.split("/")[1] for path in files} == {EDITION}
    assert {path.split("/")[2] for path in files} <= set(FILES)
    assert {browser.get(path).headers["cache-control"] for path in files} == {"public, max-age=31536000, immutable"}
    assert browser.get("/page/0000000000000000/main.js").status_code == 404


@pytest.mark.parametrize(
    "path", ["/page/session", "/v1/beings", "/v1/none", "/metrics", "/openai/v1/models", "/openapi.json"]
)
def test_no_cache_keeps_an_answer_and_no_browser_guesses_its_type(browser, path):
    answer = browser.get(path)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert ("Cookie" in answer.headers.get("vary", "")) == path.startswith(("/v1/", "/page/"))


def test_the_page_and_its_files_depend_on_the_cookie_and_say_their_type(browser):
    for path in ("/", "/page/main.js"):
        headers = browser.get(path).headers
        assert "Cookie" in headers["vary"]
        assert headers["x-content-type-options"] == "nosniff"


def test_a_browser_without_a_login_gets_an_empty_answer(browser):
    assert (browser.get("/page/session").status_code, browser.get("/page/session").content) == (204, b"")
    assert browser.delete("/page/session").status_code == 401
