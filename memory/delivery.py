"""Deliveries: what producers leave at a door without waiting for an answer.

Nobody stands there to be told, so what can't be taken comes back with its reason for whoever keeps it, and what makes
the ledger stumble is bisected until it stands alone: nothing waits behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from uuid import UUID

import structlog

from memory.batches import BatchRefused, DeriveId
from memory.intake import Accepted, DoorFull, accept_messages, accept_notes
from schemas.settings import Settings
from schemas.work import Ring
from store import users
from store.database import Store
from store.errors import StoreError, Unavailable

log = structlog.get_logger()

What = Literal["notes", "messages"]


@dataclass(frozen=True)
class Delivered:
    """What became of a delivery: `refused` tells why of each position that changed nothing, repetitions left out."""

    rings: list[Ring]
    refused: dict[int, str]


def deliver(
    store: Store, settings: Settings, what: What, being_id: UUID, items: Sequence[Any], ids: Sequence[str]
) -> Delivered:
    """Take a delivery for one Being in.

    Args:
        store: The ledger.
        settings: When a patrol is due.
        what: What the items are.
        being_id: Whose they are, as the producer says, who is trusted with every Being.
        items: 1 to 1,000 items as they came; an exception was no item, and is refused with its text.
        ids: For each item the id that it has unless it brings its own.

    Returns:
        What to ring for, and what was refused.

    Raises:
        Unavailable: The database is out of reach; what was taken until then is taken, and the same again is harmless.
        DoorFull: So much of this Being waits that no more is taken for now.
    """
    with store.transaction() as tx:
        if not users.exists(tx, being_id):
            return Delivered([], dict.fromkeys(range(len(items)), "there is no Being of that id"))
    if what == "notes":
        return _take(partial(accept_notes, store, settings, being_id), items, ids)
    return _take(partial(accept_messages, store, settings, being_id), items, ids)


def _take(accept: "partial[Accepted]", items: Sequence[Any], ids: Sequence[str]) -> Delivered:
    derive_id: DeriveId = ids.__getitem__
    try:
        accepted = accept(items, derive_id)
    except (Unavailable, DoorFull):
        raise
    except (BatchRefused, StoreError) as refusal:
        return Delivered([], dict.fromkeys(range(len(items)), str(refusal)))
    except Exception as fault:  # noqa: BLE001  # whatever one item does to the ledger, the others are to be taken
        log.warning("delivery.stumbled", items=len(items), fault=type(fault).__name__)
        if len(items) == 1:
            return Delivered([], {0: f"it could not be kept ({type(fault).__name__}), which is a fault of the server"})
        half = len(items) // 2
        first = _take(accept, items[:half], ids[:half])
        second = _take(accept, items[half:], ids[half:])
        moved = {half + position: reason for position, reason in second.refused.items()}
        return Delivered([*first.rings, *second.rings], first.refused | moved)
    receipt = accepted.receipt
    return Delivered(
        accepted.rings, {trouble.position: trouble.reason for trouble in receipt.rejected + receipt.conflicts}
    )
