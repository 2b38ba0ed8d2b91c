"""What is said, and how: tables and sentences for people, JSON for programs, nothing that could steer a terminal."""

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from pydantic_core import to_json
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from schemas.rows import Node

WIDEST = 120
WIDTH_OF_FILES = 100
ID_CHARACTERS = 8
STATUS_STYLES = {"active": "green", "dying": "yellow", "dead": "red"}


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal, and never too wide to read."""
    made = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if made.is_terminal or "COLUMNS" in os.environ:
        made.width = min(made.width, WIDEST)
    else:
        made.width = WIDTH_OF_FILES
    return made


def say(*lines: Any) -> None:
    """Print to stdout."""
    on = console()
    for line in lines:
        on.print(line)


def remark(line: str) -> None:
    """Say on stderr what is beside the answer."""
    console(stderr=True).print(Text(line, style="dim"), soft_wrap=True)


def say_json(answer: Any) -> None:
    """Print models, rows and plain values as JSON."""
    sys.stdout.write(to_json(answer, indent=2).decode() + "\n")


class Page(Protocol):
    """A part of a long list, and where the next begins."""

    @property
    def cursor(self) -> str | None:
        """What to give back for the next part; None at the end."""


def say_page(page: Page, *shown: Any, as_json: bool) -> None:
    """Print a page of a list: as JSON, or as `shown` for people, with how to ask for the next."""
    if as_json:
        say_json(page)
        return
    say(*shown)
    if page.cursor:
        remark(f"There is more: --cursor {page.cursor}")


def words(text: str | None) -> str:
    """What somebody wrote, on one line and without a character that a terminal might obey."""
    return "".join(sign if sign.isprintable() else "�" for sign in " ".join((text or "").split()))


def day(moment: datetime | None) -> str:
    """A day, as all of the system writes it."""
    return f"{moment:%Y-%m-%d}" if moment else ""


def moment(at: datetime | None) -> str:
    """A moment to the minute, on the clock of whoever looks."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}" if at else ""


def short(row_id: UUID) -> str:
    """The end of an id, which tells rows apart and is taken by every command."""
    return str(row_id)[-ID_CHARACTERS:]


def table(*columns: str) -> Table:
    """An empty table in our manner; a column that begins with `>` holds numbers, one that begins with `*` words."""
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        name = column.lstrip(">*")
        made.add_column(
            name,
            justify="right" if column.startswith(">") else "left",
            no_wrap=not column.startswith("*"),
            ratio=1 if column.startswith("*") else None,
            overflow="fold" if column.startswith("*") else "ellipsis",
        )
    made.expand = any(column.startswith("*") for column in columns)
    return made


def nodes_table(nodes: Sequence[Node], similarities: Sequence[float | None] = ()) -> Table:
    """Memories, one a line."""
    made = table(
        *((">alike",) if similarities else ()), "node", "born", "status", ">weight", ">patrols left", "*memory"
    )
    for place, node in enumerate(nodes):
        alike = () if not similarities else (likeness(similarities[place]),)
        made.add_row(
            *alike,
            short(node.node_id),
            day(node.created_at),
            status(node),
            f"{node.effective_importance:.2f}",
            fading(node),
            words(node.scene["action"]),
        )
    return made


def likeness(similarity: float | None) -> str:
    """A cosine similarity; a word where the memory was found by one."""
    return "word" if similarity is None else f"{similarity:.2f}"


def status(node: Node) -> Text:
    """A memory's state."""
    shown = "pinned" if node.pinned else "forgotten" if node.forgotten_at else node.status
    return Text(shown, style="cyan" if node.pinned else STATUS_STYLES[node.status])


def fading(node: Node) -> str:
    """How many more patrols a memory has got before it is dying, unless somebody recalls it."""
    return "–" if node.patrols_left is None else str(max(node.patrols_left, 0))


def count(number: int, thing: str) -> str:
    """A number of things, in English."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def shown(path: Path) -> str:
    """A path as short as it can be said here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
