"""`patrol notes` and `patrol messages`: what happened and what was said, handed in from a file."""

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Annotated, Any
from uuid import UUID

from rich.text import Text
from typer import Argument, Exit, FileBinaryRead, Typer

from cli.ledger import find_being, opened, ring
from cli.options import BeingOption, JsonOption, OwnerOption
from cli.output import remark, say, say_json
from memory.intake import Accepted, accept_messages, accept_notes
from schemas.limits import BATCH_ITEMS
from schemas.receipts import Receipt, Trouble
from workers.resources import Resources

notes = Typer(help="What happened, handed in.", no_args_is_help=True)
messages = Typer(help="What was said, handed in.", no_args_is_help=True)

File = Annotated[FileBinaryRead, Argument(metavar="FILE|-", help="One JSON object a line; - reads from stdin.")]
Accept = Callable[[Resources, UUID, Sequence[Any]], Accepted]


@dataclass
class Summary:
    """What became of a file, with the lines of what was not taken."""

    accepted: int = 0
    duplicates: int = 0
    conflicts: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    ids: list[UUID | None] = field(default_factory=list)

    def add(self, receipt: Receipt, lines: list[int]) -> None:
        """Count a batch whose items stood in these lines."""

        def placed(troubles: list[Trouble]) -> list[dict[str, Any]]:
            return [{"line": lines[trouble.position], "reason": trouble.reason} for trouble in troubles]

        self.accepted += receipt.accepted
        self.duplicates += receipt.duplicates
        self.conflicts += placed(receipt.conflicts)
        self.rejected += placed(receipt.rejected)
        self.ids += receipt.ids


@notes.callback()
def of_notes() -> None:
    """What happened, handed in."""


@messages.callback()
def of_messages() -> None:
    """What was said, handed in."""


@notes.command("add")
def add_notes(file: File, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Hand in notes, one JSON object a line.

    Good lines are taken whatever stands in the others. A note with an id can be sent again without harm. Ends with 1 if
    a line was rejected, or told otherwise what is known under its id.
    """
    _add(
        file,
        being,
        owner,
        lambda on, being_id, items: accept_notes(on.store, on.settings, being_id, items),
        as_json=as_json,
    )


@messages.command("add")
def add_messages(
    file: File, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Hand in messages, one JSON object a line.

    Good lines are taken whatever stands in the others. A message with an id can be sent again without harm. Ends with 1
    if a line was rejected, or told otherwise what is known under its id.
    """
    _add(file, being, owner, lambda on, being_id, items: accept_messages(on.store, being_id, items), as_json=as_json)


def _add(file: Iterable[bytes], being: str | None, owner: str | None, accept: Accept, *, as_json: bool) -> None:
    summary = Summary()
    lines = read_lines(file)
    with opened() as on:
        whose = find_being(on.store, being, owner)
        while batch := list(islice(lines, BATCH_ITEMS)):
            accepted = accept(on, whose.being_id, [item for _, item in batch])
            ring(accepted.rings)
            summary.add(accepted.receipt, [line for line, _ in batch])
    if as_json:
        say_json(asdict(summary))
    else:
        _tell(summary)
    if summary.conflicts or summary.rejected:
        raise Exit(1)


def read_lines(file: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
    """Number each line that is not blank, and read it; what can't be read is an exception that says why."""
    for number, raw in enumerate(file, start=1):
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        if line.strip():
            yield number, _read(line)


def _read(line: bytes) -> Any:
    try:
        return json.loads(line.decode())
    except UnicodeDecodeError as fault:
        return ValueError(f"not UTF-8: byte {fault.start + 1} of the line")
    except json.JSONDecodeError as fault:
        return ValueError(f"not JSON: {fault.msg} at column {fault.colno}")
    except RecursionError:
        return ValueError("nested too deeply")
    except ValueError:
        return ValueError("holds a number that is too long")


def _tell(summary: Summary) -> None:
    counts = (
        (summary.accepted, "accepted", "green"),
        (summary.duplicates, "known already", "dim"),
        (len(summary.conflicts), "in conflict", "yellow"),
        (len(summary.rejected), "rejected", "red"),
    )
    shown = [Text(f"{count} {what}", style=style) for count, what, style in counts if count or what == "accepted"]
    say(Text(", ").join(shown))
    for trouble in sorted(summary.conflicts + summary.rejected, key=lambda trouble: int(trouble["line"])):
        remark(f"line {trouble['line']}: {trouble['reason']}")
