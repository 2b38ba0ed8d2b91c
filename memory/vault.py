"""Writing to the vault: durable, gated, versioned statements, of one Being or shared by all of its user's.

Whoever writes to a scope holds it until the versions are committed, so that two writers of one register make one record
and lose no write, and of two near-duplicates at the same instant one is refused.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from pydantic import ValidationError

from memory.batches import BatchRefused
from memory.questions import BadQuestion
from memory.vault_gates import GateRefused
from memory.vault_scopes import chosen, visible
from memory.vault_shelf import Rules, Shelf
from schemas.complaints import complaints
from schemas.limits import BATCH_ITEMS
from schemas.rows import Being
from schemas.settings import Settings
from schemas.vault import (
    Compacted,
    Deleted,
    NewRecord,
    RecordChanges,
    Refusal,
    TopicText,
    VaultReceipt,
    VaultRecord,
)
from store import clock, vault
from store.database import Store
from store.errors import NotFound
from store.transaction import Transaction

# Nobody else writes to a scope while so many are looked at.
AT_ONCE = 100
COMPACTED_AT_ONCE = 500

Keys = Callable[[int], str | None]
"""Gives the item at a position a key of its sender's, by which its repetition is known; None leaves it without."""


def add_memory(store: Store, settings: Settings, being: Being, new: NewRecord) -> VaultRecord:
    """Add a record, or write to the register of its topic.

    Raises:
        GateRefused: A gate stopped it; the text says which, why, and what to do instead.
        NotFound: The Being is gone.
    """
    with writing(store, settings, being, _scopes(being, [new])) as (_, shelf):
        record, _ = shelf.add(new)
        return record


def update_by_topic(store: Store, settings: Settings, being: Being, topic_id: str, said: TopicText) -> VaultRecord:
    """Write to the register of a topic, or make it.

    Raises:
        BadQuestion: The topic is no name for one.
        GateRefused: A gate stopped it; the text says which, why, and what to do instead.
        NotFound: The Being is gone.
    """
    given = {name: value for name, value in said.model_dump().items() if value is not None}
    try:
        new = NewRecord(tier="register", topic_id=topic_id, **given)
    except ValidationError as error:
        raise BadQuestion("; ".join(complaints(error))) from None
    return add_memory(store, settings, being, new)


def bulk_add(
    store: Store, settings: Settings, being: Being, items: Sequence[Any], key_of: Keys = lambda _: None
) -> VaultReceipt:
    """Add records, each as if it were alone.

    Args:
        store: The ledger.
        settings: How many records a scope holds.
        being: Whose vault it is.
        items: 1 to 1,000 records as they came; what they must be is `NewRecord`.
        key_of: Gives items keys: an item whose key is known changes nothing.

    Returns:
        What became of each item.

    Raises:
        BatchRefused: There is no item, or more than 1,000; nothing was added.
        NotFound: The Being is gone.
    """
    if not items:
        raise BatchRefused("The batch is empty: send at least one record.")
    if len(items) > BATCH_ITEMS:
        raise BatchRefused(
            f"The batch holds {len(items)} records, and {BATCH_ITEMS} is the most: nothing was added, send it in parts."
        )
    tally = _Tally(len(items))
    read = [(position, new) for position, item in enumerate(items) if (new := _read(position, item, tally))]
    rest = iter(read)
    while some := list(islice(rest, AT_ONCE)):
        keys = {position: key for position, _ in some if (key := key_of(position)) is not None}
        with writing(store, settings, being, _scopes(being, [new for _, new in some])) as (tx, shelf):
            _add_some(tx, being, shelf, some, keys, tally)
    return tally.receipt()


def update_memory(
    store: Store, settings: Settings, being: Being, record_id: str, changes: RecordChanges
) -> VaultRecord:
    """Change what a record says.

    Raises:
        NotFound: No such record lives in this Being's vault.
        GateRefused: One of the gates 1 to 5 stopped it.
    """
    with _writing_to(store, settings, being, [record_id]) as shelf:
        return shelf.update(record_id, changes)


def promote_to_canon(
    store: Store, settings: Settings, being: Being, record_id: str, canonical_text: str | None = None
) -> VaultRecord:
    """Make a register canon, in other words if they are given.

    Raises:
        NotFound: No such record lives in this Being's vault.
        Refused: It is canon already.
        GateRefused: One of the gates 1 to 5 stopped the text.
    """
    with _writing_to(store, settings, being, [record_id]) as shelf:
        return shelf.promote(record_id, canonical_text)


def delete_memory(store: Store, settings: Settings, being: Being, record_id: str) -> VaultRecord:
    """End a record; returns its tombstone.

    Raises:
        NotFound: No such record lives in this Being's vault.
    """
    with _writing_to(store, settings, being, [record_id]) as shelf:
        return shelf.delete(record_id)


def bulk_delete(store: Store, settings: Settings, being: Being, ids: Sequence[str]) -> Deleted:
    """End all of these records that live, at once."""
    deleted: list[str] = []
    missing: list[str] = []
    with _writing_to(store, settings, being, ids) as shelf:
        for record_id in dict.fromkeys(ids):
            try:
                deleted.append(shelf.delete(record_id).id)
            except NotFound:
                missing.append(record_id)
    return Deleted(deleted=deleted, missing=missing)


def compact(store: Store, settings: Settings, being: Being, scope: str | None = None) -> Compacted:
    """Remove superseded versions and old tombstones of one scope, or of all that the Being sees.

    What is read stays the same. Each step is a transaction of its own: it can be stopped anywhere, and called again.

    Raises:
        BadQuestion: The Being does not see that scope.
    """
    removed = 0
    for each in chosen(being, [scope] if scope else None):
        ids = COMPACTED_AT_ONCE
        while ids == COMPACTED_AT_ONCE:
            with store.transaction() as tx:
                vault.hold(tx, being, [each])
                ids, records = vault.compact(tx, being, each, keep=settings.vault_tombstones, limit=COMPACTED_AT_ONCE)
            removed += records
    return Compacted(removed=removed)


@contextmanager
def writing(
    store: Store, settings: Settings, being: Being, scopes: Sequence[str]
) -> Iterator[tuple[Transaction, Shelf]]:
    """Hold scopes and write to them: what the block has put on the shelf is committed at its end."""
    with store.transaction() as tx:
        vault.hold(tx, being, scopes)
        rules = Rules(visible(being), settings.vault_capacity, vault.profile(tx, being).similarity_threshold)
        shelf = Shelf(vault.live(tx, being, scopes), rules, clock.now(tx))
        yield tx, shelf
        vault.append(tx, being, shelf.appended)


@contextmanager
def _writing_to(store: Store, settings: Settings, being: Being, ids: Sequence[str]) -> Iterator[Shelf]:
    """Write to the scopes in which these records are, and where they will always be."""
    with store.transaction() as tx:
        scopes = vault.homes(tx, being, ids)
    with writing(store, settings, being, [*scopes]) as (_, shelf):
        yield shelf


class _Tally:
    """What becomes of a batch of `size` items."""

    def __init__(self, size: int) -> None:
        self.counts = {"added": 0, "updated": 0, "repeated": 0}
        self.rejected: list[Refusal] = []
        self.records: list[VaultRecord | None] = [None] * size

    def reject(self, position: int, fault: Exception) -> None:
        told = fault.told() if isinstance(fault, GateRefused) else {"rule": str(fault)}
        self.rejected.append(Refusal.model_validate({"position": position, **told}))

    def receipt(self) -> VaultReceipt:
        rejected = sorted(self.rejected, key=lambda refusal: refusal.position)
        return VaultReceipt(**self.counts, rejected=rejected, records=self.records)


def _add_some(
    tx: Transaction,
    being: Being,
    shelf: Shelf,
    items: Sequence[tuple[int, NewRecord]],
    keys: Mapping[int, str],
    tally: _Tally,
) -> None:
    """Add items to held scopes, and keep what their keys stand for."""
    known = vault.receipts(tx, being.being_id, list(keys.values()))
    before = {record.id: record for record in vault.kept(tx, being, [record_id for record_id, _ in known.values()])}
    fresh: list[tuple[str, str, bytes]] = []
    for position, new in items:
        key = keys.get(position)
        said = hashlib.sha256(new.model_dump_json().encode()).digest()
        if key in known:
            record_id, said_before = known[key]
            if said_before != said:
                tally.reject(position, ValueError("This key is known with other content, which stays."))
                continue
            tally.counts["repeated"] += 1
            tally.records[position] = before.get(record_id)
            continue
        try:
            record, outcome = shelf.add(new)
        except GateRefused as refusal:
            tally.reject(position, refusal)
            continue
        tally.counts[outcome] += 1
        tally.records[position] = record
        if key is not None:
            fresh.append((key, record.id, said))
    vault.keep_receipts(tx, being.being_id, fresh)


def _read(position: int, item: Any, tally: _Tally) -> NewRecord | None:
    try:
        return NewRecord.model_validate(item)
    except ValidationError as error:
        tally.reject(position, ValueError("; ".join(complaints(error))))
        return None


def _scopes(being: Being, new: Sequence[NewRecord]) -> list[str]:
    """The scopes that these are for; what there is not, a gate will refuse."""
    return sorted({each.scope or being.slug for each in new} & {*visible(being)})
