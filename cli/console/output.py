"""Output of commands: tables and sentences for people, JSON for programs.

All text passes `schemas.text.visible_text.visible`, so that no content controls the terminal: in
`cli.console.visible_console` for the console, in `cli.console.streams` for everything else.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pydantic_core import to_json
from rich import box
from rich.table import Table
from rich.text import Text

from cli.console.visible_console import VisibleConsole
from schemas.text.visible_text import visible

if TYPE_CHECKING:
    from rich.console import Console

    from schemas.nodes.nodes import Node

WIDEST = 120
WIDTH_OF_FILES = 100
ID_CHARACTERS = 8
STATUS_STYLES = {"active": "green", "dying": "yellow", "dead": "red"}


def console(*, stderr: bool = False) -> "Console":
    """Return a console as wide as the terminal, at most 120 columns; 100 if the output is no terminal."""
    made = VisibleConsole(stderr=stderr, highlight=False, markup=False, emoji=False)
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
    """Print a remark to stderr."""
    console(stderr=True).print(Text(words(line), style="dim"), soft_wrap=True)


def say_json(answer: Any) -> None:
    """Print models, rows and plain values as JSON."""
    say_document([to_json(answer, indent=2), b"\n"])


def say_list(name: str, rows: Iterable[Any], *shown: Any, as_json: bool) -> None:
    """Print a whole list as `shown`, or as JSON in the shape of a page over HTTP: an array by its name, no cursor."""
    say_answer({name: list(rows), "cursor": None}, *shown, as_json=as_json)


def say_document(parts: Iterable[bytes]) -> None:
    """Print a document for programs: unchanged into a pipe, with control characters escaped on a terminal."""
    sys.stdout.buffer.writelines(parts)
    sys.stdout.buffer.flush()


def say_answer(answer: Any, *shown: Any, as_json: bool) -> None:
    """Print an answer, as JSON or as `shown`; of a page of a list, a remark on stderr has the cursor of the next."""
    if as_json:
        return say_json(answer)
    say(*shown)
    if cursor := getattr(answer, "cursor", None):
        remark(f"There is more: --cursor {cursor}")
    return None


def words(text: str | None) -> str:
    """Return external text on one line, with control and invisible characters escaped."""
    return visible(" ".join((text or "").split()))


def day(moment: datetime | None) -> str:
    """Return an ISO date; empty for None."""
    return f"{moment:%Y-%m-%d}" if moment else ""


def moment(at: datetime | None) -> str:
    """Return a date and time to the minute, in the local time zone; empty for None."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}" if at else ""


def short(row_id: UUID) -> str:
    """Return the last 8 characters of an id, which every command accepts in its place."""
    return str(row_id)[-ID_CHARACTERS:]


def table(*columns: str, rows: Iterable[Sequence[Any]] = ()) -> Table:
    """Return a table.

    Args:
        columns: The headings. `>` before one aligns the column to the right; `*` lets the column fill the width and
            wrap its text.
        rows: The values: `Text` unchanged, of a time its day, nothing of None, and all else on one line, escaped.
    """
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
    for row in rows:
        made.add_row(*map(_cell, row))
    return made


def listing(none: str, *columns: str, rows: Iterable[Sequence[Any]]) -> Table | str:
    """Return a table, or the sentence `none` if there are no rows."""
    listed = list(rows)
    return table(*columns, rows=listed) if listed else none


def _cell(value: Any) -> Text | str:
    match value:
        case Text():
            return value
        case datetime():
            return day(value)
        case _:
            return "" if value is None else words(str(value))


def nodes_table(nodes: "Sequence[Node]", similarities: Sequence[float | None] = ()) -> Table:
    """Return a table of nodes, with a column of cosine similarities if they are given."""
    rows = [
        (
            short(node.node_id),
            node.created_at,
            status(node),
            f"{node.effective_importance:.2f}",
            fading(node),
            node.scene["action"],
        )
        for node in nodes
    ]
    columns = "node", "born", "status", ">weight", ">patrols left", "*memory"
    if not similarities:
        return table(*columns, rows=rows)
    alike = map(likeness, similarities)
    return table(">alike", *columns, rows=((similar, *row) for similar, row in zip(alike, rows, strict=True)))


def likeness(similarity: float | None) -> str:
    """Format a cosine similarity; `word` for a node that was found by words."""
    return "word" if similarity is None else f"{similarity:.2f}"


def status(node: "Node") -> Text:
    """Return a node's status, or `pinned` or `forgotten`, in its colour."""
    shown = "pinned" if node.pinned else "forgotten" if node.forgotten_at else node.status
    return Text(shown, style="cyan" if node.pinned else STATUS_STYLES[node.status])


def fading(node: "Node") -> str:
    """Return how many patrols are left until the node is dying, if it is not activated."""
    return "–" if node.patrols_left is None else str(max(node.patrols_left, 0))


def count(number: int, thing: str) -> str:
    """Return a number with a regular English noun."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def shown(path: Path) -> str:
    """Return a path, relative to the current directory if it is below it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
