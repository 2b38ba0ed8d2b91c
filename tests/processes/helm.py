"""Helm: lints and renders the chart in a process of its own, since threads of its library would not survive a fork."""

import importlib.util
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from schemas.settings import CHECKOUT

CHART = CHECKOUT / "deploy" / "chart"
# What a user has to say.
NAMED = {"settings": {"PATROL_THINKER": "auto"}}
PROGRAM = """
import json, sys
import helm_python as helm
path, verb, values = sys.argv[1], sys.argv[2], json.load(sys.stdin)
if verb == "lint":
    print(json.dumps(helm.lint(path, values, strict=True)["messages"]))
else:
    with helm.Chart.load(path) as chart:
        chart.validate_schema(values)
        print(json.dumps(chart.render(values, name="patrol", namespace="memory")))
"""


def lint(chart: Path, values: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what `helm lint --strict` says of a chart with these values, with its `severity`: 2 is a warning."""
    done = _helm(chart, "lint", json.dumps(values))
    assert done.returncode == 0, done.stderr
    messages: list[dict[str, Any]] = json.loads(done.stdout)
    return messages


def refusal(values: dict[str, Any]) -> str:
    """Return why Helm does not render the chart with these values."""
    done = _helm(CHART, "template", json.dumps(values))
    assert done.returncode, "Helm renders it"
    return done.stderr


def manifests(values: dict[str, Any] | None = None, chart: Path = CHART) -> list[dict[str, Any]]:
    """Return what `helm template` renders of the chart for the release `patrol`; hooks are among it."""
    return _manifests(chart, json.dumps(NAMED if values is None else values))


@cache
def _manifests(chart: Path, values: str) -> list[dict[str, Any]]:
    done = _helm(chart, "template", values)
    assert done.returncode == 0, done.stderr
    files = {name: text for name, text in json.loads(done.stdout).items() if name.endswith(".yaml")}
    return [
        one for text in files.values() for one in yaml.load_all(text, yaml.CSafeLoader) if one
    ]  # the safe one, in C


def available() -> bool:
    """Return whether Helm's library is here."""
    return importlib.util.find_spec("helm_python") is not None


@cache
def _helm(chart: Path, verb: str, values: str) -> "subprocess.CompletedProcess[str]":
    if not available():
        missing = "Helm's library is not here: its package helm-python-sdk has no build for this machine"
        if os.environ.get("TESTS_NEED_PROGRAMS"):
            pytest.fail(missing, pytrace=False)
        pytest.skip(missing)
    command = [sys.executable, "-c", PROGRAM, str(chart), verb]
    return subprocess.run(command, input=values, capture_output=True, text=True, check=False)
