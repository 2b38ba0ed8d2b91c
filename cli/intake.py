"""`patrol notes` and `patrol messages`: what happened and what was said, handed in from a file."""

import codecs
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Annotated, Any
from uuid import UUID

from rich.text import Text
from typer import Argument, Exit, FileBinaryRead, Typer

from cli.failures import Failure
from cli.ledger import find_being, opened, ring
from cli.options import BeingOption, JsonOption, OwnerOption
from cli.output import count, remark, say, say_json
from memory.erasure import erase_messages
from memory.intake import Accepted, DoorFull, accept_messages, accept_notes
from schemas.limits import BATCH_ITEMS
from schemas.receipts import Receipt, Trouble
from store.errors import Unavailable
from workers.resources import Resources

notes = Typer(help="What happened, handed in.", no_args_is_help=True)
messages = Typer(help="What was said, handed in.", no_args_is_help=True)

File = Annotated[FileBinaryRead, Argument(metavar="FILE|-", help="One JSON object a line; - reads from stdin.")]


@dataclass(frozen=True)
class Line:
    """A line that is not blank.

    Attributes:
        number: Its place in the file, from 1.
        item: What it holds.
        id_by_words: An id from its words, and from how often they stood in the file before.
        id_by_place: An id from all of the file up to its end.
    """

    number: int
    item: Any
    id_by_words: str
    id_by_place: str


Accept = Callable[[Resources, UUID, Sequence[Line]], Accepted]


@dataclass
class Summary:
    """What became of a file, with the lines of what was not taken; `stopped_at` is the first that was not handed in."""

    accepted: int = 0
    duplicates: int = 0
    conflicts: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    ids: list[UUID | None] = field(default_factory=list)
    stopped_at: int | None = None

    def add(self, receipt: Receipt, lines: Sequence[Line]) -> None:
        """Count a batch whose items stood in these lines."""

        def placed(troubles: list[Trouble]) -> list[dict[str, Any]]:
            return [{"line": lines[trouble.position].number, "reason": trouble.reason} for trouble in troubles]

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

    Good lines are taken whatever stands in the others. Sending a file again changes nothing, also when more was added
    to it: a line without an id goes by its words, and by how often they stood in the file before. The same words in
    another file are therefore the same note, unless an id tells them apart. Ends with 1 if a line was rejected, or told
    otherwise what is known under its id, or if not all lines could be handed in.
    """

    def accept(on: Resources, being_id: UUID, lines: Sequence[Line]) -> Accepted:
        items = [line.item for line in lines]
        return accept_notes(on.store, on.settings, being_id, items, lambda position: lines[position].id_by_words)

    _add(file, being, owner, accept, as_json=as_json)


@messages.command("add")
def add_messages(
    file: File, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Hand in messages, one JSON object a line.

    Good lines are taken whatever stands in the others. Sending a file again changes nothing, also when more was added
    at its end: a line without an id goes by all that the file says up to there, for people say the same thing twice.
    Files that begin alike are therefore taken for one, unless ids or times tell them apart. Ends with 1 if a line was
    rejected, or told otherwise what is known under its id, or if not all lines could be handed in.
    """

    def accept(on: Resources, being_id: UUID, lines: Sequence[Line]) -> Accepted:
        items = [line.item for line in lines]
        return accept_messages(on.store, on.settings, being_id, items, lambda position: lines[position].id_by_place)

    _add(file, being, owner, accept, as_json=as_json)


@messages.command("erase")
def erase_message(
    message: Annotated[UUID, Argument(metavar="ID", help="The message's id, as its receipt or its session tells it.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Erase a message, and with it the facts and todos that rest on it alone."""
    with opened() as on:
        erased, rings = erase_messages(on.store, find_being(on.store, being, owner), [message])
        ring(rings)
    if as_json:
        return say_json(erased)
    gone = f"{count(len(erased.facts_removed), 'fact')} and {count(len(erased.todos_removed), 'todo')}"
    back = f"{count(len(erased.facts_changed), 'fact')} changed, {count(len(erased.todos_reopened), 'todo')} open again"
    return say(f"Erased. {gone} went with it; {back}.")


def _add(file: Iterable[bytes], being: str | None, owner: str | None, accept: Accept, *, as_json: bool) -> None:
    """Hand a file in, batch by batch, and tell what became of it.

    Raises:
        Failure: The door closed in the middle; what was taken until then is told first.
        Exit: A line was not taken.
    """
    summary = Summary()
    closed: DoorFull | Unavailable | None = None
    lines = read_lines(file)
    with opened() as on:
        whose = find_being(on.store, being, owner)
        while closed is None and (batch := list(islice(lines, BATCH_ITEMS))):
            try:
                accepted = accept(on, whose.being_id, batch)
            except (DoorFull, Unavailable) as fault:
                closed, summary.stopped_at = fault, batch[0].number
            else:
                ring(accepted.rings)
                summary.add(accepted.receipt, batch)
    if as_json:
        say_json(asdict(summary))
    else:
        _tell(summary)
    if closed:
        raise Failure(
            f"Stopped before line {summary.stopped_at}. {closed} Send the whole file again later: what is known is not "
            "taken twice."
        ) from closed
    if summary.conflicts or summary.rejected:
        raise Exit(1)


def read_lines(file: Iterable[bytes]) -> Iterator[Line]:
    """Number each line that is not blank, and read it; what can't be read is an exception that says why."""
    seen: Counter[str] = Counter()
    so_far = hashlib.sha256()
    for number, raw in enumerate(file, start=1):
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        if line.strip():
            words = hashlib.sha256(line.strip()).hexdigest()
            seen[words] += 1
            so_far.update(line.strip() + b"\n")
            yield Line(number, _read(line), f"line/{words}/{seen[words]}", f"lines/{so_far.hexdigest()}")


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
