"""Intake from producers that wait for no answer: Redis streams and Celery tasks.

Refused items are returned with their reasons, and the caller stores them. A batch that raises an unexpected error is
bisected until the item at fault is alone, so that it blocks no other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any
from uuid import UUID

import structlog

from memory.intake import retraction, room_changes
from memory.intake.accepting import IntakeFull
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.intake.off_the_record import BEING_OFF, NOT_KEPT, is_off_the_record
from memory.intake.room_messages import accept_utterances
from memory.text.items import DeriveId, ItemBatchRefused
from providers.embedders import Embedders
from providers.errors import ProviderError
from schemas.errors import Refused, StatementTimeout, StoreError, Unavailable
from schemas.intake.items import ItemKind
from schemas.ledger.acting import acting_for, crossing
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store
from store.talk import rooms

if TYPE_CHECKING:
    from schemas.intake.notes import Receipt

log = structlog.get_logger()

Apply = Callable[[Any, str], None]
"""Applies a retraction or restoration, which has an id of its own or this one."""
FAULT = "it could not be stored ({}), which is a fault of the server"


@dataclass(frozen=True)
class Address:
    """A Being or a room that items are for.

    Attributes:
        id_: Its id.
        is_room: Whether it is a room.
    """

    id_: UUID
    is_room: bool = False

    @classmethod
    def of(cls, item: dict[str, Any]) -> "Address":
        """Take the address off an item, which comes unchecked from another program.

        Raises:
            ValueError: It has none, or the address is no id; the text quotes nothing.
        """
        is_room = "room" in item and "being" not in item
        try:
            return cls(UUID(item.pop("room" if is_room else "being")), is_room)
        except (KeyError, ValueError, TypeError, AttributeError):
            raise ValueError("room: must be a room's id" if is_room else "being: must be a Being's id") from None

    @property
    def put(self) -> dict[str, str]:
        """The field of an item that has it."""
        return {"room" if self.is_room else "being": str(self.id_)}

    @property
    def logged(self) -> dict[str, str]:
        """The field of a log's line that has it."""
        return {f"{name}_id": id_ for name, id_ in self.put.items()}


@dataclass(frozen=True)
class DeliveryOutcome:
    """The outcome of a delivery.

    Attributes:
        refused: The reason for each refused position; duplicates are not refused.
        erased: The positions of items that were erased before; no copy of them may be stored.
        off_the_record: Those of the refused positions of which no copy may be stored either.
    """

    refused: dict[int, str]
    erased: set[int] = field(default_factory=set)
    off_the_record: set[int] = field(default_factory=set)


def deliver(
    store: Store,
    settings: Settings,
    embedders: Embedders,
    kind: ItemKind,
    to: Address,
    items: Sequence[Any],
    ids: Sequence[str],
) -> DeliveryOutcome:
    """Take in a delivery for one Being, or for one room.

    Args:
        store: The ledger.
        settings: Thresholds of judging and patrols.
        embedders: The embedders of this process.
        kind: Notes, or messages with retractions and restorations of messages among them. Items that are off the record
            are refused.
        to: The Being or room; these producers are trusted with every one.
        items: 1 to 1,000 items as received; an exception in place of an item is refused with its text.
        ids: For each item its id, unless it has a producer's id.

    Returns:
        The refused positions, and those of items that were erased before.

    Raises:
        Unavailable: The database is unavailable; a part may have been committed, and a retry changes nothing twice.
        IntakeFull: Too many notes or messages of this Being are waiting.
        SecretMissing: No secret decrypts the key of this user's digests.
    """
    with crossing("delivery"), store.transaction() as tx:
        room = rooms.find(tx, to.id_) if to.is_room else None
        being = None if to.is_room else beings.find_any(tx, to.id_)
    off = {place for place, item in enumerate(items) if not _is_change(kind, item) and is_off_the_record(being, item)}
    owned = room or being
    if owned is None:
        reason = f"there is no {'room' if to.is_room else 'Being'} of that id"
        return DeliveryOutcome(dict.fromkeys(range(len(items)), reason), off_the_record=off)
    if kind == "notes" and room is not None:
        reason = "a room takes messages, and no notes"
        return DeliveryOutcome(dict.fromkeys(range(len(items)), reason), off_the_record=off)
    with acting_for(owned.user_id, None if to.is_room else to.id_):
        return _delivered(store, settings, embedders, kind, to, room, items, ids, off)


def _delivered(
    store: Store,
    settings: Settings,
    embedders: Embedders,
    kind: ItemKind,
    to: Address,
    room: rooms.Place | None,
    items: Sequence[Any],
    ids: Sequence[str],
    off: set[int],
) -> DeliveryOutcome:
    apply: Apply
    if room is not None:
        accept = partial(accept_utterances, store, settings, room)
        apply = partial(room_changes.apply, store, settings, embedders, room)
    else:
        accept = partial(accept_notes if kind == "notes" else accept_messages, store, settings, to.id_)
        apply = partial(retraction.apply, store, settings, embedders, to.id_)
    delivered = DeliveryOutcome(dict.fromkeys(off, NOT_KEPT), off_the_record=off)
    rest = [place for place in range(len(items)) if place not in off]
    # In their order: a message may be retracted, and said in other words, within one delivery.
    for is_change, places in groupby(rest, lambda place: _is_change(kind, items[place])):
        run = list(places)
        some, of_these = [items[place] for place in run], [ids[place] for place in run]
        done = DeliveryOutcome(_changed(apply, some, of_these)) if is_change else _take(accept, some, of_these)
        delivered.refused.update({run[place]: reason for place, reason in done.refused.items()})
        delivered.erased.update(run[place] for place in done.erased)
        delivered.off_the_record.update(run[place] for place in done.off_the_record)
    return delivered


def _is_change(kind: ItemKind, item: Any) -> bool:
    """Whether an item retracts messages, or restores them."""
    return kind == "messages" and retraction.is_change(item)


def _changed(apply: Apply, changes: Sequence[Any], ids: Sequence[str]) -> dict[int, str]:
    """Apply retractions and restorations, each in its own transaction; returns why some were refused."""
    refused = {}
    for position, (change, id_) in enumerate(zip(changes, ids, strict=True)):
        try:
            apply(change, id_)
        except Unavailable:
            raise
        except (Refused, ProviderError) as fault:
            raise Unavailable(f"A retraction has to wait ({type(fault).__name__}).") from fault
        except (retraction.ChangeRefused, StoreError) as refusal:
            refused[position] = str(refusal)
        except Exception as fault:  # noqa: BLE001  # one item's error must not block the others
            log.warning("delivery.failed", items=1, fault=type(fault).__name__)
            refused[position] = FAULT.format(type(fault).__name__)
    return refused


def _take(accept: "partial[Receipt]", items: Sequence[Any], ids: Sequence[str]) -> DeliveryOutcome:
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
        return DeliveryOutcome(dict.fromkeys(range(len(items)), str(refusal)))
    except Exception as fault:  # noqa: BLE001  # one item's error must not block the others
        log.warning("delivery.failed", items=len(items), fault=type(fault).__name__)
        if len(items) == 1:
            return DeliveryOutcome({0: FAULT.format(type(fault).__name__)})
        return _take_halves(accept, items, ids)
    refused = {trouble.position: trouble.reason for trouble in receipt.rejected + receipt.conflicts}
    # The Being was put off the record meanwhile.
    off = set(receipt.off_the_record) | {place for place, reason in refused.items() if reason == BEING_OFF}
    return DeliveryOutcome(refused | dict.fromkeys(off, NOT_KEPT), set(receipt.erased), off)


def _take_halves(accept: "partial[Receipt]", items: Sequence[Any], ids: Sequence[str]) -> DeliveryOutcome:
    half = len(items) // 2
    first = _take(accept, items[:half], ids[:half])
    second = _take(accept, items[half:], ids[half:])
    return DeliveryOutcome(
        first.refused | {half + position: reason for position, reason in second.refused.items()},
        first.erased | {half + position for position in second.erased},
        first.off_the_record | {half + position for position in second.off_the_record},
    )
