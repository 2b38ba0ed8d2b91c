"""The vault as the seed's `vault.jsonl`: one version a line, in and out without loss.

A line that can't be taken is reported by its number and stops no other. Lines pass the gates that look at a record
alone; the vault's fullness and near-duplicates are the business of who wrote the file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import IO

from pydantic import ValidationError

from memory.lines import LineRefused, numbered, read_object
from memory.vault_gates import GateRefused, pass_alone
from memory.vault_scopes import chosen, visible
from schemas.complaints import complaints
from schemas.limits import ITEM_BYTES
from schemas.rows import Being
from schemas.vault import Imported, LineTrouble, VaultLine, VaultRecord
from store import clock, vault
from store.database import Store

LINES_AT_ONCE = 200

Numbered = tuple[int, VaultLine]


def export_lines(store: Store, being: Being, scope: str | None = None) -> Iterator[str]:
    """Write every version that a Being sees, tombstones too, in the order in which they came in.

    Raises:
        BadQuestion: The Being does not see that scope.
    """
    return _pages(store, being, chosen(being, [scope] if scope else None))


def import_lines(store: Store, being: Being, file: IO[bytes]) -> Imported:
    """Take in the versions that a file holds, a line each. To take the same file in again changes nothing.

    Args:
        store: The ledger.
        being: Whose vault it is: lines are of its own scope, or of the shared one.
        file: Lines of JSON in UTF-8, with the seed's defaults for the fields that they leave out.

    Raises:
        NotFound: The Being is gone.
    """
    rejected: list[LineTrouble] = []

    def reject(number: int, fault: Exception) -> None:
        rejected.append(LineTrouble(line=number, reason=str(fault)))

    first_at: dict[tuple[str, int], int] = {}
    imported = known = 0
    lines = _read_all(file, being, first_at, reject)
    while some := list(islice(lines, LINES_AT_ONCE)):
        fresh, old = _take(store, being, some, reject)
        imported, known = imported + fresh, known + old
    return Imported(imported=imported, known=known, rejected=sorted(rejected, key=lambda trouble: trouble.line))


def _pages(store: Store, being: Being, scopes: Sequence[str]) -> Iterator[str]:
    last = -1
    while True:
        with store.transaction() as tx:
            page = vault.page(tx, being, scopes, after=last, limit=LINES_AT_ONCE)
        if not page:
            return
        yield from (record.model_dump_json() + "\n" for _, record in page)
        last = page[-1][0]


def _read_all(
    file: IO[bytes], being: Being, first_at: dict[tuple[str, int], int], reject: Callable[[int, Exception], None]
) -> Iterator[Numbered]:
    """Read each line by itself; of lines that hold one version the first."""
    for number, raw in numbered(file, ITEM_BYTES):
        try:
            line = _read(raw, being)
        except (LineRefused, GateRefused) as fault:
            reject(number, fault)
            continue
        first = first_at.setdefault((line.id, line.version), number)
        if first == number:
            yield number, line
        else:
            reject(number, LineRefused(f"version {line.version} of this record stands in line {first} already"))


def _read(raw: bytes, being: Being) -> VaultLine:
    try:
        line = VaultLine.model_validate(read_object(raw, ITEM_BYTES))
    except ValidationError as fault:
        raise LineRefused("; ".join(complaints(fault))) from None
    labels = [line.category, line.topic_id, *line.tags]
    scopes = visible(being)
    pass_alone(line.text, scope=line.scope, tier=line.tier, source=line.source, labels=labels, scopes=scopes)
    return line


def _take(
    store: Store, being: Being, lines: Sequence[Numbered], reject: Callable[[int, Exception], None]
) -> tuple[int, int]:
    """Append what is new of these lines; returns how many are, and how many had been here."""
    ids = list({line.id for _, line in lines})
    known = 0
    with store.transaction() as tx:
        vault.hold(tx, being, visible(being))
        now = clock.now(tx)
        desk = _Desk(vault.kept(tx, being, ids), vault.live(tx, being, visible(being)), vault.elsewhere(tx, being, ids))
        for number, line in lines:
            record = VaultRecord.model_validate(line.model_dump() | {"created_at": line.created_at or now})
            try:
                known += not desk.take(record, dated=line.created_at is not None)
            except LineRefused as fault:
                reject(number, fault)
        vault.append(tx, being, desk.appended)
    return len(desk.appended), known


class _Desk:
    """What an import has to look at for some lines: the versions there are of their ids, and who has which topic."""

    def __init__(self, kept: Iterable[VaultRecord], live: Iterable[VaultRecord], elsewhere: set[str]) -> None:
        self.appended: list[VaultRecord] = []
        self._kept = {(record.id, record.version): record for record in kept}
        self._newest = {record.id: record for record in self._kept.values()}
        self._topics = {(record.scope, record.topic_id): record.id for record in live if record.topic_id is not None}
        self._elsewhere = elsewhere

    def take(self, record: VaultRecord, *, dated: bool) -> bool:
        """Append a version; False where the very same has been here.

        Raises:
            LineRefused: It can't be appended to what there is.
        """
        same = self._kept.get((record.id, record.version))
        if same is not None:
            if record == (same if dated else same.model_copy(update={"created_at": record.created_at})):
                return False
            raise LineRefused(f"version {record.version} of this record is here with other content, which stays")
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
            raise LineRefused(f"record {holder} of the same topic lives here: delete one, or change the topic")
        left = before and before.topic_id and (before.scope, before.topic_id)
        if left and self._topics.get(left) == record.id:
            del self._topics[left]
        if topic is not None:
            self._topics[topic] = record.id
        self._newest[record.id] = record
