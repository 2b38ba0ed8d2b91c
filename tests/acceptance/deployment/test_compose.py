"""The file `docker-compose.yml`, and the health checks and servers in it as processes.

There need be no container engine here, so what images and networks do is not tested.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft201909Validator
from redis import Redis
from redis.exceptions import AuthenticationError

from schemas.ledger.kinds import QUEUES
from schemas.settings import CHECKOUT, Settings
from tests.ports import free_port
from tests.processes.deployed import COMPOSE, SECRETS, SERVICES, in_compose
from workers.embedded.processes import Child, last_lines, wait_until
from workers.embedded.redis import program

PATIENCE = 120.0
HANDING_BACK = 5


def test_the_file_is_of_the_specification():
    schema = json.loads((Path(__file__).parent / "compose_spec.json").read_text())
    parts = {name: part for name, part in COMPOSE.items() if not name.startswith("x-") and name != "name"}
    assert [error.message for error in Draft201909Validator(schema).iter_errors(parts)] == []


def test_every_queue_has_a_worker_of_its_own():
    listening = [service["command"][4] for service in SERVICES.values() if service["command"][0] == "worker"]
    assert sorted(listening) == sorted(QUEUES)


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_service_is_bounded_watched_and_brought_back(name):
    service = COMPOSE["services"][name]
    assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory"}
    assert name == "migrate" or (service["restart"], bool(service["healthcheck"]["test"])) == ("unless-stopped", True)
    assert service["logging"] == {"driver": "local", "options": {"max-size": "10m", "max-file": "5"}}
    assert all(re.match(r"\$\{PUBLISH_\w+:-127\.0\.0\.1:", port) for port in service.get("ports", []))
    assert set(service.get("secrets", [])) <= set(COMPOSE["secrets"])


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_may_stop_for_as_long_as_a_worker_needs_to_hand_back(name):
    grace = int(SERVICES[name]["stop_grace_period"].removesuffix("s"))
    assert grace >= Settings.model_fields["stop_grace"].default + HANDING_BACK


LEDGER = {"database_url", "redis_url"}
INTAKE = {*LEDGER, "patrol_secret_key"}
THINKING = {*INTAKE, "openai_api_key", "anthropic_api_key"}


def test_each_service_has_the_secrets_of_its_role_alone():
    assert {name: set(service.get("secrets", [])) for name, service in COMPOSE["services"].items()} == {
        "postgres": {"postgres_password"},
        "redis": {"redis_password"},
        "migrate": {"database_url", "patrol_direct_url"},
        "api": THINKING - {"anthropic_api_key"},
        "stream": INTAKE,
        "beat": {"redis_url"},
        "ingest": INTAKE,
        **dict.fromkeys(("patrol", "patrol-llm", "shadow", "rolling", "session-close"), THINKING),
        "upkeep": THINKING | {"patrol_direct_url"},
        "flower": {"redis_url", "patrol_flower_basic_auth"},
    }


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_no_environment_contains_a_secret_and_each_takes_the_settings_of_the_operator(name):
    environment = COMPOSE["services"][name].get("environment", {})
    assert not (SECRETS | {"POSTGRES_PASSWORD"}) & environment.keys()
    if name in SERVICES:
        assert SERVICES[name]["env_file"] == [".env"]


def processes(service, settings):
    """How many processes of a service hold a pool of connections."""
    kind, *options = service["command"]
    if kind == "worker":
        return int(options[options.index("--concurrency") + 1])
    return {"api": int(settings.get("PATROL_API_PROCESSES", 0)), "stream": 1, "migrate": 1}.get(kind, 0)


def test_all_connections_fit_postgres_when_patrols_scale_to_four():
    allowed = int(COMPOSE["services"]["postgres"]["command"][-1].removeprefix("max_connections="))
    most = 0
    for name, service in SERVICES.items():
        settings = in_compose(service)
        each = int(settings.get("PATROL_DATABASE_CONNECTIONS", Settings.model_fields["database_connections"].default))
        most += (4 if name == "patrol" else 1) * processes(service, settings) * each
    superusers, backups_and_shells = 3, 20
    assert 50 < most <= allowed - superusers - backups_and_shells


def test_no_health_check_starts_python_or_runs_often_once_healthy():
    checks = {name: service["healthcheck"] for name, service in COMPOSE["services"].items() if name != "migrate"}
    assert {checks[name]["interval"] for name in checks.keys() & SERVICES.keys()} == {"60s"}
    programs = ("find ", "pg_isready", "redis-cli ", "/dev/tcp/")
    assert [name for name, check in checks.items() if not any(one in " ".join(check["test"]) for one in programs)] == []
    assert not any(re.search(r"python|celery|/app/", " ".join(check["test"])) for check in checks.values())


# The processor time, in seconds, of an engine that starts a command in a container, and of the command itself.
STARTING, COMMAND = 0.05, 0.005


def test_all_health_checks_together_cost_less_than_a_fiftieth_of_a_core():
    seconds = [int(service["healthcheck"].get("interval", "0s")[:-1]) for service in COMPOSE["services"].values()]
    assert sum((STARTING + COMMAND) / each for each in seconds if each) < 0.02


def test_a_health_check_takes_a_few_milliseconds_of_processor_time(tmp_path):
    """Those of our services; here each fails, which takes it as long."""
    tests = {tuple(service["healthcheck"]["test"]) for name, service in SERVICES.items() if name != "migrate"}
    before, times = os.times(), 5
    for kind, *test in tests:
        argv = [part.replace("$$", "$") for part in test]
        for _ in range(times):
            subprocess.run(
                ["/bin/sh", "-c", *argv] if kind == "CMD-SHELL" else argv,
                env={"PATH": os.environ["PATH"], "PATROL_ALIVE_FILE": str(tmp_path / "alive")},
                capture_output=True,
                check=False,
            )
    used = os.times()
    each = (used.children_user + used.children_system - before.children_user - before.children_system) / times
    assert each / len(tests) < 4 * COMMAND, "four times as much on a busy machine"


def test_redis_keeps_what_it_accepted_asks_for_its_password_and_is_healthy(tmp_path):
    """Its own command and health check, with the entry point of the image standing aside."""
    service = COMPOSE["services"]["redis"]
    folder, password, port = tmp_path / "bin", "a-password-of-24-bytes", str(free_port())
    folder.mkdir()
    (folder / "docker-entrypoint.sh").write_text(f'#!/bin/sh\nexec "$@" --port {port} --dir {tmp_path}\n')
    (folder / "docker-entrypoint.sh").chmod(0o755)
    (tmp_path / "redis_password").write_text(f"{password}\n")
    path = os.pathsep.join([str(folder), str(program().parent), os.environ["PATH"]])

    def here(text):
        return (
            text.replace("/run/secrets", str(tmp_path)).replace("$$", "$").replace("redis-cli", f"redis-cli -p {port}")
        )

    def healthy():
        kind, test = service["healthcheck"]["test"]
        assert kind == "CMD-SHELL"
        asked = subprocess.run(["/bin/sh", "-c", here(test)], env={"PATH": path}, capture_output=True, check=False)
        return asked.returncode == 0

    child = Child([here(part) for part in service["command"]], tmp_path / "redis.log", env={"PATH": path})
    try:
        assert wait_until(healthy, PATIENCE), last_lines(tmp_path / "redis.log")
        with Redis(port=int(port)) as stranger, pytest.raises(AuthenticationError):
            stranger.ping()
        with Redis.from_url(f"redis://:{password}@127.0.0.1:{port}") as redis:
            assert redis.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
            assert redis.config_get("appendonly") == {"appendonly": "yes"}
        assert password not in Path(f"/proc/{child.pid}/cmdline").read_text()
        (tmp_path / "redis_password").write_text("another\n")
        assert not healthy()
    finally:
        child.kill()


def test_the_image_holds_what_the_program_needs_and_runs_as_an_ordinary_account():
    dockerfile = (CHECKOUT / "Dockerfile").read_text()
    copied = {name for line in re.findall(r"^COPY ([^-].*) \S+$", dockerfile, re.MULTILINE) for name in line.split()}
    assert all((CHECKOUT / name).exists() for name in copied)
    packages = {path.parent.name for path in CHECKOUT.glob("*/__init__.py")} - {
        "tests",
        "bench",
        "docs",
        "clients",
        "release",
    }
    assert packages <= copied
    assert re.search(r"^USER patrol$", dockerfile, re.MULTILINE)
