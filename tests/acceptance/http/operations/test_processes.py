"""Several processes serve one port: they count together, and end together."""

import os
import re
import signal

import httpx2
import pytest

from cli.operations.stack import api_command
from memory.accounts import access
from tests.acceptance.conftest import PATIENCE, answers
from tests.ports import free_port

LIVE = 'patrol_http_seconds_count{method="GET",route="/health/live",status="200"}'


@pytest.fixture
def server(stack, launch, wait_until, tmp_path):
    """An API of two processes; yields its URL and the process that started them."""
    port = free_port()
    environment = {**os.environ, **stack.environment, "TMPDIR": str(tmp_path)}
    process = launch(api_command("127.0.0.1", port, 2), tmp_path / "log", env=environment)
    try:
        wait_until(lambda: (tmp_path / "log").read_text().count("startup complete") == 2)
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()


def gone(url):
    try:
        httpx2.get(f"{url}/health/live", timeout=PATIENCE)
    except httpx2.TransportError:
        return True
    return False


def test_they_count_together_whichever_is_asked_and_leave_nothing_behind(server, ledger, wait_until, tmp_path):
    url, process = server
    secret, _ = access.issue_operator_token(ledger, lifetime=None)
    for _ in range(30):
        assert answers(url, "/health/live")
    for _ in range(5):
        told = httpx2.get(f"{url}/metrics", headers={"Authorization": f"Bearer {secret}"}, timeout=PATIENCE).text
        assert re.findall(rf"^{re.escape(LIVE)} (.*)$", told, re.MULTILINE) == ["30.0"]
    assert list(tmp_path.glob("patrol-api-*"))
    process.send(signal.SIGTERM)
    wait_until(lambda: not process.alive)
    assert gone(url)
    assert not list(tmp_path.glob("patrol-api-*"))


def test_they_end_with_what_started_them(server, wait_until):
    url, process = server
    # Only the one that started them: `kill` of a child kills its group.
    os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: gone(url))
