"""A login is a cookie that scripts can't read, other sites can't use, and that ends with its token."""

import hashlib
import hmac

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from api.app import create_app
from schemas.settings import Settings
from tests.acceptance.http.page.conftest import Mind

SESSION = "/page/session"


@pytest.fixture
def owner(person):
    """A person with an empty Being, whose tokens and logins a test may end."""
    return Mind(person)


@pytest.fixture
def login(owner):
    """A client with a cookie and without a token, and the proof that the memory page sends."""
    answer = owner.person.with_secret(owner.token).post(SESSION)
    assert answer.status_code == 200
    client = owner.person.with_secret(None)
    client.cookies = answer.cookies
    return client, {"X-Memory-Page": answer.json()["request_secret"]}, answer


def test_the_cookie_is_for_this_server_alone_and_out_of_reach_of_scripts(login, owner):
    _, _, answer = login
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "max-age=28800" in cookie
    assert owner.token not in answer.text + cookie


def test_with_tls_the_cookie_is_secure_and_bound_to_the_host(stack, owner, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", stack.database_url)
    monkeypatch.setenv("REDIS_URL", stack.redis_url)
    with TestClient(create_app(Settings(embedder="minilm")), base_url="https://memory.example") as client:
        answer = client.post(SESSION, headers={"Authorization": f"Bearer {owner.token}"})
        assert answer.headers["set-cookie"].startswith("__Host-memory_patrol=")
        assert "secure" in answer.headers["set-cookie"].lower()
        assert client.get(SESSION).json()["user"] == owner.person.user.name


def test_a_request_that_changes_something_needs_the_proof(login, problem):
    client, proof, _ = login
    assert client.get("/v1/beings").status_code == 200
    for wrong in ({}, {"X-Memory-Page": "x"}, {"X-Memory-Page": ""}, {"X-Memory-Page": "\u00e9".encode("latin-1")}):
        problem(client.post("/v1/beings", json={"slug": "other", "name": "Other"}, headers=wrong), 403)
        problem(client.delete(SESSION, headers=wrong), 403)
    assert [being["slug"] for being in client.get("/v1/beings").json()["beings"]] == ["mira"]
    assert client.post("/v1/beings", json={"slug": "other", "name": "Other"}, headers=proof).status_code == 201


def test_the_proof_of_one_login_is_none_of_another_and_the_cookie_does_not_tell_it(login, owner, problem):
    client, proof, answer = login
    other = owner.person.with_secret(owner.token).post(SESSION)
    problem(client.delete(SESSION, headers={"X-Memory-Page": other.json()["request_secret"]}), 403)
    assert client.get(SESSION).json()["request_secret"] == proof["X-Memory-Page"]
    cookie = answer.cookies["memory_patrol"]
    derived = {hmac.new(cookie.encode(), b"memory page: request", "sha256").hexdigest(), cookie}
    derived |= {
        hashlib.sha256(cookie.encode()).hexdigest(),
        hashlib.sha256(hashlib.sha256(cookie.encode()).digest()).hexdigest(),
    }
    assert proof["X-Memory-Page"] not in derived
    assert answer.headers["cache-control"] == "no-store"
    assert client.get("/v1/beings").headers["cache-control"] == "no-store"
    assert "Cookie" in client.get("/v1/beings").headers["vary"]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_request_of_another_site_is_refused(login, problem, site):
    client, proof, _ = login
    problem(client.get("/v1/beings", headers=proof | {"Sec-Fetch-Site": site}), 403)
    assert client.get("/v1/beings", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_the_cookie_opens_only_what_the_page_uses(login):
    client, proof, _ = login
    for path in ("/mcp", "/metrics", "/openapi.json"):
        # If the route of MCP opened, its answer would not end.
        with client.stream("GET", path, headers=proof) as answer:
            assert answer.status_code == 401


def test_a_login_ends_with_its_logout(login, problem):
    client, proof, answer = login
    assert client.delete(SESSION, headers=proof).status_code == 204
    client.cookies = answer.cookies
    problem(client.get("/v1/beings"), 401)


def test_a_login_ends_with_its_token_and_with_its_time(login, owner, problem):
    client, _, _ = login
    with owner.person.ledger.transaction() as tx:
        tx.execute(
            "update memory.page_sessions set expires_at = clock_timestamp() where user_id = %s",
            [owner.person.user.user_id],
        )
    problem(client.get("/v1/beings"), 401)
    again = owner.person.with_secret(owner.token).post(SESSION)
    client.cookies = again.cookies
    assert client.get("/v1/beings").status_code == 200
    with owner.person.ledger.transaction() as tx:
        tx.execute(
            "update memory.api_tokens set revoked_at = clock_timestamp() where user_id = %s",
            [owner.person.user.user_id],
        )
    problem(client.get("/v1/beings"), 401)


def test_a_browser_without_a_login_is_told_so_without_an_error(login, owner):
    client, _, answer = login
    stranger = owner.person.with_secret(None)
    assert stranger.get(SESSION).status_code == 204
    owner.execute("delete from memory.page_sessions where user_id = %(user)s", user=owner.person.user.user_id)
    client.cookies = answer.cookies
    ended = client.get(SESSION)
    assert (ended.status_code, ended.content) == (204, b"")
    assert 'memory_patrol=""' in ended.headers["set-cookie"]


def test_a_login_has_the_rights_of_its_token(owner, problem):
    answer = owner.person.with_secret(owner.reading).post(SESSION)
    client = owner.person.with_secret(None)
    client.cookies = answer.cookies
    proof = {"X-Memory-Page": answer.json()["request_secret"]}
    problem(client.post("/v1/beings", json={"slug": "other", "name": "Other"}, headers=proof), 403)


def test_a_person_logs_in_and_out_and_a_wrong_token_is_told(stack, owner, open_page):
    page, errors = open_page(), []
    page.on("console", lambda line: line.type == "error" and errors.append(line.text))
    page.goto(stack.url)
    page.get_by_label("Access token").wait_for()
    # A browser logs each answer that is an error; not to be logged in is none.
    assert errors == []
    page.get_by_label("Access token").fill("patrol_wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("unknown")
    page.get_by_label("Access token").fill(owner.token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mira")
    assert page.evaluate("[document.cookie, JSON.stringify({...localStorage, ...sessionStorage})]") == ["", "{}"]
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Mira")
    page.get_by_label("Menu").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("alert")).to_have_text("You are logged out.")
    assert page.context.cookies() == []


def test_a_token_that_may_only_read_is_shown_everything_and_offered_no_change(mind, page_of, went):
    page = page_of(mind.reading)
    expect(page.get_by_text("Read only")).to_be_visible()
    changes = "Pin|Forget|Correct|Erase|Edit|Archive|Add|Delete|Retract|Run a patrol|Download|They are one|Try again"
    node = mind.node("Nadia lit the harbour lamp by hand.")["node_id"]
    for section in (f"memory/{node}", "facts", "entities", "talk", "vault", "start", "patrols", "cost", "care"):
        went(page, section)
        labels = page.locator("main button").all_inner_texts()
        assert [label for label in labels if any(label.startswith(word) for word in changes.split("|"))] == []
    assert page.locator("#sections").get_by_role("link", name="Work").count() == 0
    page.evaluate("location.hash = '#/mira/work'")
    expect(page.locator("main")).to_have_attribute("data-shown", "map")
    assert page.faults == []
