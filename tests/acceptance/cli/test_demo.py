"""The demo, with a short life."""

import os
import re
import shutil
import signal

import pytest

from schemas.settings import CHECKOUT
from tests.acceptance.cli.conftest import PATIENCE, read_until
from workers.embedded.processes import wait_until


def traces_of_the_swipe(told):
    """The places that still know of the swiped answer, of the four that knew of it and know the one said instead."""
    counts = re.findall(r"^(messages found|facts|promises|the summary) +(\d+) +(\d+) +(\d+) *$", told, re.MULTILINE)
    assert [place for place, *_ in counts] == ["messages found", "facts", "promises", "the summary"]
    assert all(int(said) and int(instead) for _, said, _, instead in counts)
    return [place for place, _, left, _ in counts if int(left)]


def interrupted(demo):
    """Press Ctrl-C, and wait for the end that is expected then."""
    os.killpg(demo.pid, signal.SIGINT)
    said, _ = demo.communicate(timeout=PATIENCE)
    assert "Stopped." in said
    assert demo.returncode == 130


@pytest.mark.long
def test_some_days_are_lived_and_told_twice_unless_ctrl_c_is_pressed(command):
    # A key on the machine is not used, and neither are servers that are set for the real system.
    command.environment |= {"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": "http://127.0.0.1:1", "REDIS_URL": "redis://x"}
    command.environment["PATROL_EMBEDDER"] = "openai"
    first = command("demo", "--days", 3)
    assert (
        len(re.findall(r"^2026-03-0\d +\d+ notes +active +\d+ +dying +\d+ +dead +0", first.stdout, re.MULTILINE)) == 3
    )
    for part in ("Business", "Private", "<recalled_memory>", "found its place in", "That is Admiral.", "./patrol up"):
        assert part in first.stdout
    assert "What a chat with a model becomes" in first.stdout
    assert not traces_of_the_swipe(first.stdout)
    assert "\x1b" not in first.stdout
    assert not command.living()
    second = command.start("demo", "--days", 1)
    assert "previous demo were removed" in read_until(second, "What Mizzen remembers")
    interrupted(second)
    assert not (command.home / "postgres").exists()
    assert wait_until(lambda: not command.living(), PATIENCE)


@pytest.mark.long
def test_days_of_talk_alone_become_memories(command):
    told = command("demo", "--talk", "--days", 2).stdout
    assert len(re.findall(r"^2026-03-0\d +\d+ messages +active +[1-9]", told, re.MULTILINE)) == 2
    for part in ("What Lumen remembers", "What a memory rests on", "user: ", "What the diary says"):
        assert part in told
    assert not traces_of_the_swipe(told)
    assert not command.living()


@pytest.mark.parametrize("moment", ["of March 2026", "2026-03-01"])
def test_ctrl_c_at_another_moment_leaves_no_process(command, moment):
    demo = command.start("demo", "--days", 30 if moment == "2026-03-01" else 1)
    read_until(demo, moment)
    if moment == "2026-03-01":
        refused = command("demo", code=1)
        assert "already runs" in refused.stderr
    interrupted(demo)
    assert wait_until(lambda: not command.living(), PATIENCE)


def image(folder):
    """A copy of what the Docker image holds, without the tests; returns its `patrol` command."""
    dockerfile = (CHECKOUT / "Dockerfile").read_text()
    copied = re.findall(r"^COPY ([^-].*) \S+$", dockerfile, re.MULTILINE)
    for name in {"patrol", *(name for line in copied for name in line.split())}:
        source, copy = CHECKOUT / name, folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, copy) if source.is_dir() else shutil.copy(source, copy)
    (folder / ".venv").symlink_to(CHECKOUT / ".venv")
    return folder / "patrol"


def test_the_month_can_be_lived_with_canned_thinking_where_there_are_no_tests(command, tmp_path):
    command.program = image(tmp_path / "app")
    assert not (tmp_path / "app" / "tests").exists()
    lived = command("demo", "--thinking", "canned", "--days", 4)
    for part in ("simple rules", "What was merged", "What the diary says", "2026-03-04", "For next time"):
        assert part in lived.stdout
    assert not command.living()
