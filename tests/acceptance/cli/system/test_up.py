"""`patrol up` runs everything, and leaves nothing behind; without it, commands say so."""

import json
import os
import re
import signal
import socket
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import scalar_row

from schemas.ledger.kinds import LLM_QUEUES, QUEUES
from tests.acceptance.cli.conftest import PATIENCE, Command, read_until
from tests.acceptance.cli.system.test_environments import EXPECTED, SENTINELS, seen
from tests.acceptance.cli.terminals import left_on_a_terminal, on_a_terminal
from tests.ports import free_port
from workers.embedded.processes import wait_until
from workers.embedded.servers import running_servers
from workers.runtime.celery.worker_group import NICENESS


def stop(process, number=signal.SIGINT):
    """Signal the whole process group, as a terminal does, and return what was said since."""
    os.killpg(process.pid, number)
    said, _ = process.communicate(timeout=PATIENCE)
    return said


def niceness(command, module):
    """The priorities of the processes in whose command line a module is named."""
    found = set()
    for pid in command.living():
        with suppress(ProcessLookupError, FileNotFoundError):
            if module in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.add(os.getpriority(os.PRIO_PROCESS, pid))
    return found


def has_own_secrets_alone(command):
    """Whether each process of the system, and Flower beside it, comes to have its own secrets alone."""
    # They find the servers by their home.
    expected = {role: secrets & SENTINELS.keys() for role, secrets in EXPECTED.items()}
    flower = command.start("flower", "--port", free_port())
    # `patrol flower` has all of its caller's environment until it becomes Flower.
    own = wait_until(lambda: seen(command.living(), SENTINELS) == expected, PATIENCE)
    # While it starts, Flower may miss another signal.
    stop(flower, signal.SIGKILL)
    return own


def connected(command):
    """The names of the processes that are connected to the embedded database."""
    with psycopg.connect(running_servers(command.home).database_url, row_factory=scalar_row) as session:
        return {*session.execute("select distinct application_name from pg_stat_activity")}


@pytest.mark.long
def test_a_life_of_up_in_the_background_and_one_on_a_terminal(command):
    port = free_port()
    command.environment |= {**SENTINELS, "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}
    said = command("up", "--detach", "--port", port).stdout
    assert f"http://127.0.0.1:{port}" in said
    assert "./patrol down stops everything" in said
    begun = (command.home / "logs" / "up.log").read_text()
    for part in ("servers", "migrate", "worker", "beat", "stream", "api"):
        assert f"✓ {part}" in begun
    assert begun.index("✓ api") < min(begun.index("✓ beat"), begun.index("✓ stream"))
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    assert niceness(command, b"api.server") == {ours}
    assert wait_until(lambda: niceness(command, b"workers.runtime.celery.worker_group") == {ours + NICENESS}, PATIENCE)
    assert has_own_secrets_alone(command)
    command("user", "add", "Ada")
    llm = ",".join(queue for queue in QUEUES if queue in LLM_QUEUES)
    assert connected(command) >= {"patrol api", "patrol stream", f"patrol worker-llm {llm}"}
    assert "already runs" in command("up", "--port", free_port(), code=1).stderr
    failed = command("up", "--detach", "--port", free_port(), code=1).stderr
    assert "already runs" in failed
    assert "up.log" in failed
    # The way in is for the eyes of the person at the terminal.
    assert "#login=" not in command("page", "--port", port).stdout
    shown = on_a_terminal(command, "page", "--port", port)
    (secret,) = re.findall(rf"http://127.0.0.1:{port}/#login=([\w-]+)", shown.stdout)
    assert shown.returncode == 0
    assert "Stopped." in command("down").stdout
    assert wait_until(lambda: not command.living(), PATIENCE)
    assert "Nothing runs" in command("down").stdout
    logs = {log.stem: log.read_text() for log in (command.home / "logs").glob("*.log")}
    assert logs.keys() == {"api", "beat", "stream", "up", "workers"}
    assert not any(words in log for log in logs.values() for words in (secret, "#login=", "0001_baseline"))
    up = logs.pop("up")
    assert "Stopped." in up
    assert "migrations applied" in up
    # Servers and frameworks write as we do.
    written = [line for log in logs.values() for line in log.splitlines()]
    assert all({"event", "level", "timestamp"} <= json.loads(line).keys() for line in written)
    assert "due task" not in logs["beat"]

    # How it starts from scratch is seen by now.
    command.fork_all()
    port = free_port()
    again, terminal = left_on_a_terminal(command, "up", "--port", port)
    greeting = b""
    while b"Ctrl-C stops everything" not in greeting:
        greeting += os.read(terminal, 65536)
    assert re.search(rb"http://127.0.0.1:%d/#login=[\w-]+" % port, greeting)
    assert [user["name"] for user in command.json("user", "list")["users"]] == ["Ada"]
    os.killpg(again.pid, signal.SIGINT)
    assert again.wait(PATIENCE) == 0
    os.close(terminal)
    assert wait_until(lambda: not command.living(), PATIENCE)


@pytest.mark.parametrize("moment", ["servers", "migrate"])
def test_ctrl_c_at_any_moment_leaves_no_process(command, moment):
    command.fork_all()
    up = command.start("up", "--port", free_port())
    read_until(up, moment)
    assert "Stopped." in stop(up)
    assert wait_until(lambda: not command.living(), PATIENCE)


def test_a_port_that_is_taken_is_told_before_anything_starts(command):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port}" in command("up", "--port", port, code=1).stderr
    assert not (command.home / "postgres").exists()


@pytest.mark.parametrize("name", ["api", "flower"])
def test_a_part_says_what_to_do_where_its_port_is_taken(patrol, preloaded, name):
    part = Command(patrol.home, preloaded, PATROL_FLOWER_BASIC_AUTH="ada:lovelace-1815")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} (Address already in use)" in part(name, "--port", port, code=1).stderr


@pytest.mark.parametrize("name", ["worker", "clusters"])
def test_without_servers_a_command_says_how_to_get_them(command, name):
    assert "patrol up" in command(name, code=1).stderr


def test_a_queue_that_is_not_there_is_wrong_usage(command):
    assert "upkeep" in command("worker", "--queues", "everything", code=2).stderr


def test_a_setting_that_can_not_be_is_named_without_its_value(command):
    command.environment["PATROL_TICK"] = "secret"
    error = command("clusters", code=1).stderr
    assert "PATROL_TICK" in error
    assert "secret" not in error


def test_a_worker_runs_alone_as_a_container_starts_it(patrol):
    """Over the servers of the running system; `up` starts beat and the API by the commands of their containers."""
    part = patrol.start("worker", "--queues", "patrol", "--concurrency", 1, "--name", "second")
    read_until(part, "second@")
    stop(part, signal.SIGTERM)
    assert patrol.json("migrate") == {"applied": []}
