"""A Being that is brought along as lines of JSON, into a new or empty one, in one transaction.

A line that can't be taken is reported by its number and stops no other. What has to be made anew (vectors) or is still
to be done (judging, patrols) is work in the ledger, asked for in the same transaction.
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

from memory import fact_vectors, patrol_demand, reembedding, rolling, spine
from memory.batches import BatchRefused
from memory.conversation import ask_for_summaries
from memory.judging import ask_for_judging
from memory.lines import LineRefused, numbered, read_object
from providers.embedders import Embedders
from schemas.complaints import complaints
from schemas.portability import Arrived, BeingLine, EndLine
from schemas.rows import Being
from schemas.settings import Settings
from schemas.vault import LineTrouble
from schemas.work import Ring
from store import facts, notes, portable, users, work
from store.database import Store
from store.errors import Refused
from store.portable import Unfit
from store.portable_kinds import KINDS, Kind
from store.transaction import Transaction

LINE_BYTES = 4 << 20
LINES_AT_ONCE = 200

Line = dict[str, Any]


@dataclass(frozen=True)
class Numbered:
    """One line of the file."""

    number: int
    kind: str
    line: Line


def import_being(
    store: Store, settings: Settings, embedders: Embedders, being: Being, file: IO[bytes]
) -> tuple[Arrived, list[Ring]]:
    """Bring in what an export holds; the same file again changes nothing.

    Args:
        store: The ledger.
        settings: When what came in is judged and patrolled.
        embedders: Who is to make the vectors that did not come along.
        being: Who it becomes; nothing has come to it yet, or this very file.
        file: An export.

    Returns:
        What was taken and what was not, and what to ring for.

    Raises:
        Refused: Something else has come to this Being.
        BatchRefused: The file is no export that can be read here; nothing was changed.
    """
    with TemporaryFile("w+b") as copy:
        copyfileobj(file, copy)
        copy.seek(0)
        digest = hashlib.file_digest(copy, sha256).digest()
        copy.seek(0)
        with store.transaction() as tx:
            patrol_demand.reserve(tx, being.being_id)
            rolling.reserve(tx, being.being_id)
            facts.hold(tx, being.user_id)
            users.lock(tx, being.being_id)
            known = portable.taken(tx, being.being_id, digest)
            if known is not None:
                return known, []
            if not portable.is_empty(tx, being):
                raise Refused("A Being is brought into an empty one, and this one remembers something: name another.")
            arrived = _Arrival(tx, being, copy).take_all()
            portable.keep_taken(tx, being.being_id, digest, arrived)
            return arrived, _ask(tx, settings, embedders, being)


def _ask(tx: Transaction, settings: Settings, embedders: Embedders, being: Being) -> list[Ring]:
    """Ask for what is to be done about what came in."""
    rings = ask_for_judging(tx, settings, being.being_id, portable.waiting_sessions(tx, being.being_id))
    rings += ask_for_summaries(tx, being.being_id)
    rings += spine.ask(tx, being.user_id)
    rings += fact_vectors.ask(tx, being.user_id)
    if users.get_being(tx, being.being_id).embedding_model not in {None, embedders.wanted.model}:
        rings += work.ask(tx, being.being_id, reembedding.KIND, embedders.wanted.model, "upkeep")
    if notes.pending(tx, being.being_id, 1):
        rings += patrol_demand.ask_for_patrol(tx, settings, being.being_id)
    return rings


class _Arrival:
    """One file on its way in."""

    def __init__(self, tx: Transaction, being: Being, file: IO[bytes]) -> None:
        self._tx = tx
        self._being = being
        self._raw = numbered(file, LINE_BYTES)
        self._said = _opening(self._raw)
        self._held = {kind.name: portable.columns(tx, kind) for kind in KINDS}
        self._taken = dict.fromkeys((kind.name for kind in KINDS), 0)
        self._rejected: list[LineTrouble] = []

    def take_all(self) -> Arrived:
        """Take every line that can be taken, and make whole what has come of them."""
        portable.make_room(self._tx, self._being)
        kinds = {kind.name: kind for kind in KINDS}
        for name, lines in groupby(self._read(), key=lambda line: line.kind):
            self._take_in_turn(kinds[name], lines)
        portable.settle(self._tx, self._being, self._said)
        if circle := portable.circling(self._tx, self._being.being_id):
            raise BatchRefused(f"{circle} memories were absorbed by one another in a circle: the file was changed.")
        taken = {name: count for name, count in self._taken.items() if count}
        return Arrived(taken=taken, rejected=sorted(self._rejected, key=lambda trouble: trouble.line))

    def _read(self) -> Iterator[Numbered]:
        """Read the lines, up to the one that says that they are all."""
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
        self._reject(number + 1, LineRefused("the file ends here, and should not: it was cut off"))

    def _close(self, number: int, line: Line, seen: int) -> None:
        try:
            expected = EndLine.model_validate(line).lines
        except ValidationError as fault:
            self._reject(number, LineRefused("; ".join(complaints(fault))))
            return
        if expected != seen:
            told = f"{seen} lines stand between the first and this, and there were {expected}"
            self._reject(number, LineRefused(told))

    def _checked(self, number: int, line: Any) -> Numbered:
        """Hold a line against its kind, and make it this Being's.

        Raises:
            LineRefused: It is of no kind, or has fields that its kind has not.
        """
        if not isinstance(line, dict) or not isinstance(name := line.pop("kind", None), str) or name not in self._held:
            raise LineRefused("is no object with a `kind` that is known here")
        (kind,) = (kind for kind in KINDS if kind.name == name)
        of = line.pop("of", None) if kind.of else None
        if kind.of and of not in {"being", "user"}:
            raise LineRefused('`of` must be "being" or "user"')
        if portable.WHAT in line and "kind" in self._held[name]:
            line["kind"] = line.pop(portable.WHAT)
        if unknown := len(line.keys() - self._held[name]):
            raise LineRefused(f"has {unknown} fields that a {name} has not")
        if of == "being":
            line |= {column: self._own_id(line[column]) for column in kind.ids if line.get(column)}
        if kind.scoped:
            line["being_id"] = str(self._being.being_id) if of == "being" else None
        return Numbered(number, name, line)

    def _own_id(self, id_: Any) -> Any:
        """An id for what is this Being's own in a table that it shares with the one it was, whose the old id stays.

        The beginning stays, which tells the order in which things came.
        """
        if self._said.user_id != self._being.user_id or self._said.being_id == self._being.being_id:
            return id_
        tail = sha256(f"{self._being.being_id}/{id_}".encode()).digest()
        try:
            return str(UUID(bytes=UUID(id_).bytes[:8] + b"\x80" + tail[:7]))
        except (ValueError, AttributeError, TypeError):
            return tail.hex()[:12]

    def _take_in_turn(self, kind: Kind, lines: Iterable[Numbered]) -> None:
        some: list[Numbered] = []
        for line in lines:
            some.append(line)
            if len(some) == LINES_AT_ONCE:
                self._take(kind, some)
                some = []
        if some:
            self._take(kind, some)

    def _take(self, kind: Kind, lines: list[Numbered]) -> None:
        """Take lines together; where one is in the way, halve by halve until it stands alone."""
        plain: list[Mapping[str, Any]] = [line.line for line in lines]
        try:
            self._taken[kind.name] += portable.take(self._tx, self._being, kind, self._held[kind.name], plain)
        except Unfit as fault:
            if len(lines) == 1:
                self._reject(lines[0].number, fault)
                return
            self._take(kind, lines[: len(lines) // 2])
            self._take(kind, lines[len(lines) // 2 :])
        else:
            portable.untell(self._tx, self._being, kind, plain)

    def _reject(self, number: int, fault: Exception) -> None:
        self._rejected.append(LineTrouble(line=number, reason=str(fault)))


def _opening(lines: Iterator[tuple[int, bytes]]) -> BeingLine:
    try:
        _, raw = next(lines)
        return BeingLine.model_validate(read_object(raw, LINE_BYTES))
    except StopIteration:
        raise BatchRefused("The file is empty.") from None
    except LineRefused as fault:
        raise BatchRefused(f"This is no export of a Being: its first line is {fault}.") from None
    except ValidationError as fault:
        raise BatchRefused(f"This is no export of a Being. Its first line: {'; '.join(complaints(fault))}") from None
