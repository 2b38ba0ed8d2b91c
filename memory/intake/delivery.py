"""Intake from producers that wait for no answer: Redis streams and Celery tasks.

Refused items are returned with their reasons, and the caller stores them. A batch that raises an unexpected error is
bisected until the item at fault is alone, so that it blocks no other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

import structlog

from memory.intake.intake import IntakeFull, accept_messages, accept_notes
from memory.text.items import DeriveId, ItemBatchRefused
from schemas.settings import Settings
from store.accounts import users
from store.database import Store
from store.errors import StatementTimeout, StoreError, Unavailable

if TYPE_CHECKING:
    from schemas.intake import Receipt

log = structlog.get_logger()

ItemKind = Literal["notes", "messages"]


@dataclass(frozen=True)
class Delivered:
    """The outcome of a delivery.

    Attributes:
        refused: The reason for each refused position; duplicates are not refused.
        erased: The positions of items that were erased before; no copy of them may be stored.
    """

    refused: dict[int, str]
    erased: set[int] = field(default_factory=set)


def deliver(
    store: Store, settings: Settings, kind: ItemKind, being_id: UUID, items: Sequence[Any], ids: Sequence[str]
) -> Delivered:
    """Take in a delivery for one Being.

    Args:
        store: The ledger.
        settings: Thresholds of judging and patrols.
        kind: Notes or messages.
        being_id: The Being; these producers are trusted with every Being.
        items: 1 to 1,000 items as received; an exception in place of an item is refused with its text.
        ids: For each item its id, unless it has a producer's id.

    Returns:
        The refused positions, and those of items that were erased before.

    Raises:
        Unavailable: The database is unavailable; a part may have been committed, and a retry changes nothing twice.
        IntakeFull: Too many notes or messages of this Being are waiting.
        SecretMissing: No secret decrypts the key of this user's digests.
    """
    with store.transaction() as tx:
        if not users.exists(tx, being_id):
            return Delivered(dict.fromkeys(range(len(items)), "there is no Being of that id"))
    if kind == "notes":
        return _take(partial(accept_notes, store, settings, being_id), items, ids)
    return _take(partial(accept_messages, store, settings, being_id), items, ids)


def _take(accept: "partial[Receipt]", items: Sequence[Any], ids: Sequence[str]) -> Delivered:
    derive_id: DeriveId = ids.__getitem__
    try:
        receipt = accept(items, derive_id)
    except StatementTimeout:
        if len(items) == 1:
            raise
        return _take_halves(accept, items, ids)
    except (Unavailable, IntakeFull):
        raise
    except (ItemBatchRefused, StoreError) as refusal:
        return Delivered(dict.fromkeys(range(len(items)), str(refusal)))
    except Exception as fault:  # noqa: BLE001  # one item's error must not block the others
        log.warning("delivery.failed", items=len(items), fault=type(fault).__name__)
        if len(items) == 1:
            return Delivered({0: f"it could not be stored ({type(fault).__name__}), which is a fault of the server"})
        return _take_halves(accept, items, ids)
    return Delivered(
        {trouble.position: trouble.reason for trouble in receipt.rejected + receipt.conflicts}, set(receipt.erased)
    )


def _take_halves(accept: "partial[Receipt]", items: Sequence[Any], ids: Sequence[str]) -> Delivered:
    half = len(items) // 2
    first = _take(accept, items[:half], ids[:half])
    second = _take(accept, items[half:], ids[half:])
    return Delivered(
        first.refused | {half + position: reason for position, reason in second.refused.items()},
        first.erased | {half + position for position in second.erased},
    )
