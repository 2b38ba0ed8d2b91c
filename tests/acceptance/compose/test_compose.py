"""Every service of `docker-compose.yml` as a process: its own command, environment, secrets and health check.

There need be no container engine here, so what images and networks do is not tested.
"""

import json
import os
import re
import socket
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from jsonschema import Draft201909Validator

from schemas.settings import CHECKOUT, Settings
from schemas.work import QUEUES
from tests.ports import free_port
from workers.embedded import embedded_servers
from workers.processes import Child, last_lines, wait_until

COMPOSE = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
OURS = {name: service for name, service in COMPOSE["services"].items() if "build" in service}
PATIENCE = 120.0
HANDING_BACK = 5


def test_the_file_is_of_the_specification():
    schema = json.loads((Path(__file__).parent / "compose_spec.json").read_text())
    parts = {name: part for name, part in COMPOSE.items() if not name.startswith("x-") and name != "name"}
    assert [error.message for error in Draft201909Validator(schema).iter_errors(parts)] == []


def test_every_queue_has_a_worker_of_its_own():
    listening = [service["command"][4] for service in OURS.values() if service["command"][0] == "worker"]
    assert sorted(listening) == sorted(QUEUES)


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_service_is_bounded_watched_and_brought_back(name):
    service = COMPOSE["services"][name]
    assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory"}
    assert name == "migrate" or (service["restart"], bool(service["healthcheck"]["test"])) == ("unless-stopped", True)
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    assert set(service.get("secrets", [])) <= set(COMPOSE["secrets"])


@pytest.mark.parametrize("name", OURS)
def test_a_service_may_stop_for_as_long_as_a_worker_needs_to_hand_back(name):
    grace = int(OURS[name]["stop_grace_period"].removesuffix("s"))
    assert grace >= Settings.model_fields["stop_grace"].default + HANDING_BACK


def test_what_redis_accepted_it_keeps():
    command = " ".join(COMPOSE["services"]["redis"]["command"])
    assert "--appendonly yes" in command
    assert "--maxmemory-policy noeviction" in command


def test_the_image_holds_what_the_program_needs_and_runs_as_nobody_special():
    dockerfile = (CHECKOUT / "Dockerfile").read_text()
    copied = {name for line in re.findall(r"^COPY ([^-].*) \S+$", dockerfile, re.MULTILINE) for name in line.split()}
    assert all((CHECKOUT / name).exists() for name in copied)
    packages = {path.parent.name for path in CHECKOUT.glob("*/__init__.py")} - {"tests", "bench", "docs"}
    assert packages <= copied
    assert re.search(r"^USER patrol$", dockerfile, re.MULTILINE)


def test_each_service_runs_by_its_own_command_and_is_healthy():
    with (
        TemporaryDirectory(prefix="compose-") as directory,
        embedded_servers(Path(directory) / "home", durable=False) as servers,
    ):
        home = Path(directory)
        ports = {"8765": str(free_port()), "5555": str(free_port())}
        secrets = {
            **dict.fromkeys(COMPOSE["secrets"], ""),
            "database_url": servers.database_url,
            "redis_url": servers.redis_url,
            "patrol_flower_basic_auth": "ada:lovelace-1815\n",
        }
        (home / "secrets").mkdir()
        for name, secret in secrets.items():
            (home / "secrets" / name).write_text(secret)

        def here(text):
            for there, place in {"/run/secrets": home / "secrets", "/app": CHECKOUT, "/data": home, **ports}.items():
                text = text.replace(there, str(place))
            return text

        def start(name):
            environment = {
                **{key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ},
                **dict(re.findall(r"(PATROL_\w+)=(\S+)", (CHECKOUT / "Dockerfile").read_text())),
                **OURS[name]["environment"],
            }
            settings = {key: here(value) for key, value in environment.items()}
            # One machine: an address of its own for each, and names of hosts that a shell finds.
            settings |= {"PATROL_API_PORT": ports["8765"], "PATROL_FLOWER_PORT": ports["5555"]}
            settings |= {
                "HOSTNAME": socket.gethostname(),
                "PATROL_API_HOST": "127.0.0.1",
                "PATROL_FLOWER_HOST": "127.0.0.1",
            }
            command = ["/usr/bin/env", "-i", *(f"{key}={value}" for key, value in settings.items())]
            child = Child([*command, str(CHECKOUT / "patrol"), *OURS[name]["command"]], home / f"{name}.log")
            children[name] = child
            checks[name] = command
            return child

        def is_healthy(name):
            kind, *test = OURS[name]["healthcheck"]["test"]
            argv = ["/bin/sh", "-c", *test] if kind == "CMD-SHELL" else test
            argv = [here(part.replace("$$", "$")) for part in argv]
            return not subprocess.run([*checks[name], *argv], cwd=CHECKOUT, capture_output=True, check=False).returncode

        children, checks = {}, {}
        migrating = start("migrate")
        migrating.wait()
        assert migrating.succeeded, last_lines(home / "migrate.log")
        try:
            for name in OURS.keys() - {"migrate"}:
                start(name)
            for name in OURS.keys() - {"migrate"}:
                assert wait_until(lambda name=name: is_healthy(name), PATIENCE, pause=1.0), (
                    name,
                    last_lines(home / f"{name}.log"),
                )
        finally:
            for child in children.values():
                child.kill()
