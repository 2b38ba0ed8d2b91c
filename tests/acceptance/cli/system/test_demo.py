"""The demo, with a short life."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib

import pytest

from schemas.settings import CHECKOUT
from tests.acceptance.cli.conftest import PATIENCE, Command, made_home, read_until
from tests.acceptance.cli.reports import commands, traces_of_the_swipe
from tests.acceptance.cli.terminals import on_a_terminal
from tests.acceptance.cli.test_hostile_content import IN_A_PATH, OURS, obeyed
from workers.embedded.processes import wait_until


def interrupted(demo):
    """Press Ctrl-C, and wait for the end that is expected then."""
    os.killpg(demo.pid, signal.SIGINT)
    said, _ = demo.communicate(timeout=PATIENCE)
    assert "Stopped." in said
    assert demo.returncode == 130


PACKAGES = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
IMPORT_ALL = """
import importlib, pkgutil, sys
for package in sys.argv[1:]:
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if not module.name.endswith(("__main__", "preloaded")):
            importlib.import_module(module.name)
"""


def test_the_docker_image_holds_all_that_the_product_imports(tmp_path):
    dockerfile = (CHECKOUT / "Dockerfile").read_text()
    copied = re.findall(r"^COPY ([^-].*) \S+$", dockerfile, re.MULTILINE)
    for name in {name for line in copied for name in line.split()}:
        source, copy = CHECKOUT / name, tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, copy) if source.is_dir() else shutil.copy(source, copy)
    assert not (tmp_path / "tests").exists()
    assert {"celeryconfig.py", "sql"} < {path.name for path in tmp_path.iterdir()}
    subprocess.run([sys.executable, "-c", IMPORT_ALL, *PACKAGES], cwd=tmp_path, check=True)


@pytest.mark.long
def test_days_of_talk_alone_become_memories(command):
    command.fork_all()
    told = command("demo", "--talk", "--days", 1).stdout
    assert re.search(r"^2026-03-01 +\d+ messages +active +[1-9]", told, re.MULTILINE)
    for part in (
        "simple rules",
        "What Lumen remembers",
        "The sources of a memory",
        "user: ",
        "The diary",
        "Facts from the chat",
    ):
        assert part in told
    assert not traces_of_the_swipe(told)
    assert all("--being lumen" in line for line in commands(told)[2:5])
    assert not command.living()


def test_without_a_model_the_report_shows_what_there_is_and_a_terminal_obeys_nothing_of_the_path(preloaded):
    with made_home() as home:
        # A path below the working directory is shown from there.
        kept = str(home / IN_A_PATH)
        command = Command(home, preloaded, PATROL_HOME=kept, TERM="xterm-256color", COLUMNS="200")
        command.fork_all()
        demo = on_a_terminal(command, "demo", "--thinking", "none", "--days", 2)
        assert not command.living()
    assert demo.returncode == 0, demo.stdout
    assert "\x1b[?25l" in demo.stdout
    assert obeyed(demo.stdout, terminal=True) == []
    told = OURS.sub("", demo.stdout)
    for part in ("e/demo", "No language model is used", "Business", "That is Admiral.", "Yuki from Kanazawa"):
        assert part in told
    for part in ("Merged memories", "The diary", "Facts from the chat"):
        assert part not in told


@pytest.mark.long
def test_ctrl_c_leaves_no_process_and_the_next_demo_begins_anew(command):
    command.fork_all()
    for days, thinking, moment in ((30, "canned", "2026-03-01"), (1, "none", "What Mizzen remembers")):
        demo = command.start("demo", "--days", days, "--thinking", thinking)
        told = read_until(demo, moment)
        if days == 1:
            assert "previous demo were removed" in told
            refused = command("demo", code=1)
            assert "already runs" in refused.stderr
        interrupted(demo)
        assert not (command.home / "postgres").exists()
        assert wait_until(lambda: not command.living(), PATIENCE)
