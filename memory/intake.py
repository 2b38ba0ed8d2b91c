"""Taking notes in: good ones are committed with the work they cause, each other is answered for by its position.

Accepted means committed. The same producer id again is a duplicate, or a conflict where the content is another.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from pydantic import BaseModel, TypeAdapter, ValidationError

from memory.patrol_demand import ask_for_patrol
from schemas.complaints import complaints
from schemas.keepable import unkeepable
from schemas.limits import BATCH_ITEMS, ITEM_BYTES
from schemas.receipts import Receipt, Trouble
from schemas.settings import Settings
from schemas.wire import KnowledgeNote, NoteInput, ReminderNote, SceneNote, TodoNote
from schemas.work import Ring
from store import notes
from store.database import Store
from store.notes import NewNote
from store.transaction import Transaction

_NOTE: TypeAdapter[SceneNote | TodoNote | ReminderNote | KnowledgeNote] = TypeAdapter(NoteInput)

DeriveId = Callable[[int], str | None]
"""Makes the producer id of an item that has none, from its position; None leaves it without."""


class BatchRefused(ValueError):
    """A batch is refused whole: it holds nothing, or too much."""


class _ItemRefused(ValueError):
    pass


@dataclass(frozen=True)
class Accepted:
    """What became of a batch, and what to ring for."""

    receipt: Receipt
    rings: list[Ring]


def accept_notes(
    store: Store, settings: Settings, being_id: UUID, items: Sequence[Any], derive_id: DeriveId = lambda _: None
) -> Accepted:
    """Take a batch of notes in.

    Args:
        store: The ledger.
        settings: When a patrol is due.
        being_id: Whose notes they are.
        items: 1 to 1,000 items as they came, each at most 64 KB as JSON. An item that is an exception was no item at
            all, and is rejected with its text.
        derive_id: Gives items without an id one, so that sending them again changes nothing.

    Returns:
        The receipt, and what to ring for.

    Raises:
        BatchRefused: The batch is empty or too long; nothing was taken.
    """
    if not items:
        raise BatchRefused("The batch is empty: send at least one note.")
    if len(items) > BATCH_ITEMS:
        raise BatchRefused(
            f"The batch holds {len(items)} notes, and {BATCH_ITEMS} is the most: nothing was taken, send it in parts."
        )
    read: dict[int, NewNote] = {}
    rejected: list[Trouble] = []
    for position, item in enumerate(items):
        try:
            read[position] = _read(item, derive_id(position))
        except _ItemRefused as refusal:
            rejected.append(Trouble(position=position, reason=str(refusal)))
    with store.transaction() as tx:
        receipt = _keep(tx, being_id, len(items), read, rejected)
        rings = ask_for_patrol(tx, settings, being_id) if _holds_new_scenes(receipt, read) else []
    return Accepted(receipt, rings)


def _read(item: Any, derived_id: str | None) -> NewNote:
    if isinstance(item, Exception):
        raise _ItemRefused(str(item))
    try:
        size = len(_canonical(item))
        faults = list(unkeepable(item))
    except RecursionError:
        raise _ItemRefused("it is nested too deeply") from None
    if size > ITEM_BYTES:
        raise _ItemRefused(f"it is {size} bytes of JSON, and {ITEM_BYTES} is the most")
    if faults:
        raise _ItemRefused("; ".join(faults))
    try:
        note = _NOTE.validate_python(item)
    except ValidationError as error:
        raise _ItemRefused("; ".join(complaints(error))) from None
    content = (
        note.content.model_dump(mode="json", exclude_defaults=True)
        if isinstance(note.content, BaseModel)
        else note.content
    )
    return NewNote(
        note_id=uuid4(),
        producer_id=note.id or derived_id,
        type=note.type,
        content=content,
        title=note.title if isinstance(note, KnowledgeNote) else None,
        due_at=note.due_at if isinstance(note, ReminderNote) else None,
        metadata=note.metadata,
        content_hash=hashlib.sha256(_canonical(note.model_dump(mode="json", exclude={"id"}))).digest(),
    )


def _canonical(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(errors="surrogatepass")


def _keep(tx: Transaction, being_id: UUID, size: int, read: dict[int, NewNote], rejected: list[Trouble]) -> Receipt:
    """Keep what is new, and answer for each position."""
    first: dict[str, NewNote] = {}
    for note in read.values():
        if note.producer_id is not None:
            first.setdefault(note.producer_id, note)
    unrepeated = [note for note in read.values() if note.producer_id is None or first[note.producer_id] is note]
    inserted = notes.insert(tx, being_id, unrepeated)
    known = notes.known(tx, being_id, list(first))

    ids: list[UUID | None] = [None] * size
    duplicates = 0
    conflicts: list[Trouble] = []
    for position, note in read.items():
        if note.note_id in inserted:
            ids[position] = note.note_id
            continue
        known_id, known_hash = known[str(note.producer_id)]
        ids[position] = known_id
        if known_hash == note.content_hash:
            duplicates += 1
        else:
            conflicts.append(
                Trouble(position=position, reason="a note with this id is known, and its content is another; it stays")
            )
    return Receipt(accepted=len(inserted), duplicates=duplicates, conflicts=conflicts, rejected=rejected, ids=ids)


def _holds_new_scenes(receipt: Receipt, read: dict[int, NewNote]) -> bool:
    return receipt.accepted > 0 and any(note.type == "scene" for note in read.values())
