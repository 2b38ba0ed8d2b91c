"""Many records in one request: each is added as if alone, and its idempotency key identifies a repeated one."""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from memory.text.items import DeriveId, check_number
from memory.vault.gates import GateRefused
from memory.vault.records import locked_writer, scopes_of
from memory.vault.scope_writer import ErasedBefore, ScopeWriter
from schemas.accounts.accounts import Being
from schemas.settings import Settings
from schemas.text.validation_messages import validation_messages
from schemas.vault.vault_answers import Refusal, VaultReceipt
from schemas.vault.vault_requests import NewRecord
from store import vault
from store.database import Store
from store.transaction import Transaction

if TYPE_CHECKING:
    from schemas.vault.records import VaultRecord

# Other writers of a scope wait while a transaction adds this many items.
ITEMS_PER_TRANSACTION = 100


def bulk_add(
    store: Store, settings: Settings, being: Being, items: Sequence[Any], key_of: DeriveId = lambda _: None
) -> VaultReceipt:
    """Add records, each as if it were added alone.

    Args:
        settings: The capacity of a scope.
        being: The vault's Being.
        items: 1 to 1,000 unvalidated `NewRecord`s. An exception stands for an item that could not be read, and is
            rejected with its text.
        key_of: The items' idempotency keys: an item with a known key changes nothing.

    Returns:
        The outcome of each item.

    Raises:
        ItemBatchRefused: There is no item, or there are more than 1,000; nothing was added.
        NotFound: The Being no longer exists.
    """
    check_number(items)
    builder = _ReceiptBuilder(len(items))
    read = [(position, new) for position, item in enumerate(items) if (new := _read(position, item, builder))]
    rest = iter(read)
    while some := list(islice(rest, ITEMS_PER_TRANSACTION)):
        keys = {position: key for position, _ in some if (key := key_of(position)) is not None}
        with locked_writer(store, settings, being, scopes_of(being, [new for _, new in some])) as (tx, writer):
            _add_some(tx, being, writer, some, keys, builder)
    return builder.receipt()


class _ReceiptBuilder:
    """Collects the outcomes of `size` items."""

    def __init__(self, size: int) -> None:
        self.counts = {"added": 0, "updated": 0, "repeated": 0}
        self.rejected: list[Refusal] = []
        self.erased: list[int] = []
        self.records: list[VaultRecord | None] = [None] * size

    def reject(self, position: int, fault: Exception) -> None:
        reasons = fault.as_dict() if isinstance(fault, GateRefused) else {"rule": str(fault)}
        self.rejected.append(Refusal.model_validate({"position": position, **reasons}))

    def receipt(self) -> VaultReceipt:
        rejected = sorted(self.rejected, key=lambda refusal: refusal.position)
        return VaultReceipt(**self.counts, rejected=rejected, erased=self.erased, records=self.records)


def _add_some(
    tx: Transaction,
    being: Being,
    writer: ScopeWriter,
    items: Sequence[tuple[int, NewRecord]],
    keys: Mapping[int, str],
    builder: _ReceiptBuilder,
) -> None:
    """Add items to locked scopes, and store which record each idempotency key produced."""
    known = vault.known_items(tx, being.being_id, list(keys.values()))
    before = {record.id: record for record in vault.versions(tx, being, [record_id for record_id, _ in known.values()])}
    fresh: list[tuple[str, str, bytes]] = []
    for position, new in items:
        key = keys.get(position)
        content_hash = hashlib.sha256(new.model_dump_json().encode()).digest()
        if key in known:
            record_id, known_hash = known[key]
            if known_hash != content_hash:
                builder.reject(position, ValueError("The idempotency key was used with other content, which stays."))
                continue
            builder.counts["repeated"] += 1
            builder.records[position] = before.get(record_id)
            continue
        try:
            record, outcome = writer.add(new)
        except GateRefused as refusal:
            builder.reject(position, refusal)
            continue
        except ErasedBefore:
            builder.erased.append(position)
            continue
        builder.counts[outcome] += 1
        builder.records[position] = record
        if key is not None:
            fresh.append((key, record.id, content_hash))
    vault.remember_items(tx, being.being_id, fresh)


def _read(position: int, item: Any, builder: _ReceiptBuilder) -> NewRecord | None:
    if isinstance(item, Exception):
        builder.reject(position, item)
        return None
    try:
        return NewRecord.model_validate(item)
    except ValidationError as error:
        builder.reject(position, ValueError("; ".join(validation_messages(error))))
        return None
