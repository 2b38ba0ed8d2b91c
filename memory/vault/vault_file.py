"""Imports and exports the vault as the seed's `vault.jsonl`, one version a line, without loss.

An invalid line is reported by its number, and the others are imported. A tombstone is imported without the text and
labels that the seed repeats in it. Lines pass gates 1 to 5; capacity and near-duplicates are not checked. An import
stops after 1,000 invalid lines, which keeps its answer short.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import IO

from pydantic import ValidationError

from memory.erased import known_erased
from memory.text.json_lines import LineRefused, numbered, read_object
from memory.vault.gates import GateRefused, check_fields, check_record
from memory.vault.scopes import chosen, visible
from schemas.accounts.accounts import Being
from schemas.limits import ITEM_BYTES, REJECTED_LINES
from schemas.settings import Settings
from schemas.text.validation_messages import validation_messages
from schemas.vault.lines import RejectedLine, VaultImport, VaultLine
from schemas.vault.records import VaultRecord
from store import clock, vault
from store.database import Store

LINES_PER_TRANSACTION = 200

Numbered = tuple[int, VaultLine]


def export_lines(store: Store, being: Being, scope: str | None = None, *, muted: bool = True) -> Iterator[str]:
    """Write all versions in the scopes of a Being, tombstones too, in the order in which they were stored.

    Those of muted records are written with `muted`.

    Raises:
        InvalidRequest: The Being may not use that scope.
    """
    return _pages(store, being, chosen(being, [scope] if scope else None), muted=muted)


def import_lines(store: Store, settings: Settings, being: Being, file: IO[bytes]) -> VaultImport:
    """Import the versions of a file, one a line. Importing the same file again changes nothing.

    Args:
        settings: The key by which erased records are recognised.
        being: The vault's Being: lines are of its own scope or of the shared one.
        file: Lines of JSON in UTF-8, with the seed's defaults for missing fields.

    Raises:
        NotFound: The Being no longer exists.
        SecretMissing: Without the key, erased records cannot be recognised.
    """
    rejections = _Rejections()
    erased: list[int] = []
    imported = known = 0
    lines = _read_all(file, being, rejections)
    while some := list(islice(lines, LINES_PER_TRANSACTION)):
        fresh, old, gone = _take(store, settings, being, some, rejections.reject)
        imported, known = imported + fresh, known + old
        erased += gone
    rejected = sorted(rejections.rejected, key=lambda line: line.line)
    return VaultImport(
        imported=imported, known=known, erased=erased, rejected=rejected, stopped_at=rejections.stopped_at
    )


class _Rejections:
    """The rejected lines."""

    def __init__(self) -> None:
        self.rejected: list[RejectedLine] = []
        self.stopped_at: int | None = None

    def reject(self, number: int, fault: Exception) -> None:
        self.rejected.append(RejectedLine(line=number, reason=str(fault)))

    def stop_at(self, number: int) -> bool:
        """Returns true if this line is not read, because too many were rejected."""
        if len(self.rejected) >= REJECTED_LINES:
            self.stopped_at = number
        return self.stopped_at is not None


def _pages(store: Store, being: Being, scopes: Sequence[str], *, muted: bool) -> Iterator[str]:
    last = -1
    while True:
        page = store.run(vault.page, being, scopes, muted=muted, after=last, limit=LINES_PER_TRANSACTION)
        if not page:
            return
        yield from (_written(record) for _, record in page)
        last = page[-1][0]


def _written(record: VaultRecord) -> str:
    """A line of the seed's format; `forced_over`, which the seed does not know, only if it is set."""
    return record.model_dump_json(exclude={"forced_over"} if record.forced_over is None else None) + "\n"


def _read_all(file: IO[bytes], being: Being, rejections: _Rejections) -> Iterator[Numbered]:
    """Validate each line by itself; of several lines with one version, take the first."""
    first_at: dict[tuple[str, int], int] = {}
    for number, raw in numbered(file, ITEM_BYTES):
        if rejections.stop_at(number):
            return
        try:
            line = _read(raw, being)
        except (LineRefused, GateRefused) as fault:
            rejections.reject(number, fault)
            continue
        first = first_at.setdefault((line.id, line.version), number)
        if first == number:
            yield number, line
        else:
            rejections.reject(number, LineRefused(f"line {first} has the same version {line.version} of this record"))


def _read(raw: bytes, being: Being) -> VaultLine:
    try:
        line = VaultLine.model_validate(read_object(raw, ITEM_BYTES))
    except ValidationError as fault:
        raise LineRefused("; ".join(validation_messages(fault))) from None
    labels = [line.category, line.topic_id, *line.tags]
    scopes = visible(being)
    if line.deleted_at is not None:
        check_fields(scope=line.scope, tier=line.tier, source=line.source, scopes=scopes)
        return line.without_words()
    check_record(line.text, scope=line.scope, tier=line.tier, source=line.source, labels=labels, scopes=scopes)
    return line


def _take(
    store: Store,
    settings: Settings,
    being: Being,
    lines: Sequence[Numbered],
    reject: Callable[[int, Exception], None],
) -> tuple[int, int, list[int]]:
    """Append those of these lines that are new.

    Returns:
        The number of new lines, the number of known lines, and the numbers of lines that were erased before.
    """
    ids = list({line.id for _, line in lines})
    known = 0
    with store.transaction() as tx:
        vault.lock_scopes(tx, being, visible(being))
        now = clock.now(tx)
        erased_before = known_erased.for_vault(tx, settings, being.user_id, being.being_id)
        erased = (
            erased_before.among(tx, {number: erased_before.of_record(line.id, line.text) for number, line in lines})
            if erased_before
            else set()
        )
        merge = _VersionMerge(
            vault.versions(tx, being, ids),
            vault.live(tx, being, visible(being)),
            vault.ids_of_other_scopes(tx, being, ids),
        )
        for number, line in lines:
            if number in erased:
                continue
            record = VaultRecord.model_validate(line.model_dump() | {"created_at": line.created_at or now})
            try:
                known += not merge.take(record, dated=line.created_at is not None)
            except LineRefused as fault:
                reject(number, fault)
        vault.append(tx, being, merge.appended)
    return len(merge.appended), known, sorted(erased)


class _VersionMerge:
    """Merges imported versions with the stored ones: by id and version, and one live record a topic."""

    def __init__(self, kept: Iterable[VaultRecord], live: Iterable[VaultRecord], elsewhere: set[str]) -> None:
        self.appended: list[VaultRecord] = []
        self._kept = {(record.id, record.version): record for record in kept}
        self._newest = {record.id: record for record in self._kept.values()}
        self._topics = {(record.scope, record.topic_id): record.id for record in live if record.topic_id is not None}
        self._elsewhere = elsewhere

    def take(self, record: VaultRecord, *, dated: bool) -> bool:
        """Append a version; returns false if the same version is stored already.

        Raises:
            LineRefused: The version contradicts a stored one.
        """
        same = self._kept.get((record.id, record.version))
        if same is not None:
            if record == (same if dated else same.model_copy(update={"created_at": record.created_at})):
                return False
            raise LineRefused(f"version {record.version} of this record is stored with other content, which stays")
        newest = self._newest.get(record.id)
        if record.id in self._elsewhere or (newest is not None and newest.scope != record.scope):
            raise LineRefused("this id is a record of another scope: give it another")
        if newest is None or newest.version < record.version:
            self._become_newest(record, newest)
        self.appended.append(record)
        return True

    def _become_newest(self, record: VaultRecord, before: VaultRecord | None) -> None:
        topic = (record.scope, record.topic_id) if record.topic_id is not None and record.deleted_at is None else None
        holder = record.id if topic is None else self._topics.get(topic, record.id)
        if holder != record.id:
            raise LineRefused(f"the live record {holder} has the same topic: delete it, or change the topic")
        left = before and before.topic_id and (before.scope, before.topic_id)
        if left and self._topics.get(left) == record.id:
            del self._topics[left]
        if topic is not None:
            self._topics[topic] = record.id
        self._newest[record.id] = record
