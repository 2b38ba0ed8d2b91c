"""Imports an exported Being into a new or empty one, in one transaction.

An invalid line is reported by its number and does not prevent the import of the others. Missing vectors, judging and
patrols are work in the ledger, enqueued in the same transaction.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import UUID

from pydantic import ValidationError

from memory.accounts import import_erased
from memory.facts import vectors
from memory.patrol import demand
from memory.talk import rolling, spine
from memory.talk.judging import request_judging
from memory.talk.sessions import request_summaries
from memory.text.items import ItemBatchRefused
from memory.text.json_lines import LineRefused, numbered, read_object
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.accounts.portability import BeingLine, EndLine, ImportReport
from schemas.errors import Refused
from schemas.ledger.kinds import REEMBED
from schemas.limits import REJECTED_LINES
from schemas.settings import Settings
from schemas.text.validation_messages import validation_messages
from schemas.vault.lines import RejectedLine
from store.accounts import beings, portable
from store.accounts.portable import InvalidLine
from store.accounts.portable_kinds import KINDS, Kind
from store.database import Store
from store.facts import facts
from store.intake import notes
from store.ledger import work
from store.transaction import Transaction

LINE_BYTES = 4 << 20
LINES_AT_ONCE = 200

Line = dict[str, Any]


@dataclass(frozen=True)
class NumberedLine:
    """One line of the file."""

    number: int
    kind: str
    line: Line


def import_being(store: Store, settings: Settings, embedders: Embedders, being: Being, file: IO[bytes]) -> ImportReport:
    """Import an export; importing the same file again changes nothing.

    Args:
        embedders: Compute vectors that the file lacks.
        being: The Being to import into: empty, or one that was imported from this file.
        file: An export.

    Returns:
        The imported lines by kind, and the rejected ones.

    Raises:
        Refused: The Being is not empty.
        ItemBatchRefused: The file is not a valid export; nothing was changed.
        SecretMissing: No secret decrypts the key of the user's digests; nothing was changed.
    """
    with TemporaryFile("w+b") as copy:
        copyfileobj(file, copy)
        copy.seek(0)
        digest = hashlib.file_digest(copy, sha256).digest()
        copy.seek(0)
        with store.transaction() as tx:
            demand.reserve(tx, being.being_id)
            rolling.reserve(tx, being.being_id)
            facts.lock(tx, being.user_id)
            beings.lock(tx, being.being_id)
            known = portable.earlier_import(tx, being.being_id, digest)
            if known is not None:
                return known
            if not portable.is_empty(tx, being):
                raise Refused("The Being is not empty. Import into a new one: name another slug.")
            arrived = _Import(tx, settings, being, copy).take_all()
            portable.record_import(tx, being.being_id, digest, arrived)
            _ask(tx, settings, embedders, being)
            return arrived


def _ask(tx: Transaction, settings: Settings, embedders: Embedders, being: Being) -> None:
    """Enqueue the work that the imported rows need."""
    request_judging(tx, settings, being.being_id, portable.waiting_sessions(tx, being.being_id))
    request_summaries(tx, being.being_id)
    spine.request_if_due(tx, being.user_id)
    vectors.request_embedding(tx, being.user_id)
    if beings.get_being(tx, being.being_id).embedding_model not in {None, embedders.wanted.model}:
        work.ask(tx, being.being_id, REEMBED, embedders.wanted.model)
    if notes.pending(tx, being.being_id, 1):
        demand.request_patrol(tx, settings, being.being_id)


class _Import:
    """The import of one file."""

    def __init__(self, tx: Transaction, settings: Settings, being: Being, file: IO[bytes]) -> None:
        self._tx = tx
        self._settings = settings
        self._being = being
        self._raw = numbered(file, LINE_BYTES)
        self._said = _opening(self._raw)
        self._held = {kind.name: portable.columns(tx, kind) for kind in KINDS}
        self._taken = dict.fromkeys((kind.name for kind in KINDS), 0)
        self._rejected: list[RejectedLine] = []

    def take_all(self) -> ImportReport:
        """Import every valid line, then restore the relations between rows."""
        portable.remove_defaults(self._tx, self._being)
        kinds = {kind.name: kind for kind in KINDS}
        for name, lines in groupby(self._read(), key=lambda line: line.kind):
            self._take_all_of(kinds[name], lines)
        portable.settle(self._tx, self._being, self._said)
        if cyclic := portable.in_absorption_cycles(self._tx, self._being.being_id):
            raise ItemBatchRefused(f"The absorptions of {cyclic} nodes form a cycle: the file is damaged.")
        erased = import_erased.erase_again(self._tx, self._settings, self._being, self._said.being_id)
        taken = {name: count for name, count in self._taken.items() if count}
        return ImportReport(
            taken=taken, erased=erased, rejected=sorted(self._rejected, key=lambda trouble: trouble.line)
        )

    def _read(self) -> Iterator[NumberedLine]:
        """Read the lines up to the end line."""
        number = seen = 1
        for seen, (number, raw) in enumerate(self._raw):
            try:
                line = read_object(raw, LINE_BYTES)
                if isinstance(line, dict) and line.get("kind") == "end":
                    self._close(number, line, seen)
                    return
                yield self._checked(number, line)
            except LineRefused as fault:
                self._reject(number, fault)
        self._reject(number + 1, LineRefused("the file ends here without an end line: it was cut off"))

    def _close(self, number: int, line: Line, seen: int) -> None:
        try:
            expected = EndLine.model_validate(line).lines
        except ValidationError as fault:
            self._reject(number, LineRefused("; ".join(validation_messages(fault))))
            return
        if expected != seen:
            reason = f"there are {seen} lines between the first and this one, and {expected} were exported"
            self._reject(number, LineRefused(reason))

    def _checked(self, number: int, line: Any) -> NumberedLine:
        """Check a line's kind and fields, and replace ids of the exported Being's by this one's.

        Raises:
            LineRefused: Its kind is unknown, or it has fields that its kind lacks.
        """
        if not isinstance(line, dict) or not isinstance(name := line.pop("kind", None), str) or name not in self._held:
            raise LineRefused("is not an object with a known `kind`")
        (kind,) = (kind for kind in KINDS if kind.name == name)
        of = line.pop("of", "user" if line.keys() & set(kind.former) else None) if kind.of else None
        if kind.of and of not in {"being", "user"}:
            raise LineRefused('`of` must be "being" or "user"')
        if portable.WHAT in line and "kind" in self._held[name]:
            line["kind"] = line.pop(portable.WHAT)
        line = {field: held for field, held in line.items() if field not in kind.former}
        if unknown := len(line.keys() - self._held[name]):
            raise LineRefused(f"has {unknown} unknown fields for the kind {name}")
        if of == "being":
            line |= {column: self._own_id(line[column]) for column in kind.ids if line.get(column)}
        if kind.scoped:
            line["being_id"] = str(self._being.being_id) if of == "being" else None
        return NumberedLine(number, name, line)

    def _own_id(self, id_: Any) -> Any:
        """Derive a new id for a Being's row in a user's table that holds the exported Being's row under the old id.

        The first half stays, because it orders rows by time.
        """
        if self._said.user_id != self._being.user_id or self._said.being_id == self._being.being_id:
            return id_
        tail = sha256(f"{self._being.being_id}/{id_}".encode()).digest()
        try:
            return str(UUID(bytes=UUID(id_).bytes[:8] + b"\x80" + tail[:7]))
        except (ValueError, AttributeError, TypeError):
            return tail.hex()[:12]

    def _take_all_of(self, kind: Kind, lines: Iterable[NumberedLine]) -> None:
        some: list[NumberedLine] = []
        for line in lines:
            some.append(line)
            if len(some) == LINES_AT_ONCE:
                self._take(kind, some)
                some = []
        if some:
            self._take(kind, some)

    def _take(self, kind: Kind, lines: list[NumberedLine]) -> None:
        """Insert lines together; if that fails, bisect them until the invalid line is alone."""
        plain: list[Mapping[str, Any]] = [line.line for line in lines]
        try:
            self._taken[kind.name] += portable.take(self._tx, self._being, kind, self._held[kind.name], plain)
        except InvalidLine as fault:
            if len(lines) == 1:
                self._reject(lines[0].number, fault)
                return
            self._take(kind, lines[: len(lines) // 2])
            self._take(kind, lines[len(lines) // 2 :])
        else:
            portable.remove_trigger_history(self._tx, self._being, kind, plain)

    def _reject(self, number: int, fault: Exception) -> None:
        self._rejected.append(RejectedLine(line=number, reason=str(fault)))
        if len(self._rejected) > REJECTED_LINES:
            first = self._rejected[0]
            raise ItemBatchRefused(
                f"More than {REJECTED_LINES} lines are invalid; nothing was imported. Line {first.line}: {first.reason}"
            )


def _opening(lines: Iterator[tuple[int, bytes]]) -> BeingLine:
    try:
        _, raw = next(lines)
        return BeingLine.model_validate(read_object(raw, LINE_BYTES))
    except StopIteration:
        raise ItemBatchRefused("The file is empty.") from None
    except LineRefused as fault:
        raise ItemBatchRefused(f"This is not an export of a Being: its first line {fault}.") from None
    except ValidationError as fault:
        raise ItemBatchRefused(
            f"This is not an export of a Being. Its first line: {'; '.join(validation_messages(fault))}"
        ) from None
