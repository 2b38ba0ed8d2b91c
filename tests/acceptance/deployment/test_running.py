"""Every part of the system as a process, as each way to deploy it defines it, with its checks and probes.

How a part starts from scratch is seen in tests/acceptance/cli/system; here each is a fork.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import pytest

from schemas.settings import CHECKOUT
from tests.acceptance.cli import forked_up
from tests.ports import free_port
from tests.processes import helm
from tests.processes.deployed import COMPOSE, Part, chart, compose, systemd
from tests.processes.preloaded import Preloaded
from workers.embedded.postgres import as_application
from workers.embedded.processes import Child, last_lines, wait_until
from workers.embedded.servers import embedded_servers

PATIENCE = 120.0


@dataclass
class Running:
    """A part that runs: its environment, and the port at which it listens if it is a door."""

    name: str
    child: Child
    log: Path
    environment: dict[str, str]
    port: str

    def passes(self, check):
        """Whether a check of the compose file, or a probe of the chart, finds it healthy."""
        match check:
            case {"httpGet": {"path": path}}:
                try:
                    return httpx2.get(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE).is_success
                except httpx2.TransportError:
                    return False
            case {"exec": {"command": argv}}:
                pass
            case ["CMD-SHELL", command]:
                argv = ["/bin/sh", "-c", command.replace("$$", "$")]
            case ["CMD", *words]:
                argv = [re.sub("^(8765|5555)$", self.port, word.replace("$$", "$")) for word in words]
        return not subprocess.run(argv, env=self.environment, capture_output=True, check=False).returncode


def start(name: str, part: Part, home: Path, secrets: dict[str, str], preloaded: Preloaded | None) -> Running:
    """Start a part in a folder of its own, with its own secrets as files."""
    (home / "secrets").mkdir(parents=True)
    for secret in part.secrets:
        (home / "secrets" / secret).write_text(secrets[secret])
    port = str(free_port())
    environment = {
        **{key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ},
        **dict(part.settings),
        "PATROL_HOME": str(home),
        "PATROL_SECRETS": str(home / "secrets"),
        "PATROL_ALIVE_FILE": str(home / "alive"),
        **{f"PATROL_{door}_HOST": "127.0.0.1" for door in ("API", "FLOWER")},
        **{f"PATROL_{door}_PORT": port for door in ("API", "FLOWER")},
    }
    log = home / "log"
    if preloaded:
        argv = [sys.executable, "-m", forked_up.__name__, *part.arguments]
        child: Child = preloaded.child(argv, log, env={**environment, forked_up.ADDRESS: preloaded.address})
    else:
        child = Child([str(CHECKOUT / "patrol"), *part.arguments], log, env=environment)
    return Running(name, child, log, environment, port)


@pytest.mark.long
def test_each_part_runs_as_each_way_to_deploy_it_defines_it_and_is_healthy(preloaded):
    """A part that several ways define alike runs once, and passes the checks of all of them."""
    ways = [compose(), systemd(), *([chart()] if helm.available() else [])]
    parts = {name: {way[name] for way in ways} for name in ways[0]}
    checks = {name: [check for way in ways for check in way[name].checks] for name in parts}
    with (
        TemporaryDirectory(prefix="deployed-") as directory,
        embedded_servers(Path(directory) / "servers", durable=False) as servers,
    ):
        secrets = {
            **dict.fromkeys(COMPOSE["secrets"], ""),
            "database_url": as_application(servers.database_url),
            "patrol_direct_url": servers.database_url,
            "redis_url": servers.redis_url,
            "patrol_flower_basic_auth": "ada:lovelace-1815\n",
        }

        def started(name):
            return [
                start(name, part, Path(directory) / f"{name} {number}", secrets, preloaded)
                for number, part in enumerate(parts[name])
            ]

        for migrating in started("migrate"):
            migrating.child.wait()
            assert migrating.child.succeeded, last_lines(migrating.log)
        running = []
        try:
            for name in parts.keys() - {"migrate"}:
                running += started(name)
            for one in running:
                for check in checks[one.name]:
                    assert wait_until(lambda one=one, check=check: one.passes(check), PATIENCE, pause=0.5), (
                        one.name,
                        check,
                        last_lines(one.log),
                    )
        finally:
            for one in running:
                one.child.kill()
