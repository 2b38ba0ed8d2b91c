"""`patrol import --from`: imports the export of another program, and shows how far it is."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import repeat
from pathlib import Path
from typing import IO, Self
from zoneinfo import ZoneInfo

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from typer import Exit

from cli.console.failures import Failure
from cli.console.ledger import every_right
from cli.console.output import console, count, remark, say, say_json, words
from memory.accounts import user_accounts
from memory.accounts.group_import import GroupImport
from memory.intake.accepting import IntakeFull
from memory.intake.importers.entries import Conversation, Entry, ExcludedEntry, ExportPersons, UnreadableEntry
from memory.intake.importers.importing import FORMATS, EntryOutcomes, Import
from memory.intake.importers.reading.files import DAMAGES, export_files
from memory.text.errors import InvalidRequest
from schemas.accounts.accounts import Being, User
from schemas.errors import Unavailable
from schemas.limits import ITEM_BYTES
from workers.runtime.resources import Resources

# Without a terminal, progress is one line for this many entries.
ENTRIES_A_LINE = 2000
TOLD_ASIDE = 20


def import_foreign(
    on: Resources,
    into: Being | User,
    path: Path,
    source: str,
    *,
    user: str | None,
    companion: str | None,
    aside: Path,
    aged: bool,
    as_json: bool,
) -> None:
    """Import an export into a Being, or its groups into rooms of a user, and print the results of its entries.

    Raises:
        Failure: Intake stopped, the outcome until then is printed first; or nothing in the export is of this program.
        Exit: An entry was set aside.
    """
    names = ExportPersons(user, companion, ZoneInfo(user_accounts.show(on.store, into.user_id).time_zone))
    stopped: IntakeFull | Unavailable | None = None
    with _Aside(aside) as bad, _progress() as show:
        work: Import | GroupImport
        if isinstance(into, Being):
            work = Import(on.store, on.settings, on.embedders, into, aged, bad.add)
            steps = work.take(_entries(path, source, names))
        else:
            work = GroupImport(on.store, on.settings, every_right(into), names, bad.add)
            steps = work.take(path)
        try:
            for done in steps:
                show(done)
        except (IntakeFull, Unavailable) as fault:
            stopped = fault
    _tell(work.done, as_json=as_json)
    bad.tell()
    if stopped:
        raise Failure(f"Stopped. {stopped} Run the same command again later: it continues from there.") from stopped
    if bad.written:
        raise Exit(1)
    if not work.done.read:
        raise Failure(
            f"Nothing was imported: {words(path.name)} holds nothing that --from {source} reads. "
            "Check the file, and the program."
        )


def _entries(path: Path, source: str, names: ExportPersons) -> Iterator[Entry]:
    read, pattern = FORMATS[source]
    files = empty = 0
    for file in export_files(path, pattern):
        found = False
        if file.encoding is not None:
            remark(f"{words(file.name)} is no UTF-8: it is read as {file.encoding}, as its letters tell.")
        try:
            for entry in read(file, names):
                found = True
                yield _with_file(entry, file.name)
        except (InvalidRequest, *DAMAGES) as fault:
            # Of several files the others are read all the same.
            reason = str(fault) if isinstance(fault, InvalidRequest) else "the archive is damaged here"
            found = True
            yield UnreadableEntry(file.name, reason, None)
        files, empty = files + 1, empty + (not found)
    # Where no file holds an entry, the caller reports it.
    if empty < files:
        yield from repeat(ExcludedEntry(f"files that hold nothing of --from {source}"), empty)


def _with_file(entry: Entry, name: str) -> Entry:
    """Return an entry of which each place that can't be imported names its file: an export may have many."""
    if isinstance(entry, UnreadableEntry):
        return entry if entry.place.startswith(name) else replace(entry, place=f"{name}, {entry.place}")
    if isinstance(entry, Conversation) and entry.bad:
        return replace(entry, bad=[replace(bad, place=f"{name}, {bad.place}") for bad in entry.bad])
    return entry


def _tell(done: EntryOutcomes, *, as_json: bool) -> None:
    if as_json:
        say_json(asdict(done))
        return
    if not done.read:
        return
    parts = [
        f"{count(done.messages, 'message')}" + (f" ({done.retracted} on other branches)" if done.retracted else ""),
        *([count(done.facts, "fact")] if done.facts else []),
        *([count(done.notes, "knowledge note")] if done.notes else []),
        *([f"{done.known} known already"] if done.known else []),
        *([f"{done.erased} erased before"] if done.erased else []),
        *([f"{done.shortened} shortened to {ITEM_BYTES >> 10} KB"] if done.shortened else []),
    ]
    say(", ".join(parts))
    if done.left_out:
        remark(f"Left out: {', '.join(f'{reason} ({number})' for reason, number in done.left_out.items())}.")


@contextmanager
def _progress() -> Iterator[Callable[[EntryOutcomes], None]]:
    """Yield a function that shows an import's progress: a changing line, or without a terminal a line now and then."""
    on = console(stderr=True)
    if on.is_terminal:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*columns, console=on, transient=True) as bar:
            task = bar.add_task("Reading ...", total=None)
            yield lambda done: bar.update(task, description=_so_far(done))
        return
    lines = 0

    def show(done: EntryOutcomes) -> None:
        nonlocal lines
        if done.read // ENTRIES_A_LINE > lines:
            lines = done.read // ENTRIES_A_LINE
            remark(_so_far(done))

    yield show


def _so_far(done: EntryOutcomes) -> str:
    known = f", {done.known} known already" if done.known else ""
    return f"{done.read} entries: {done.messages} messages{known}, {done.set_aside} set aside"


class _Aside:
    """The file of entries that can't be imported; it is made with the first one, readable by its owner alone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None
        self.written = 0
        self._first: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, bad: UnreadableEntry) -> None:
        """Write an entry with its place and the reason."""
        if self._file is None:
            self._file = os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w")
        line = {"place": bad.place, "reason": bad.reason, "entry": bad.entry}
        self._file.write(json.dumps(line, ensure_ascii=True, default=str) + "\n")
        self.written += 1
        if len(self._first) < TOLD_ASIDE:
            self._first.append(words(f"{bad.place}: {bad.reason}"))

    def tell(self) -> None:
        """Print the first entries' places and reasons, and how many there are."""
        for line in self._first:
            remark(line)
        if self.written:
            remark(f"Could not be imported: {self.written}. The entries are in {words(str(self._path))}.")
