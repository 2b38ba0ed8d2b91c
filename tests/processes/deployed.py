"""The system's parts as each way to deploy it defines them: the compose file, the chart, systemd's units.

`Part` is what all of them say of a process. Where its files and addresses are differs, and is left out of it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from cli.operations.environments import is_secret
from schemas.settings import CHECKOUT, Settings, variable
from tests.processes.helm import manifests

COMPOSE: dict[str, Any] = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
SERVICES = {name: service for name, service in COMPOSE["services"].items() if "build" in service}
UNITS = CHECKOUT / "deploy" / "systemd"
INSTALLED = "/opt/memory-patrol"
IMAGE = dict(re.findall(r"(PATROL_\w+)=(\S+)", (CHECKOUT / "Dockerfile").read_text()))
SECRETS = {variable(name, field) for name, field in Settings.model_fields.items() if is_secret(field)}
# Where files are, and where doors listen.
PLACES = {
    "PATROL_HOME",
    "PATROL_SECRETS",
    "PATROL_ALIVE_FILE",
    *(f"PATROL_{door}_{part}" for door in ("API", "FLOWER") for part in ("HOST", "PORT")),
}


@dataclass(frozen=True)
class Part:
    """A process: the arguments of `patrol`, its settings that are no places, and the names of the secrets it gets."""

    arguments: tuple[str, ...]
    settings: frozenset[tuple[str, str]]
    secrets: frozenset[str]
    checks: tuple[Any, ...] = field(default=(), compare=False)


def part(arguments: list[str], settings: dict[str, str], secrets: list[str], *checks: Any) -> Part:
    """Make a part; a setting without a value is none."""
    own = {name: value for name, value in settings.items() if value and name not in PLACES}
    return Part(tuple(arguments), frozenset(own.items()), frozenset(secrets), checks)


def compose() -> dict[str, Part]:
    """Return the services of docker-compose.yml that run the image."""
    return {
        name: part(
            service["command"],
            {**IMAGE, **in_compose(service), "PATROL_THINKER": "auto"},
            service["secrets"],
            *([] if name == "migrate" else [service["healthcheck"]["test"]]),
        )
        for name, service in SERVICES.items()
    }


def in_compose(service: dict[str, Any]) -> dict[str, str]:
    """Return the environment of a service, where `.env` sets nothing."""
    return {key: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value) for key, value in service["environment"].items()}


def chart(values: dict[str, Any] | None = None) -> dict[str, Part]:
    """Return the containers of the rendered chart by their component."""
    return {name: _contained(pod) for name, pod in pods(manifests(values)).items()}


def pods(rendered: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the templates of pods among manifests, by component."""
    templates = [one["spec"]["template"] for one in rendered if one["kind"] in {"Deployment", "Job"}]
    return {template["metadata"]["labels"]["app.kubernetes.io/component"]: template for template in templates}


def _contained(pod: dict[str, Any]) -> Part:
    (container,) = pod["spec"]["containers"]
    secrets = [volume["secret"] for volume in pod["spec"]["volumes"] if "secret" in volume]
    settings = {one["name"]: one["value"] for one in container["env"]}
    probes = [container[kind] for kind in ("startupProbe", "livenessProbe", "readinessProbe") if kind in container]
    mounted = [item["path"] for secret in secrets for item in secret["items"]]
    return part(container["args"], {**IMAGE, **settings}, mounted, *probes)


def systemd() -> dict[str, Part]:
    """Return the services of systemd's units by their names in the compose file."""
    return {name: _unit(unit) for name, unit in units().items()}


def units() -> dict[str, str]:
    """Return the names of the services by those in the compose file, one of the template for each queue."""
    plain = {
        path.stem.removeprefix("memory-patrol-"): path.name for path in UNITS.glob("*.service") if "@" not in path.name
    }
    wanted = (UNITS / "memory-patrol.target").read_text()
    return plain | {name: f"memory-patrol-worker@{name}.service" for name in re.findall(r"worker@([\w-]+)\.", wanted)}


def _unit(unit: str) -> Part:
    settings: dict[str, str] = {"PATROL_THINKER": "auto"}
    secrets: list[str] = []
    (command,) = [value for key, value in directives(unit) if key == "ExecStart"]
    for key, value in directives(unit):
        if key == "Environment":
            settings |= dict(one.split("=", 1) for one in value.split())
        elif key == "LoadCredential":
            # Without a value it forgets those before.
            secrets = [*secrets, value.partition(":")[0]] if value else []
    instance = unit.partition("@")[2].removesuffix(".service")
    concurrency = settings.pop("CONCURRENCY", "")
    program, *arguments = command.replace("%i", instance).replace("${CONCURRENCY}", concurrency).split()
    assert program == f"{INSTALLED}/patrol"
    return part(arguments, settings, secrets)


def directives(unit: str) -> Iterator[tuple[str, str]]:
    """Yield keys and values of a unit and of what is dropped in beside it, in the order in which systemd reads them."""
    template = re.sub("@.*", "@.service", unit)
    folders = ["memory-patrol-.service.d", f"{unit}.d"]
    dropped = [path for folder in folders for path in (UNITS / folder).glob("*.conf")]
    for path in (UNITS / template, *sorted(dropped, key=lambda path: path.name)):
        yield from re.findall(r"^(\w+)=(.*)$", path.read_text(), re.MULTILINE)


def installed_units(folder: Path) -> Path:
    """Copy the units as if the program were installed where this checkout is; returns the folder."""
    for path in UNITS.rglob("*.*"):
        if path.is_file():
            copied = folder / path.relative_to(UNITS)
            copied.parent.mkdir(exist_ok=True)
            copied.write_text(path.read_text().replace(INSTALLED, str(CHECKOUT)))
    return folder
