"""`patrol notes` and `patrol messages`: hand in notes and messages from a file, retry failed notes, and more."""

import codecs
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import IO, Annotated, Any
from uuid import UUID

from rich.text import Text
from typer import Argument, BadParameter, Exit, FileBinaryRead, Option

from cli.console.declared import Group, by_ending
from cli.console.failures import Failure
from cli.console.ledger import find_being, open_ledger
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, remark, say, say_answer, say_json
from cli.intake import views
from memory.intake.accepting import IntakeFull
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.patrol import failed_notes
from memory.text.json_lines import LineRefused, numbered, read_object
from operations.intake import notes as note_operations
from operations.talk import messages as message_operations
from schemas.errors import Unavailable
from schemas.facts.fact_answers import ErasureCounts
from schemas.intake.notes import ItemFault, Note, NotePage, Receipt
from schemas.limits import BATCH_ITEMS, DOCUMENT_BYTES
from schemas.talk.messages import MessagePage, RetractedPage
from schemas.talk.retraction import RestorationOutcome, RetractionOutcome
from workers.runtime.resources import Resources

notes = Group(
    note_operations,
    "Notes: scenes, todos, reminders and knowledge.",
    views={
        NotePage: views.listed_notes,
        "kept": views.kept_notes,
        "failed": views.failed_notes,
        Note: views.changed_note,
    },
).commands
messages = Group(
    message_operations,
    "Messages of conversations.",
    finders={"session": by_ending("session", "patrol sessions list")},
    views={
        MessagePage: views.listed_messages,
        RetractedPage: views.retracted_messages,
        RetractionOutcome: views.retracted,
        RestorationOutcome: views.restored,
        ErasureCounts: views.erased,
        "confide": lambda page: f"{count(len(page.messages), 'message')} in confidence.",
        "share": lambda page: f"{count(len(page.messages), 'message')} no longer in confidence.",
    },
).commands

# Much more than an item may have: of a longer message the beginning is kept.
LINE_BYTES = DOCUMENT_BYTES

File = Annotated[FileBinaryRead, Argument(metavar="FILE|-", help="One JSON object a line; - reads from stdin.")]

AgedOption = Annotated[
    bool,
    Option(
        "--aged", help="Memories of it are born with the age that daily patrols since its own dates would have given."
    ),
]


@dataclass(frozen=True)
class Line:
    """A line that is not blank.

    Attributes:
        number: Its number in the file, from 1.
        item: Its parsed content.
        id_by_words: An id derived from its text and the number of equal lines before it.
        id_by_place: An id derived from the file's text up to its end.
    """

    number: int
    item: Any
    id_by_words: str
    id_by_place: str


Accept = Callable[[Resources, UUID, Sequence[Line]], Receipt]


@dataclass
class Summary:
    """The outcome of a file, with the numbers of lines that were not accepted.

    `stopped_at` is the first line that was not handed in; `erased` are the lines whose items were erased before,
    `off_the_record` those of which nothing is kept, and `shortened` those of whose text the beginning was kept.
    """

    accepted: int = 0
    duplicates: int = 0
    conflicts: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    erased: list[int] = field(default_factory=list)
    off_the_record: list[int] = field(default_factory=list)
    shortened: list[int] = field(default_factory=list)
    ids: list[UUID | None] = field(default_factory=list)
    stopped_at: int | None = None

    def add(self, receipt: Receipt, lines: Sequence[Line]) -> None:
        """Add the receipt of a batch that came from these lines."""

        def placed(troubles: list[ItemFault]) -> list[dict[str, Any]]:
            return [{"line": lines[trouble.position].number, "reason": trouble.reason} for trouble in troubles]

        self.accepted += receipt.accepted
        self.duplicates += receipt.duplicates
        self.conflicts += placed(receipt.conflicts)
        self.rejected += placed(receipt.rejected)
        self.erased += [lines[position].number for position in receipt.erased]
        self.off_the_record += [lines[position].number for position in receipt.off_the_record]
        self.shortened += [lines[position].number for position in receipt.shortened]
        self.ids += receipt.ids


@notes.command("add")
def add_notes(
    file: File,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    aged: AgedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Hand in notes, one JSON object a line.

    Invalid lines do not prevent the others from being accepted. Sending a file again changes nothing, also after lines
    were added: the id of a line without one is derived from its text and the number of equal lines before it. The same
    text in another file is therefore the same note, unless ids differ. The exit code is 1 if a line was rejected, if
    its id is stored with other content, or if not all lines could be handed in.
    """

    def accept(on: Resources, being_id: UUID, lines: Sequence[Line]) -> Receipt:
        items = [_aged(line.item, only="scene") if aged else line.item for line in lines]
        return accept_notes(on.store, on.settings, being_id, items, lambda position: lines[position].id_by_words)

    _add(file, being, owner, accept, as_json=as_json)


@messages.command("add")
def add_messages(
    file: File,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    aged: AgedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Hand in messages, one JSON object a line.

    Invalid lines do not prevent the others from being accepted. Sending a file again changes nothing, also after lines
    were added at its end: the id of a line without one is derived from the file's text up to that line, because people
    repeat themselves. Files with the same beginning are therefore the same conversation, unless ids or times differ.
    The exit code is 1 if a line was rejected, if its id is stored with other content, or if not all lines could be
    handed in.
    """

    def accept(on: Resources, being_id: UUID, lines: Sequence[Line]) -> Receipt:
        items = [_aged(line.item) if aged else line.item for line in lines]
        return accept_messages(on.store, on.settings, being_id, items, lambda position: lines[position].id_by_place)

    _add(file, being, owner, accept, as_json=as_json)


@notes.command("retry")
def retry_notes(
    note: Annotated[list[str] | None, Argument(metavar="NOTE...", help="The notes' ids; see `notes failed`.")] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    every: Annotated[bool, Option("--all", help="All failed notes of the Being.")] = False,
    *,
    as_json: JsonOption = False,
) -> None:
    """Let the next patrol try failed notes again; with a key a model is asked again to repair them."""
    if bool(note) == every:
        raise BadParameter("name notes, or give --all.", param_hint="NOTE...")
    try:
        note_ids = None if every else [UUID(each) for each in note or []]
    except ValueError:
        raise BadParameter("a note goes by its whole id; see `patrol notes failed`.", param_hint="NOTE...") from None
    with open_ledger() as on:
        target = find_being(on, being, owner)
        retried = failed_notes.retry(on.store, on.settings, target.being_id, note_ids)
    shown = f"{count(retried, 'note')} will be tried again by the next patrol."
    say_answer({"retried": retried}, shown, as_json=as_json)


def _aged(item: Any, only: str | None = None) -> Any:
    """An item whose memories are born with their age; other items, and notes of another type, are unchanged."""
    return {"aged": True, **item} if isinstance(item, dict) and only in {None, item.get("type")} else item


def _add(file: IO[bytes], being: str | None, owner: str | None, accept: Accept, *, as_json: bool) -> None:
    """Hand in a file batch by batch, and print the outcome.

    Raises:
        Failure: Intake stopped; the outcome of the lines before is printed first.
        Exit: A line was not accepted.
    """
    summary = Summary()
    closed: IntakeFull | Unavailable | None = None
    lines = read_lines(file)
    with open_ledger() as on:
        target = find_being(on, being, owner)
        while closed is None and (batch := list(islice(lines, BATCH_ITEMS))):
            try:
                receipt = accept(on, target.being_id, batch)
            except (IntakeFull, Unavailable) as fault:
                closed, summary.stopped_at = fault, batch[0].number
            else:
                summary.add(receipt, batch)
    if as_json:
        say_json(asdict(summary))
    else:
        _tell(summary)
    if closed:
        raise Failure(
            f"Stopped before line {summary.stopped_at}. {closed} Send the whole file again later: lines that were "
            "accepted are not stored twice."
        ) from closed
    if summary.conflicts or summary.rejected:
        raise Exit(1)


def read_lines(file: IO[bytes]) -> Iterator[Line]:
    """Number each line that is not blank, and parse it; an invalid line's item is the exception with the reason."""
    seen: Counter[str] = Counter()
    so_far = hashlib.sha256()
    for number, raw in numbered(file, LINE_BYTES):
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        words = hashlib.sha256(line.strip()).hexdigest()
        seen[words] += 1
        so_far.update(line.strip() + b"\n")
        try:
            item = read_object(line, LINE_BYTES)
        except LineRefused as fault:
            item = fault
        yield Line(number, item, f"line/{words}/{seen[words]}", f"lines/{so_far.hexdigest()}")


def _tell(summary: Summary) -> None:
    counts = (
        (summary.accepted, "accepted", "green"),
        (summary.duplicates, "known already", "dim"),
        (len(summary.conflicts), "in conflict", "yellow"),
        (len(summary.rejected), "rejected", "red"),
        (len(summary.erased), "erased before", "dim"),
        (len(summary.off_the_record), "off the record, not kept", "yellow"),
        (len(summary.shortened), "shortened", "yellow"),
    )
    shown = [Text(f"{count} {what}", style=style) for count, what, style in counts if count or what == "accepted"]
    say(Text(", ").join(shown))
    for trouble in sorted(summary.conflicts + summary.rejected, key=lambda trouble: int(trouble["line"])):
        remark(f"line {trouble['line']}: {trouble['reason']}")
