"""Flower shows the patrol's tasks by name to a user with the password, and no content."""

import os
import signal

import httpx2
import pytest

from schemas.ledger.kinds import PATROL_STEPS
from tests.acceptance.cli.conftest import PATIENCE, Command
from tests.ports import free_port
from workers.embedded.processes import wait_until

NAME, WORD = "ada", "lovelace-1815"


@pytest.fixture(scope="module")
def flower(patrol):
    """A running Flower, as its URL."""
    port = free_port()
    command = Command(patrol.home, PATROL_FLOWER_BASIC_AUTH=f"{NAME}:{WORD}")
    process = command.start("flower", "--port", port)
    url = f"http://127.0.0.1:{port}"

    def answers():
        try:
            return httpx2.get(f"{url}/healthcheck").status_code == 200
        except httpx2.TransportError:
            return False

    try:
        assert wait_until(answers, PATIENCE)
        yield url
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=PATIENCE)


def test_a_patrol_is_seen_step_by_step_and_without_content(flower, account):
    with httpx2.Client(base_url=flower, auth=(NAME, WORD), timeout=PATIENCE) as client:
        assert wait_until(lambda: client.get("/api/workers?refresh=1").json(), PATIENCE)
        assert wait_until(lambda: client.get("/api/tasks").json(), PATIENCE)  # it hears of tasks: the sweep's
        account.remembers("The crimson letter was burnt.")
        mine, being = {}, f"{str(account.being_id)[-12:]}/"

        def seen():
            tasks = client.get("/api/tasks").json().values()
            mine.update({task["name"]: task for task in tasks if (task["args"] or "").startswith(being)})
            return {f"patrol.{step}" for step in PATROL_STEPS} <= mine.keys()

        assert wait_until(seen, PATIENCE, pause=0.2), mine.keys()
        pages = ["/tasks", "/workers", "/broker", *(f"/task/{task['uuid']}" for task in mine.values())]
        workers = client.get("/api/workers").json()
        for page in [*pages, *(f"/worker/{worker}" for worker in workers)]:
            answer = client.get(page)
            assert answer.status_code == 200
            assert "crimson" not in answer.text
            assert WORD not in answer.text
        assert any("patrol-llm" in client.get(f"/worker/{worker}").text for worker in workers)


@pytest.mark.parametrize("auth", [None, (NAME, "guessed"), ("", "")])
def test_who_does_not_know_the_password_sees_nothing(flower, auth):
    for page in ("/", "/tasks", "/workers", "/broker", "/api/tasks", "/api/workers"):
        assert httpx2.get(flower + page, auth=auth, timeout=PATIENCE).status_code == 401


def test_flower_changes_nothing(flower):
    sent = f"{flower}/api/task/send-task/upkeep.sweep"
    answer = httpx2.post(sent, auth=(NAME, WORD), json={"args": []}, timeout=PATIENCE)
    assert answer.status_code == 403


@pytest.mark.parametrize("setting", ["", "ada", "ada:short", "ada:with,comma,in-it", ":nameless-1"])
def test_it_does_not_start_without_a_password(patrol, preloaded, setting):
    command = Command(patrol.home, preloaded, PATROL_FLOWER_BASIC_AUTH=setting)
    error = command("flower", code=1).stderr
    assert "PATROL_FLOWER_BASIC_AUTH" in error
    assert not setting or setting not in error
