"""Each process of the system has its own secrets in its environment, and no other.

Of running processes test_up.py finds that out.
"""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from cli.operations.environments import PLAIN_SETTINGS, SECRETS, environment, is_secret
from schemas.settings import Settings, variable

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
    "up": "up",
    # A fork of it, which `patrol up --detach` is in tests.
    "tests.processes.preloaded": "up",
    "api.server:application": "api",
    "workers.runtime.celery.worker_group": "worker",
    "stream": "stream",
    "beat": "beat",
    "flower": "flower",
    "postgres": "postgres",
    "redis-server": "redis",
}


def role(leader):
    """The purpose of a process group, as the command line of its leader tells."""
    # Redis and Postgres rewrite theirs: `redis-server unixsocket:…`, `postgres: checkpointer`.
    arguments = Path(f"/proc/{leader}/cmdline").read_text().replace("\0", " ").split()
    named = [SIGNS[name] for name in (Path(argument).name.rstrip(":") for argument in arguments) if name in SIGNS]
    return named[0] if named else " ".join(arguments)


def seen(pids, secrets):
    """Which secrets stand in the environment of which role's processes; `patrol up` has all, and is left out."""
    found = {}
    for pid in pids:
        with suppress(ProcessLookupError, FileNotFoundError):
            environ = Path(f"/proc/{pid}/environ").read_text(errors="replace")
            if (name := role(os.getpgid(pid))) != "up":
                found.setdefault(name, set()).update(name for name in secrets if secrets[name] in environ)
    return found


@pytest.mark.parametrize("role", SECRETS)
def test_a_role_is_given_its_own_secrets_and_addresses_alone(monkeypatch, role):
    given = {**SENTINELS, "DATABASE_URL": "postgresql://sentinel", "REDIS_URL": "redis://sentinel"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    named = {name for name, value in given.items() if value in environment(role).values()}
    # Flower's password is passed beside.
    assert named == EXPECTED.get(role, set()) - {"PATROL_FLOWER_BASIC_AUTH"}


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
