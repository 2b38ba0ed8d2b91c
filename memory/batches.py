"""A batch of items as it came: each is read, or refused by its position, or answered for as a repetition.

What the doors promise (DESIGN section 10): 1 to 1,000 items of at most 64 KB, refused whole when longer; a bad item is
refused alone; the same producer id again is a duplicate, or a conflict where the content is another.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from schemas.complaints import complaints
from schemas.keepable import unkeepable
from schemas.limits import BATCH_ITEMS, ITEM_BYTES
from schemas.receipts import Receipt, Trouble
from schemas.wire import Produced

T = TypeVar("T", bound=Produced)

DeriveId = Callable[[int], str | None]
"""Makes the producer id of an item that has none, from its position; None leaves it without."""


class BatchRefused(ValueError):
    """A batch is refused whole: it holds nothing, or too much."""


class ItemRefused(ValueError):
    """One item can't be taken; the text says why, and where in it."""


@dataclass(frozen=True)
class Item(Generic[T]):
    """An item that can be taken."""

    position: int
    producer_id: str | None
    content_hash: bytes
    value: T


@dataclass(frozen=True)
class Batch(Generic[T]):
    """What was read of a batch of `size` items."""

    size: int
    items: list[Item[T]]
    rejected: list[Trouble]

    def without(self, fault: Callable[[T], str | None]) -> "Batch[T]":
        """The same, with items rejected that were read well and can't be taken: those with a fault, in words."""
        faults = {item.position: reason for item in self.items if (reason := fault(item.value)) is not None}
        rejected = [*self.rejected, *(Trouble(position=position, reason=faults[position]) for position in faults)]
        return Batch(
            self.size,
            [item for item in self.items if item.position not in faults],
            sorted(rejected, key=lambda trouble: trouble.position),
        )

    def unrepeated(self) -> list[Item[T]]:
        """The items to insert: of those that share a producer id, the first."""
        first: dict[str, int] = {}
        return [
            item
            for item in self.items
            if item.producer_id is None or first.setdefault(item.producer_id, item.position) == item.position
        ]

    def producer_ids(self, *, apart_from: Collection[int] = ()) -> list[str]:
        """The producer ids of the items, each once, without those at some positions."""
        ids = (item.producer_id for item in self.items if item.position not in apart_from)
        return list({id_: None for id_ in ids if id_ is not None})

    def receipt(self, inserted: Mapping[int, UUID], known: Mapping[str, tuple[UUID, bytes]]) -> Receipt:
        """Answer for each item.

        Args:
            inserted: The id given to each position that went in.
            known: The id and content hash kept under each producer id.
        """
        ids: list[UUID | None] = [None] * self.size
        duplicates = 0
        conflicts: list[Trouble] = []
        for item in self.items:
            if item.position in inserted:
                ids[item.position] = inserted[item.position]
                continue
            ids[item.position], kept = known[str(item.producer_id)]
            if kept == item.content_hash:
                duplicates += 1
            else:
                conflicts.append(
                    Trouble(position=item.position, reason="this id is known with other content, which stays")
                )
        return Receipt(
            accepted=len(inserted), duplicates=duplicates, conflicts=conflicts, rejected=self.rejected, ids=ids
        )


def read_batch(
    items: Sequence[Any],
    adapter: TypeAdapter[T],
    derive_id: DeriveId,
) -> Batch[T]:
    """Read items one by one.

    Args:
        items: As they came. An item that is an exception was no item at all, and is rejected with its text.
        adapter: What an item must be.
        derive_id: Gives items without an id one, so that sending them again changes nothing.

    Raises:
        BatchRefused: There is no item, or more than 1,000; nothing was read.
    """
    if not items:
        raise BatchRefused("The batch is empty: send at least one item.")
    if len(items) > BATCH_ITEMS:
        raise BatchRefused(
            f"The batch holds {len(items)} items, and {BATCH_ITEMS} is the most: nothing was taken, send it in parts."
        )
    read: list[Item[T]] = []
    rejected: list[Trouble] = []
    for position, item in enumerate(items):
        try:
            value = _read(item, adapter)
        except ItemRefused as refusal:
            rejected.append(Trouble(position=position, reason=str(refusal)))
        else:
            hashed = hashlib.sha256(_canonical(value.model_dump(mode="json", exclude={"id"}))).digest()
            read.append(Item(position, value.id or derive_id(position), hashed, value))
    return Batch(len(items), read, rejected)


def _read(item: Any, adapter: TypeAdapter[T]) -> T:
    if isinstance(item, Exception):
        raise ItemRefused(str(item))
    try:
        size = len(_canonical(item))
        faults = list(unkeepable(item))
    except RecursionError:
        raise ItemRefused("it is nested too deeply") from None
    if size > ITEM_BYTES:
        raise ItemRefused(f"it is {size} bytes of JSON, and {ITEM_BYTES} is the most")
    if faults:
        raise ItemRefused("; ".join(faults))
    try:
        return adapter.validate_python(item)
    except ValidationError as error:
        raise ItemRefused("; ".join(complaints(error))) from None


def _canonical(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(errors="surrogatepass")
