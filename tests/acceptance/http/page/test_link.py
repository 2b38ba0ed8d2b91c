"""A printed link logs one browser in, once; its secret is in no request's path, in no log, and is no token."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from memory.accounts.page_sessions import issue_link
from tests.acceptance.http.page.conftest import Mind

LINK = "/page/session/link"
LIFE = timedelta(hours=1)


@pytest.fixture
def owner(person):
    """A person with an empty Being."""
    return Mind(person)


@pytest.fixture
def secret(owner):
    return issue_link(owner.person.ledger, owner.person.user.user_id, LIFE)


def test_a_link_logs_in_once_with_all_rights(owner, secret, problem):
    answer = owner.person.with_secret(secret).post(LINK)
    assert answer.status_code == 200
    assert answer.json()["scopes"] == ["ingest", "manage", "read"]
    assert secret not in answer.text + answer.headers["set-cookie"]
    client, proof = owner.person.with_secret(None), {"X-Memory-Page": answer.json()["request_secret"]}
    client.cookies = answer.cookies
    assert client.post("/v1/beings", json={"slug": "other", "name": "Other"}, headers=proof).status_code == 201
    problem(owner.person.with_secret(secret).post(LINK), 401)
    # Nor is the session's own secret another link.
    ((_, cookie),) = answer.cookies.items()
    problem(owner.person.with_secret(cookie).post(LINK), 401)


def test_of_browsers_that_use_a_link_at_once_one_is_logged_in(owner, secret):
    clients = [owner.person.with_secret(secret) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda client: client.post(LINK).status_code, clients))
    assert sorted(statuses) == [200, 401, 401, 401]


def test_a_link_is_no_token_and_no_cookie(owner, secret, problem):
    problem(owner.person.with_secret(secret).get("/v1/beings"), 401)
    problem(owner.person.with_secret(secret).post("/page/session"), 401)
    client = owner.person.with_secret(None)
    client.cookies.set("memory_patrol", secret)
    problem(client.get("/v1/beings"), 401)
    assert owner.person.with_secret(secret).post(LINK).status_code == 200


@pytest.mark.parametrize("ended", ["expired", "revoked", "never there"])
def test_a_link_that_has_ended_opens_nothing(owner, secret, problem, ended):
    if ended == "expired":
        owner.execute(
            "update memory.page_sessions set expires_at = clock_timestamp() where user_id = %(user)s",
            user=owner.person.user.user_id,
        )
    elif ended == "revoked":
        owner.execute(
            "update memory.api_tokens set revoked_at = clock_timestamp() where user_id = %(user)s",
            user=owner.person.user.user_id,
        )
    problem(owner.person.with_secret("guessed" if ended == "never there" else secret).post(LINK), 401)
    problem(owner.person.with_secret(None).post(LINK), 401)


def test_links_that_are_over_leave_no_tokens_behind(owner, secret):
    def tokens():
        with owner.person.ledger.transaction() as tx:
            return tx.value("select count(*) from memory.api_tokens where user_id = %s", [owner.person.user.user_id])

    others = tokens() - 1
    assert owner.person.with_secret(secret).post(LINK).status_code == 200
    owner.execute(
        "update memory.page_sessions set expires_at = clock_timestamp() where user_id = %(user)s",
        user=owner.person.user.user_id,
    )
    issue_link(owner.person.ledger, owner.person.user.user_id, LIFE)
    assert tokens() == others + 1


def test_a_browser_is_logged_in_and_the_secret_leaves_the_address(stack, secret, open_page):
    page, asked = open_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{stack.url}/#login={secret}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mira")
    assert secret not in page.url + page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Mira")
    assert [url for url in asked if secret in url.partition("#")[0]] == []
    assert secret not in "".join(log.read_text() for log in stack.logs.glob("*.log"))

    # The same link again does not end the login of the browser that used it, and opens nothing elsewhere.
    page.goto(f"{stack.url}/#login={secret}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mira")
    stranger = open_page()
    stranger.goto(f"{stack.url}/#login={secret}")
    expect(stranger.get_by_role("alert")).to_contain_text("used before")
    assert secret not in stranger.url
