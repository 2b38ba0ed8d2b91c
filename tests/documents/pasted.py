"""The command blocks of the documents, as a reader pastes them into a shell.

Each fenced block of the language `sh` counts. One that begins with a comment `# needs …` tells the reader what it needs
besides, and is not pasted by tests. A block without a language, or of JSON, that follows one at once is what it writes.
"""

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from schemas.settings import CHECKOUT

# Where the documents have the API. A test's own is on another port, for several tests run at a time.
API = "127.0.0.1:8765"
BLOCK = re.compile(r"^```sh\n(.*?)^```\n+(?:^```(?:json)?\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
# What is another one in each reader's system.
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NEEDS = re.compile(r"# needs \w")
# After a block its shell says that it has come to the end: a command that reads the shell's input would have eaten it.
DONE = "every block was pasted"


@dataclass(frozen=True)
class Block:
    """A block of a document: its text, the line on which it begins, and what the document says that it writes."""

    text: str
    line: int
    promised: str = ""

    @property
    def runs(self) -> bool:
        """Whether it needs nothing but what the documents have made before."""
        return not NEEDS.match(self.text)


def blocks_of(path: Path) -> list[Block]:
    """Return the command blocks of a document, in order."""
    document = path.read_text(encoding="utf-8")
    return [
        Block(found[1], document.count("\n", 0, found.start()) + 1, found[2] or "")
        for found in BLOCK.finditer(document)
    ]


def documents() -> list[Path]:
    """Return README and the pages of docs/ that have command blocks which run, README first."""
    pages = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
    return [page for page in pages if any(block.runs for block in blocks_of(page))]


def keeps(block: Block, written: str) -> bool:
    """Whether what a block wrote holds what the document says, ids and the ends of lines aside."""
    promised, lines = (ID.sub("id", text) for text in (block.promised, written))
    if promised.startswith("{"):
        return bool(json.loads(promised) == json.loads(lines.strip().splitlines()[-1]))
    return promised in "\n".join(line.rstrip() for line in lines.splitlines())


def paste(
    blocks: list[Block], folder: Path, environment: Mapping[str, str], port: int, patience: float
) -> list[tuple[Block, str]]:
    """Paste blocks into one shell, which ends at the first command that fails.

    Args:
        blocks: The blocks, in order; a variable that one sets is there in the next.
        folder: The shell's working directory.
        environment: Its whole environment.
        port: The API's port, in place of the documents'.
        patience: Seconds that all of it may take.

    Returns:
        Each block with what it wrote.
    """
    ends = [f"{DONE} {number}" for number in range(len(blocks))]
    parts = [
        f"{block.text}\nprintf '\\n%s\\n' '{end}'\n".replace(API, f"127.0.0.1:{port}")
        for block, end in zip(blocks, ends, strict=True)
    ]
    ran = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", "".join(parts)],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=patience,
        check=False,
    )
    said, told = ran.stdout, []
    for block, end in zip(blocks, ends, strict=True):
        written, ended, said = said.partition(f"\n{end}\n")
        assert ended, f"the block of line {block.line} failed with {ran.returncode}:\n{block.text}\n{written}"
        # `curl` ends well where the API refuses.
        assert "urn:memory-patrol:problem" not in written, f"line {block.line}:\n{written}"
        assert keeps(block, written), (
            f"the block of line {block.line} writes another thing than the document:\n{written}"
        )
        told.append((block, written))
    assert ran.returncode == 0, ran.stdout
    return told
