"""Every command block of README and the pages works as a reader pastes it, to the last line of what it writes."""

import os
import re

import pytest

from schemas.settings import CHECKOUT
from tests.acceptance.cli.conftest import PATIENCE, Command, made_home
from tests.cloned import cloned
from tests.pasted import Block, blocks_of, documents, paste
from tests.ports import free_port
from workers.embedded.processes import wait_until

README, *PAGES = documents()
QUESTION = "What was my sister's name, and why not the ferry?"
# Installing the environment, and a month of patrols, on a busy machine.
README_PATIENCE = 1200.0


@pytest.mark.long
@pytest.mark.timeout(2 * README_PATIENCE)
def test_readme_is_pasted_into_a_fresh_clone_with_an_empty_home():
    with made_home() as home:
        port = free_port()
        newcomer = Command(home, PATROL_API_PORT=str(port))
        for ours in ("PATROL_HOME", "PATROL_EMBEDDER"):
            del newcomer.environment[ours]
        # Where packages come from is the machine's; the newcomer's home is empty.
        for name, value in os.environ.items():
            if name.startswith("PIP_"):
                newcomer.environment[name] = value
        clone = cloned(home / "memory-patrol")
        try:
            told = paste(blocks_of(README), clone, newcomer.environment, port, README_PATIENCE)
        finally:
            newcomer.program = clone / "patrol"
            if (clone / ".venv").exists():
                newcomer("down", code=None)
        assert wait_until(lambda: not newcomer.living(), PATIENCE)
        said = [written for _, written in told]
        # What the page promises behind the first block.
        (promised,) = re.findall(r"^```\n(<passage.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
        first = "\n".join(line.rstrip() for line in said[0].splitlines())
        assert promised in first
        assert first.rstrip().endswith(f"<message>\n{QUESTION}\n</message>")
        assert "What Mizzen remembers" in said[1]
        # The system of the first block has the usual port.
        assert re.search(r"/demo \./patrol up --detach --port \d+$", said[1], re.MULTILINE)
        assert said[1].rstrip().endswith("./patrol down")
        assert "The oven failed during the morning bake." in said[2]
        assert "<recalled_memory>" in said[3]


@pytest.fixture(scope="module")
def reader(preloaded, tmp_path_factory):
    """A system as README leaves it, with the Being wren, a token, and `patrol` on the PATH; pastes a page's blocks."""
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
            (folder / "patrol").symlink_to(CHECKOUT / "patrol")
            command.environment["PATH"] = f"{folder}{os.pathsep}{command.environment['PATH']}"
            # All that makes nothing but what the first block has made: neither the environment nor the sample month.
            first, *others = [block for block in blocks_of(README) if "make demo" not in block.text]
            lines = [line for line in first.text.splitlines() if not re.match(r"make install|\./patrol up", line)]
            paste([Block("\n".join(lines), first.line), *others], folder, command.environment, port, PATIENCE)
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
    assert all(block.runs for block in blocks_of(README))


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
