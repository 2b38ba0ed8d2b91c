"""The demo, with a short life."""

import os
import re
import shutil
import signal
import subprocess

import pytest

from schemas.settings import CHECKOUT
from tests.acceptance.cli.conftest import PATIENCE, PATROL, read_until
from tests.ports import free_port
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


def commands(told):
    """The commands that the demo says to try next, as they are printed."""
    return [line.strip() for line in told.partition("Next steps")[2].splitlines() if "./patrol " in line]


def run(line, command):
    """Paste a line into a shell where the demo was run; returns what it prints."""
    ran = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=command.home,
        env=command.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, (line, ran.stdout, ran.stderr)
    return ran.stdout


@pytest.mark.long
def test_some_days_are_lived_and_told_twice_unless_ctrl_c_is_pressed(command):
    # A key on the machine is not used, and neither are servers that are set for the real system.
    command.environment |= {"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": "http://127.0.0.1:1", "REDIS_URL": "redis://x"}
    command.environment["PATROL_EMBEDDER"] = "openai"
    command.environment["PATROL_API_PORT"] = str(free_port())
    first = command("demo", "--days", 3).stdout
    assert len(re.findall(r"^2026-03-0\d +\d+ notes, \d+ messages +active +\d+ +dying", first, re.MULTILINE)) == 3
    # No half of the memory is empty, and the reader is told who has thought.
    for part in (
        "simple rules stands in for a language model",
        *("Business", "Private", "<recalled_memory>", "What was merged", "What the diary says", "2026-03-02"),
        *("Aldo is the father of the user.", "person:aldo", "of the user's. Some of them", "Yuki from Kanazawa"),
        "That is Admiral.",
    ):
        assert part in first
    assert not traces_of_the_swipe(first)
    assert "\x1b" not in first
    assert "#login=" not in first
    assert not command.living()

    # The next steps run as printed, against servers that the first of them starts.
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "REDIS_URL"):
        del command.environment[name]
    (command.home / "patrol").symlink_to(PATROL)
    up, page, recall, fading, why, down = commands(first)
    assert f"http://127.0.0.1:{command.environment['PATROL_API_PORT']}" in run(up, command)
    assert "The memory page is at" in run(page.rpartition(": ")[2], command)
    assert "<recalled_memory>" in run(recall, command)
    assert "patrols left" in run(fading, command)
    assert "handed in as month:001" in run(why, command)
    assert "Stopped." in run(down, command)
    assert wait_until(lambda: not command.living(), PATIENCE)

    second = command.start("demo", "--days", 1)
    assert "previous demo were removed" in read_until(second, "What Mizzen remembers")
    interrupted(second)
    assert not (command.home / "postgres").exists()
    assert wait_until(lambda: not command.living(), PATIENCE)


@pytest.mark.long
def test_days_of_talk_alone_become_memories(command):
    told = command("demo", "--talk", "--days", 2).stdout
    assert len(re.findall(r"^2026-03-0\d +\d+ messages +active +[1-9]", told, re.MULTILINE)) == 2
    for part in (
        "What Lumen remembers",
        "What a memory rests on",
        "user: ",
        "What the diary says",
        "What the chat has told",
    ):
        assert part in told
    assert not traces_of_the_swipe(told)
    assert all("--being lumen" in line for line in commands(told)[2:5])
    assert not command.living()


def test_without_a_model_the_report_shows_what_there_is(command):
    told = command("demo", "--thinking", "none", "--days", 2).stdout
    for part in ("No language model is used", "Business", "That is Admiral.", "Yuki from Kanazawa"):
        assert part in told
    for part in ("What was merged", "What the diary says", "What the chat has told"):
        assert part not in told
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


def test_the_month_can_be_lived_where_there_are_no_tests(command, tmp_path):
    command.program = image(tmp_path / "app")
    assert not (tmp_path / "app" / "tests").exists()
    lived = command("demo", "--days", 1)
    for part in ("simple rules", "What was merged", "What the diary says"):
        assert part in lived.stdout
    assert not command.living()
