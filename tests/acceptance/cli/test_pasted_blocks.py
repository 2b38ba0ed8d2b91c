"""Every command block of README and the pages works as a reader pastes it, to the last line of what it writes."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from schemas.settings import CHECKOUT
from tests.acceptance.cli import forked_up
from tests.acceptance.cli.conftest import PATIENCE, Command, made_home
from tests.acceptance.cli.reports import commands, traces_of_the_swipe
from tests.documents.cloned import installed
from tests.documents.pasted import Block, blocks_of, documents, paste
from tests.ports import free_port
from tests.processes.preloaded import Preloaded
from workers.embedded.processes import wait_until

README, *PAGES = documents()
# The block of the demo and of the tests, which run here. The demo has a clone of its own, beside the other blocks'.
MAKE, *BLOCKS = blocks_of(README)
MONTH, TESTS = (Block(command, MAKE.line) for command in MAKE.text.splitlines())
QUESTION = "What was my sister's name, and why not the ferry?"
# A month of patrols, on a busy machine.
README_PATIENCE = 1200.0


@pytest.mark.long
@pytest.mark.timeout(2 * README_PATIENCE)
def test_readme_is_pasted_into_a_fresh_clone_with_an_empty_home(preloaded):
    with newcomer() as (command, port):
        # `make install` has made the environment that these tests run in, and is not waited for again.
        clone = installed(command.home / "memory-patrol")
        command.program = clone / "patrol"
        try:
            told = paste(BLOCKS[:1], clone, command.environment, port, README_PATIENCE)
            fork_commands(clone, command, preloaded)
            told += paste(BLOCKS[1:], clone, command.environment, port, README_PATIENCE)
        finally:
            command("down", code=None)
        assert wait_until(lambda: not command.living(), PATIENCE)
    first, oven, recalled = (written for _, written in told)
    assert "<passage" in BLOCKS[0].promised
    first = "\n".join(line.rstrip() for line in first.splitlines())
    assert first.rstrip().endswith(f"<message>\n{QUESTION}\n</message>")
    assert "The oven failed during the morning bake." in oven
    assert "<recalled_memory>" in recalled


@pytest.mark.long
def test_the_month_that_readme_promises_is_lived_and_its_next_steps_run_as_printed(preloaded):
    with newcomer() as (command, port):
        # A key on the machine is not used, and neither are servers that are set for the real system.
        real = {"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": "http://127.0.0.1:1", "REDIS_URL": "redis://x"}
        clone = installed(command.home / "memory-patrol")
        # Commands of a clone that start from scratch are README's first ones.
        fork_commands(clone, command, preloaded)
        settings = {**command.environment, **real, "PATROL_EMBEDDER": "openai"}
        ((_, month),) = paste([MONTH], clone, settings, port, README_PATIENCE)
        assert len(re.findall(r"^2026-03-\d\d +\d+ notes.* +active +\d+ +dying", month, re.MULTILINE)) == 30
        # No half of the memory is empty, and the reader is told who has thought.
        for part in (
            "simple rules stands in for a language model",
            *("What Mizzen remembers", "Business", "Private", "<recalled_memory>", "Merged memories"),
            *("The diary", "2026-03-30", "Aldo is the father of the user.", "person:aldo"),
            *("of the user's. Some of them", "Yuki from Kanazawa", "That is Admiral."),
        ):
            assert part in month
        assert not traces_of_the_swipe(month)
        assert "\x1b" not in month
        assert "#login=" not in month
        assert not command.living()

        # The first of the steps starts the servers.
        up, page, *others = commands(month)
        steps = [Block(step, MONTH.line) for step in (up, page.rpartition(": ")[2], *others)]
        said = [written for _, written in paste(steps, clone, command.environment, port, PATIENCE)]
        for written, part in zip(
            said,
            (
                *(f"http://127.0.0.1:{port}", "The memory page is at", "<recalled_memory>", "patrols left"),
                *("handed in as month:001", "Stopped."),
            ),
            strict=True,
        ):
            assert part in written
        assert month.rstrip().endswith("./patrol down")
        assert wait_until(lambda: not command.living(), PATIENCE)


def fork_commands(clone: Path, command: Command, preloaded: Preloaded | None) -> None:
    """Have the clone's commands forked, and what they supervise: each process would import for a second or two."""
    command.environment["PATROL_HOME"] = str(clone / ".patrol")
    if preloaded:
        command.environment[forked_up.ADDRESS] = preloaded.address
        preloaded.program(clone / "patrol", forked_up.__name__)


@contextmanager
def newcomer() -> Iterator[tuple[Command, int]]:
    """A reader with an empty home and no settings but the port of the API, which is free; and the port."""
    with made_home() as home:
        port = free_port()
        command = Command(home, PATROL_API_PORT=str(port))
        for ours in ("PATROL_HOME", "PATROL_EMBEDDER"):
            del command.environment[ours]
        yield command, port


@pytest.fixture(scope="module")
def reader(preloaded, tmp_path_factory):
    """A system with README's Being wren and its talk, a token, and `patrol` on the PATH; pastes a page's blocks."""
    with made_home() as home:
        port = free_port()
        command = Command(home, preloaded, PATROL_API_PROCESSES="1", PATROL_API_PORT=str(port))
        said = home / "greeting"
        with said.open("wb") as output:
            up = command.up("--port", port, "--concurrency", 2, folder=home, output=output)
        try:
            assert wait_until(
                lambda: "Ctrl-C stops everything" in said.read_text() or up.poll() is not None, PATIENCE
            ), said.read_text()
            folder = tmp_path_factory.mktemp("reader")
            if preloaded:
                preloaded.program(folder / "patrol")
            else:
                (folder / "patrol").symlink_to(CHECKOUT / "patrol")
            command.environment["PATH"] = f"{folder}{os.pathsep}{command.environment['PATH']}"
            talk = "\n".join(re.findall(r"^\{.*\}$", BLOCKS[0].text, re.MULTILINE))
            command("user", "add", "mira")
            command("being", "add", "--user", "mira", "wren", "--name", "Wren")
            command("messages", "add", "-", given=talk.encode())
            command.environment["TOKEN"] = command(
                *("token", "add", "--user", "mira"), *("--scope", "ingest", "--scope", "read", "--scope", "manage")
            ).stdout.strip()
            yield lambda page: paste(
                [block for block in blocks_of(page) if block.runs], folder, command.environment, port, PATIENCE
            )
        finally:
            command("down")
            up.wait(PATIENCE)
        assert wait_until(lambda: not command.living(), PATIENCE)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(CHECKOUT)) for page in PAGES])
def test_the_blocks_of_a_page_work_as_they_are_pasted(reader, page):
    assert all(written.strip() for _, written in reader(page))


def test_pages_have_blocks_and_some_need_what_a_machine_may_lack():
    everything = [block for page in (CHECKOUT / "docs").rglob("*.md") for block in blocks_of(page)]
    assert {page.name for page in PAGES} >= {"interfaces.md", "page.md", "retraction.md", "search.md", "vault.md"}
    assert sum(block.runs for block in everything) > len(everything) / 3
    assert all(block.runs for block in BLOCKS)
    assert [command.text.split()[:2] for command in (MONTH, TESTS)] == [["make", "demo"], ["make", "test"]]


def test_no_command_for_a_shell_stands_outside_such_a_block():
    """An indented block, or one without a language, would be pasted by readers and by no test."""
    fenced = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
    command = re.compile(r"^ *(?:\$ )?(?:\./)?(?:patrol|make|curl|docker) \w", re.MULTILINE)
    for page in [README, *(CHECKOUT / "docs").rglob("*.md")]:
        document = page.read_text(encoding="utf-8")
        others = [found[2] for found in fenced.finditer(document) if found[1] != "sh"]
        indented = re.findall(r"\n\n((?:    .+\n)+)", fenced.sub("", document))
        for text in (*others, *indented):
            assert not command.search(text), (page, text)
