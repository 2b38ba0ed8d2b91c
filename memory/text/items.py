"""Validation of item batches: every item is accepted, rejected by position, or reported as a duplicate.

A batch has 1 to 1,000 items of at most 64 KB each and is refused whole when it has more; an invalid item is rejected
alone. Text that Postgres can't store is mended. A producer id that is already stored makes the item a duplicate, or a
conflict if its content differs.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from schemas.intake.inputs import Produced
from schemas.intake.notes import ItemFault, Receipt
from schemas.limits import BATCH_ITEMS, ITEM_BYTES
from schemas.text.storable import storable, surely_storable, unstorable
from schemas.text.validation_messages import bounded, validation_messages

T = TypeVar("T", bound=Produced)

DeriveId = Callable[[int], str | None]
"""Derives the producer id of an item that has none from its position; None leaves the item without one."""


Shorten = Callable[[dict[str, Any], int], dict[str, Any]]
"""Returns an item that is shorter by a number of bytes, with the names of the cut fields; or the item unchanged."""

_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))

Versions = Mapping[bytes, UUID]
"""The rows under one producer id: row ids by content hash, first that of the version that stands."""


class ItemBatchRefused(ValueError):
    """The batch is refused whole: it is empty, or has too many items."""


class TooManyItems(ItemBatchRefused):
    """The batch has more than 1,000 items; nothing of it was stored."""


class ItemRefused(ValueError):
    """One item is invalid; the message says why, and where in it."""


@dataclass(frozen=True)
class Item(Generic[T]):
    """A valid item.

    Attributes:
        position: Its place in the batch.
        producer_id: The producer's id, or a derived one.
        content_hash: The hash of the item as sent, which does not depend on limits or on the clock.
        value: The stored form of the item.
        shortened: Whether a text of it was cut to its limit.
    """

    position: int
    producer_id: str | None
    content_hash: bytes
    value: T
    shortened: bool = False


@dataclass(frozen=True)
class ItemBatch(Generic[T]):
    """A validated batch of `size` items.

    Attributes:
        size: How many items were sent.
        items: Those that are valid, and to be kept.
        rejected: Those that are not valid.
        erased: The positions of items that a person has erased before.
        off_the_record: The positions of items of which nothing is kept.
    """

    size: int
    items: list[Item[T]]
    rejected: list[ItemFault]
    erased: list[int] = field(default_factory=list)
    off_the_record: list[int] = field(default_factory=list)

    @classmethod
    def joined(cls, batches: Sequence["ItemBatch[T]"]) -> "ItemBatch[T]":
        """Return one batch of the items of all, in the order of the batches; `parted` takes it apart."""
        if len(batches) == 1:
            return batches[0]
        whole: ItemBatch[T] = cls(0, [], [])
        for batch in batches:
            behind = batch.moved(whole.size)
            whole = cls(
                whole.size + batch.size,
                whole.items + behind.items,
                whole.rejected + behind.rejected,
                whole.erased + behind.erased,
                whole.off_the_record + behind.off_the_record,
            )
        return whole

    def parted(self, sizes: Sequence[int]) -> Iterator[tuple[int, "ItemBatch[T]"]]:
        """Yield the batches of these sizes that this one was joined of, each behind the position that it began at."""
        if len(sizes) == 1:
            yield 0, self
            return
        start = 0
        for size in sizes:
            part = ItemBatch(
                size,
                [item for item in self.items if start <= item.position < start + size],
                [trouble for trouble in self.rejected if start <= trouble.position < start + size],
                [position for position in self.erased if start <= position < start + size],
                [position for position in self.off_the_record if start <= position < start + size],
            )
            yield start, part.moved(-start)
            start += size

    def moved(self, by: int) -> "ItemBatch[T]":
        """Return a copy with all positions larger by `by`."""
        return replace(
            self,
            items=[replace(item, position=item.position + by) for item in self.items],
            rejected=[trouble.model_copy(update={"position": trouble.position + by}) for trouble in self.rejected],
            erased=[position + by for position in self.erased],
            off_the_record=[position + by for position in self.off_the_record],
        )

    def without(self, fault: Callable[[T], str | None]) -> "ItemBatch[T]":
        """Return a copy that rejects each item for which `fault` returns a reason."""
        return self.rejecting(
            {item.position: reason for item in self.items if (reason := fault(item.value)) is not None}
        )

    def rejecting(self, faults: Mapping[int, str]) -> "ItemBatch[T]":
        """Return a copy that rejects the items at these positions, each for its reason."""
        rejected = [*self.rejected, *(ItemFault(position=position, reason=faults[position]) for position in faults)]
        return replace(
            self,
            items=[item for item in self.items if item.position not in faults],
            rejected=sorted(rejected, key=lambda trouble: trouble.position),
        )

    def without_erased(self, positions: Collection[int]) -> "ItemBatch[T]":
        """Return a copy without the items at these positions, which a person has erased before."""
        return replace(
            self, items=[item for item in self.items if item.position not in positions], erased=sorted(positions)
        )

    def without_off_the_record(self, positions: Collection[int]) -> "ItemBatch[T]":
        """Return a copy without the items at these positions, which are off the record."""
        kept = [item for item in self.items if item.position not in positions]
        return replace(self, items=kept, off_the_record=sorted(positions))

    def unrepeated(self) -> list[Item[T]]:
        """Return the items to insert: the first of those that share a producer id."""
        first: dict[str, int] = {}
        return [
            item
            for item in self.items
            if item.producer_id is None or first.setdefault(item.producer_id, item.position) == item.position
        ]

    def producer_ids(self, *, apart_from: Collection[int] = ()) -> list[str]:
        """Return the distinct producer ids of the items, without those at the positions `apart_from`."""
        ids = (item.producer_id for item in self.items if item.position not in apart_from)
        return list({id_: None for id_ in ids if id_ is not None})

    def receipt(self, inserted: Mapping[int, UUID], known: Mapping[str, Versions]) -> Receipt:
        """Build the receipt that reports on each item.

        Args:
            inserted: The row id of each inserted position.
            known: The stored versions under each producer id.
        """
        ids: list[UUID | None] = [None] * self.size
        duplicates = 0
        conflicts: list[ItemFault] = []
        for item in self.items:
            if item.position in inserted:
                ids[item.position] = inserted[item.position]
                continue
            versions = known[str(item.producer_id)]
            ids[item.position] = versions.get(item.content_hash, next(iter(versions.values())))
            if item.content_hash in versions:
                duplicates += 1
            else:
                conflicts.append(
                    ItemFault(
                        position=item.position,
                        reason="this id is known with other content, which stays",
                    )
                )
        return Receipt(
            accepted=len(inserted),
            duplicates=duplicates,
            conflicts=conflicts,
            rejected=self.rejected,
            erased=self.erased,
            off_the_record=self.off_the_record,
            shortened=[item.position for item in self.items if item.shortened],
            ids=ids,
        )


def read_items(
    items: Sequence[Any],
    adapter: TypeAdapter[T],
    derive_id: DeriveId,
    shorten: Shorten = lambda item, _: item,
) -> ItemBatch[T]:
    """Validate the items of a batch one by one.

    Args:
        items: The parsed items. An exception stands for an item that could not be parsed; it is rejected with its text.
        adapter: The schema of an item.
        derive_id: Derives ids for items without one, which makes resending them idempotent.
        shorten: Cuts the texts of an item to their limits; by default an item that is too long is rejected.

    Raises:
        ItemBatchRefused: There is no item, or more than 1,000.
    """
    check_number(items)
    read: list[Item[T]] = []
    rejected: list[ItemFault] = []
    for position, item in enumerate(items):
        try:
            sent, kept, value = _read(item, adapter, shorten)
        except ItemRefused as refusal:
            rejected.append(ItemFault(position=position, reason=str(refusal)))
        else:
            content = value.content_fields()
            if shortened := kept is not sent:
                content |= {name: sent[name] for name in kept if kept[name] != sent[name]}
            hashed = hashlib.sha256(_canonical(content).encode()).digest()
            read.append(Item(position, value.id or derive_id(position), hashed, value, shortened))
    return ItemBatch(len(items), read, rejected)


def check_number(items: Sequence[Any]) -> None:
    """Check that a batch has 1 to 1,000 items; raises `ItemBatchRefused` if not."""
    if not items:
        raise ItemBatchRefused("The batch is empty: send at least one item.")
    if len(items) > BATCH_ITEMS:
        raise TooManyItems(
            f"The batch has {len(items)} items, and {BATCH_ITEMS} is the most: nothing was stored. Split the batch."
        )


def size_of(value: Any) -> int:
    """Return the size of a storable JSON value, in bytes of JSON."""
    return _bytes_of(_canonical(value))


def _read(item: Any, adapter: TypeAdapter[T], shorten: Shorten) -> tuple[Any, Any, T]:
    """Return an item as sent, but in storable characters; its stored form; and its value."""
    if isinstance(item, Exception):
        raise ItemRefused(str(item))
    try:
        text = _canonical(item)
        if not surely_storable(text):
            if faults := bounded(unstorable(item)):
                raise ItemRefused("; ".join(faults))
            item = storable(item)
            text = _canonical(item)
    except RecursionError:
        raise ItemRefused("it is nested too deeply") from None
    size, kept = _bytes_of(text), item
    if isinstance(item, dict) and (kept := shorten(item, size - ITEM_BYTES)) is not item:
        size = size_of(kept)
    if size > ITEM_BYTES:
        raise ItemRefused(f"it is {size} bytes of JSON, and {ITEM_BYTES} is the most")
    try:
        return item, kept, adapter.validate_python(kept)
    except ValidationError as error:
        raise ItemRefused("; ".join(validation_messages(error))) from None


def _canonical(value: Any) -> str:
    return _CANONICAL.encode(value)


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
