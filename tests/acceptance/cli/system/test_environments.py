"""Each process of the system has its own secrets in its environment, and no other."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from cli.operations.environments import PLAIN_SETTINGS, SECRETS, environment, is_secret
from schemas.settings import Settings, variable
from tests.acceptance.cli.conftest import PATIENCE, read_until
from tests.ports import free_port
from workers.embedded.processes import wait_until
from workers.embedded.servers import embedded_servers

SENTINELS = {
    "OPENAI_API_KEY": "sentinel-of-openai",
    "ANTHROPIC_API_KEY": "sentinel-of-anthropic",
    "PATROL_SECRET_KEY": "sentinel-of-the-seals-0123456789abcdef",
    "PATROL_FLOWER_BASIC_AUTH": "ada:sentinel-of-flower",
    "AWS_SECRET_ACCESS_KEY": "sentinel-of-another-program",
}
LEDGER = {"DATABASE_URL", "REDIS_URL"}
EXPECTED = {
    "api": {*LEDGER, "OPENAI_API_KEY", "PATROL_SECRET_KEY"},
    "worker": {*LEDGER, "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PATROL_SECRET_KEY"},
    "stream": {*LEDGER, "PATROL_SECRET_KEY"},
    "beat": {"REDIS_URL"},
    "flower": {"REDIS_URL", "PATROL_FLOWER_BASIC_AUTH"},
    "postgres": set(),
    "redis": set(),
}
SIGNS = {
    "api.server:application": "api",
    "workers.runtime.celery.worker_group": "worker",
    "stream": "stream",
    "beat": "beat",
    "flower": "flower",
    "postgres": "postgres",
    "redis-server": "redis",
}


def role(leader):
    """What a process group is for, as the command line of its leader tells."""
    # Redis and Postgres rewrite theirs: `redis-server unixsocket:…`, `postgres: checkpointer`.
    arguments = Path(f"/proc/{leader}/cmdline").read_text().replace("\0", " ").split()
    named = [SIGNS[name] for name in (Path(argument).name.rstrip(":") for argument in arguments) if name in SIGNS]
    return named[0] if named else " ".join(arguments)


def seen(pids, secrets, ours):
    """Which secrets stand in the environment of which role's processes, the group `ours` left out."""
    found = {}
    for pid in pids:
        with suppress(ProcessLookupError, FileNotFoundError):
            if (leader := os.getpgid(pid)) != ours:
                environ = Path(f"/proc/{pid}/environ").read_text(errors="replace")
                found.setdefault(role(leader), set()).update(name for name in secrets if secrets[name] in environ)
    return found


def test_each_process_of_the_running_system_has_its_own_secrets_alone(command, monkeypatch):
    for name, value in {"XDG_RUNTIME_DIR": str(command.home.parent), **SENTINELS}.items():
        monkeypatch.setenv(name, value)
    with embedded_servers(command.home, durable=False) as servers:
        secrets = {**SENTINELS, "DATABASE_URL": servers.database_url, "REDIS_URL": servers.redis_url}
        command.environment |= {**secrets, "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}
        up = command.start("up", "--port", free_port(), "--concurrency", 1)
        flower = None
        try:
            read_until(up, "Ctrl-C stops everything")
            flower = command.start("flower", "--port", free_port())
            found = {}

            def as_expected():
                found.clear()
                found.update(seen(command.living(), secrets, up.pid))
                return found == EXPECTED

            # `patrol flower` has all of its caller's environment until it becomes Flower.
            assert wait_until(as_expected, PATIENCE), {
                one: found[one] for one in found if found[one] != EXPECTED.get(one)
            }
        finally:
            for process in filter(None, (flower, up)):
                os.killpg(process.pid, signal.SIGINT)
                process.communicate(timeout=PATIENCE)


def test_every_secret_setting_has_its_roles_and_every_other_goes_to_all():
    secrets = {variable(name, field) for name, field in Settings.model_fields.items() if is_secret(field)}
    assert {name for names in SECRETS.values() for name in names} == secrets - {"PATROL_FLOWER_BASIC_AUTH"}
    assert not secrets & PLAIN_SETTINGS
    assert {"PATROL_HOME", "OPENAI_BASE_URL", "PATROL_SWEEP_EVERY"} <= PLAIN_SETTINGS


@pytest.mark.parametrize(
    ("variables", "thinker"),
    [
        ({}, None),
        ({"ANTHROPIC_API_KEY": "x"}, "anthropic"),
        ({"OPENAI_API_KEY": "x", "PATROL_OPENAI_THINKING_MODEL": "m"}, "openai"),
        ({"ANTHROPIC_API_KEY": "x", "PATROL_THINKER": "none"}, "none"),
    ],
)
def test_a_door_without_the_key_is_told_who_thinks(monkeypatch, variables, thinker):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    stream = environment("stream")
    assert stream.get("PATROL_THINKER") == thinker
    assert not {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"} & stream.keys()
