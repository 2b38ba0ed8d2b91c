"""The units for systemd: systemd finds no fault in them, and they start what the compose file starts."""

import os
import re
import subprocess

import pytest

from tests.processes.deployed import COMPOSE, SERVICES, UNITS, compose, directives, installed_units, systemd, units
from tests.processes.programs import program

# Of 100: systemd calls services up to 20 "OK", the best of its words but one.
EXPOSED = 20


@pytest.fixture
def analyze(tmp_path):
    """Run `systemd-analyze` over the units as if they were installed; returns its words, and whether it approved."""
    folder = installed_units(tmp_path)

    def run(verb, *arguments):
        command = [program("systemd"), verb, *arguments]
        environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:"}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr, done.returncode == 0

    return run


def test_systemd_finds_no_fault(analyze, tmp_path):
    names = ["memory-patrol.target", *units().values()]
    assert analyze("verify", "--man=no", *(str(tmp_path / name) for name in names)) == ("", True)


def test_systemd_finds_a_fault_in_what_is_dropped_in(analyze, tmp_path):
    dropped = tmp_path / "memory-patrol-.service.d" / "common.conf"
    dropped.write_text(dropped.read_text() + "Restart=sometimes\n")
    said, _ = analyze("verify", "--man=no", str(tmp_path / "memory-patrol-api.service"))
    assert "sometimes" in said


@pytest.mark.parametrize("unit", sorted(path.name for path in UNITS.glob("*.service")))
def test_services_are_confined(analyze, unit):
    said, confined = analyze("security", "--offline=yes", "--no-pager", f"--threshold={EXPOSED}", unit)
    assert confined, said


def test_each_service_runs_the_command_of_the_compose_file_with_the_same_secrets():
    ours, theirs = systemd(), compose()
    assert ours.keys() == theirs.keys()
    for name, part in ours.items():
        assert (part.arguments, part.secrets) == (theirs[name].arguments, theirs[name].secrets)
        assert part.settings <= theirs[name].settings


def test_no_unit_contains_a_secret_and_each_credential_is_a_file_of_its_own_name():
    for unit in units().values():
        for key, value in directives(unit):
            if key == "LoadCredential" and value:
                name, _, path = value.partition(":")
                assert name in COMPOSE["secrets"]
                assert path == f"/etc/memory-patrol/secrets/{name}"
            assert key != "SetCredential"


def test_memory_is_limited_to_no_less_than_in_the_compose_file():
    for name in units().keys() - {"migrate"}:
        (limit,) = [value for key, value in directives(units()[name]) if key == "MemoryMax"]
        assert limit in {SERVICES[name]["deploy"]["resources"]["limits"]["memory"], "1G"}


def test_a_service_may_stop_for_as_long_as_a_container():
    for name, unit in units().items():
        (limit,) = [value for key, value in directives(unit) if key == "TimeoutStopSec"]
        assert limit == re.sub("s$", "", SERVICES[name]["stop_grace_period"])
