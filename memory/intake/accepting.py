"""The common part of the intake of notes and of messages: turns, limits, and rows for the new items of a batch."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import attrgetter
from typing import Any, TypeVar
from uuid import UUID

from memory.text.items import Item, ItemBatch, Versions
from schemas.intake.inputs import (
    Produced,
)
from schemas.limits import BULK_ITEMS
from store.database import Store
from store.transaction import Transaction, new_ids

T = TypeVar("T", bound=Produced)
R = TypeVar("R")

# Counting this many waiting items takes about a millisecond.
CHEAP_TO_COUNT = 1000


class IntakeFull(Exception):
    """Too many notes or messages of the Being are waiting; a later retry may succeed."""


def is_bulk(items: Sequence[Any]) -> bool:
    """Return whether a batch is bulk, which is processed after live input."""
    return len(items) > BULK_ITEMS


def turn_for(store: Store, items: Sequence[Any]) -> AbstractContextManager[None]:
    """Return a context in which a bulk batch has its turn of this process; other batches do not wait."""
    return store.bulk.turn() if is_bulk(items) else nullcontext()


def is_full(most: int, count: Callable[[int], int], *, bulk: bool) -> bool:
    """Return whether `most` items are waiting; `count` counts up to a number of them.

    Counting takes longer the more items wait. Backlogs come from bulk, where the count costs little beside the batch;
    so that single items do not pay for it, a limit above `CHEAP_TO_COUNT` is checked for bulk only.
    """
    if not bulk and most > CHEAP_TO_COUNT:
        return False
    return count(most) >= most


def keep(
    tx: Transaction,
    being_id: UUID,
    batch: ItemBatch[T],
    row_of: Callable[[Item[T], UUID], R],
    insert: Callable[[Transaction, UUID, Sequence[R]], Collection[UUID]],
    known: Callable[[Transaction, UUID, Sequence[str]], Mapping[str, Versions]],
    order: Callable[[Item[T]], Any] = attrgetter("position"),
    *,
    ids: Mapping[int, UUID] | None = None,
) -> tuple[dict[int, UUID], Mapping[str, Versions]]:
    """Insert the new items of a batch; returns their ids by position, and the stored versions of the other ids.

    New ids sort as `order` says, by default as the items came in; `ids` has those of positions that have one already.
    """
    fresh = sorted(batch.unrepeated(), key=order)
    new = (
        ids
        if ids is not None
        else {item.position: id_ for item, id_ in zip(fresh, new_ids(tx, len(fresh)), strict=True)}
    )
    kept = insert(tx, being_id, [row_of(item, new[item.position]) for item in fresh])
    inserted = {position: id_ for position, id_ in new.items() if id_ in kept}
    return inserted, known(tx, being_id, batch.producer_ids(apart_from=inserted))
