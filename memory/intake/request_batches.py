"""Takes in the messages of several requests in one transaction, each with the outcome that it would have alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.intake.accepting import IntakeFull
from memory.intake.messages import read_messages, take_messages
from memory.text.items import DeriveId, ItemBatch, ItemBatchRefused
from schemas.errors import NotFound, Unavailable
from schemas.intake.inputs import MessageInput
from schemas.intake.notes import Receipt
from schemas.settings import Settings
from store.database import Store

# Faults that refuse all of these requests: the Being is full or gone, or the database is down, or a secret is missing.
OF_ALL = (IntakeFull, NotFound, Unavailable)


@dataclass(frozen=True)
class MessageRequest:
    """The messages of one request, at most 100, as received; `derive_id` as in `accept_messages`."""

    items: Sequence[Any]
    derive_id: DeriveId


def accept_together(
    store: Store, settings: Settings, being_id: UUID, sent: Sequence[MessageRequest], *, paid_by: UUID | None = None
) -> list[Receipt | Exception]:
    """Take in the messages of several requests for one Being, in their order.

    Args:
        store: The ledger.
        settings: Thresholds of judging.
        being_id: The Being.
        sent: The messages of each request.
        paid_by: The id of the key that came with each of these requests, if one did.

    Returns:
        For each request the receipt, or the exception that `accept_messages` would raise; accepted messages are
        committed.
    """
    outcomes: list[Receipt | Exception] = []
    fault: Exception | None = None
    for group in _disjoint([_read(each) for each in sent]):
        if fault is None:
            taken = _taken(store, settings, being_id, group, paid_by)
            fault = next((outcome for outcome in taken if isinstance(outcome, OF_ALL)), None)
            outcomes += taken
        else:
            outcomes += [fault] * len(group)
    return outcomes


def _read(sent: MessageRequest) -> ItemBatch[MessageInput] | ItemBatchRefused:
    try:
        return read_messages(sent.items, sent.derive_id)
    except ItemBatchRefused as refusal:
        return refusal


def _disjoint(
    batches: Sequence[ItemBatch[MessageInput] | ItemBatchRefused],
) -> Iterator[list[ItemBatch[MessageInput] | ItemBatchRefused]]:
    """Yield the batches in groups, in their order; no two of a group have a producer id in common."""
    group: list[ItemBatch[MessageInput] | ItemBatchRefused] = []
    ids: set[str] = set()
    for batch in batches:
        own = set(batch.producer_ids()) if isinstance(batch, ItemBatch) else set()
        if not ids.isdisjoint(own):
            yield group
            group, ids = [], set()
        group.append(batch)
        ids |= own
    yield group


def _taken(
    store: Store,
    settings: Settings,
    being_id: UUID,
    group: Sequence[ItemBatch[MessageInput] | ItemBatchRefused],
    paid_by: UUID | None,
) -> list[Receipt | Exception]:
    batches = [batch for batch in group if isinstance(batch, ItemBatch)]
    receipts: Iterator[Receipt | Exception]
    try:
        with store.transaction() as tx:
            taken = take_messages(tx, settings, being_id, batches, bulk=False, paid_by=paid_by) if batches else []
        receipts = iter(taken)
    except Exception as fault:  # noqa: BLE001  # each is raised to the request that it refuses
        if len(batches) > 1 and not isinstance(fault, OF_ALL):
            # One request's messages must not fail another's.
            receipts = iter([_taken(store, settings, being_id, [batch], paid_by)[0] for batch in batches])
        else:
            receipts = iter([fault] * len(batches))
    return [next(receipts) if isinstance(batch, ItemBatch) else batch for batch in group]
