"""Intake of notes. Accepted means committed, in one transaction with the work that it causes."""

from collections.abc import Sequence
from datetime import UTC, datetime, time
from functools import partial
from typing import Any
from uuid import UUID

from pydantic import BaseModel, TypeAdapter

from memory.erased import known_erased
from memory.intake.accepting import IntakeFull, is_bulk, is_full, keep, turn_for
from memory.intake.off_the_record import BEING_OFF
from memory.patrol.demand import begin_or_request
from memory.text.items import DeriveId, Item, ItemBatch, read_items
from schemas.intake.inputs import (
    AnyNote,
    KnowledgeNote,
    NoteInput,
    ReminderNote,
    SceneNote,
    last_date,
)
from schemas.intake.notes import NoteOrigin, Receipt
from schemas.settings import Settings
from store import limits
from store.accounts import beings
from store.database import Store
from store.intake import notes
from store.intake.notes import NewNote
from store.transaction import Transaction

_NOTE: TypeAdapter[AnyNote] = TypeAdapter(NoteInput)

NOON = time(12, tzinfo=UTC)


def accept_notes(
    store: Store,
    settings: Settings,
    being_id: UUID,
    items: Sequence[Any],
    derive_id: DeriveId = lambda _: None,
    *,
    paid_by: UUID | None = None,
    origin: NoteOrigin = "producer",
) -> Receipt:
    """Take in a batch of notes.

    Args:
        store: The ledger.
        settings: Thresholds of patrols.
        being_id: The Being.
        items: 1 to 1,000 notes as received, each at most 64 KB as JSON; see `read_batch`.
        derive_id: Gives an item without an id one by its position, so that a retry changes nothing.
        paid_by: The id of the key that came with the request, if one did; it may pay for work on these notes.
        origin: The source of the notes.

    Returns:
        The outcome of each item; accepted ones are committed.

    Raises:
        ItemBatchRefused: The batch is empty or too long; nothing was taken.
        SecretMissing: No secret decrypts the key of the user's digests; nothing was taken.
        IntakeFull: `most_pending` notes of the Being are waiting. A limit above 1,000 applies to bulk alone, which is a
            batch of more than 100 items.
    """
    with turn_for(store, items):
        batch = read_notes(items, derive_id)
        with store.transaction() as tx:
            tx.request_key_id = paid_by
            return _take_notes_in(tx, settings, being_id, batch, bulk=is_bulk(items), origin=origin)


def read_notes(items: Sequence[Any], derive_id: DeriveId) -> ItemBatch[AnyNote]:
    """Validate a batch of notes, without a database connection.

    Raises:
        ItemBatchRefused: The batch is empty or too long.
    """
    return read_items(items, _NOTE, derive_id)


def _take_notes_in(
    tx: Transaction,
    settings: Settings,
    being_id: UUID,
    batch: ItemBatch[AnyNote],
    *,
    bulk: bool,
    origin: NoteOrigin,
) -> Receipt:
    erased_before = known_erased.for_intake(tx, settings, being_id)
    being = beings.find_any(tx, being_id)
    if being is not None and being.off_the_record:
        batch = batch.rejecting(dict.fromkeys((item.position for item in batch.items), BEING_OFF))
    if is_full(settings.most_pending, partial(notes.pending, tx, being_id), bulk=bulk):
        raise IntakeFull(
            f"{settings.most_pending} notes of this Being are waiting, the limit. Retry after the next patrol."
        )
    if erased_before:
        batch = batch.without_erased(
            erased_before.among(
                tx,
                {
                    item.position: erased_before.of_note(item.producer_id, content_of(item.value))
                    for item in batch.items
                },
            )
        )
    batch = _within_the_limit(tx, settings, being_id, batch)
    inserted, known = keep(tx, being_id, batch, partial(_note, bulk=bulk, origin=origin), notes.insert, notes.known)
    scenes = any(item.value.type == "scene" for item in batch.items if item.position in inserted)
    if scenes:
        begin_or_request(tx, settings, being_id)
    return batch.receipt(inserted, known)


def _within_the_limit(
    tx: Transaction, settings: Settings, being_id: UUID, batch: ItemBatch[AnyNote]
) -> ItemBatch[AnyNote]:
    """Return the batch without the todos, reminders and knowledge notes that exceed the Being's limit."""
    wanted = [item for item in batch.unrepeated() if item.value.type != "scene"]
    if not wanted:
        return batch
    room = settings.most_kept_notes - limits.count(tx, "kept_note", being_id)
    if len(wanted) <= room:
        return batch
    # Duplicates do not count.
    known = notes.known(tx, being_id, [item.producer_id for item in wanted if item.producer_id is not None])
    beyond = {item.position for item in [item for item in wanted if item.producer_id not in known][max(room, 0) :]}
    ids = {item.producer_id for item in batch.items if item.position in beyond} - {None}
    reason = limits.TOO_MANY["kept_note"].format(most=settings.most_kept_notes)
    return batch.rejecting(
        {item.position: reason for item in batch.items if item.position in beyond or item.producer_id in ids}
    )


def _note(item: Item[AnyNote], note_id: UUID, *, bulk: bool, origin: NoteOrigin) -> NewNote:
    note = item.value
    ages_from = _ages_from(note)
    return NewNote(
        note_id=note_id,
        producer_id=item.producer_id,
        type=note.type,
        content=content_of(note),
        title=note.title if isinstance(note, KnowledgeNote) else None,
        due_at=note.due_at if isinstance(note, ReminderNote) else None,
        metadata=note.metadata,
        content_hash=item.content_hash,
        bulk=bulk,
        # A producer's scenes of the past do not say that it draws scenes of its talk.
        origin="import" if ages_from and origin == "producer" else origin,
        ages_from=ages_from,
        in_snapshot=note.in_snapshot if isinstance(note, KnowledgeNote) else True,
    )


def _ages_from(note: AnyNote) -> datetime | None:
    if not isinstance(note, SceneNote) or not note.aged:
        return None
    day = last_date(note.content if isinstance(note.content, str) else note.content.when)
    return None if day is None else datetime.combine(day, NOON)


def content_of(note: AnyNote) -> Any:
    """Return a note's content as its row stores it."""
    content = note.content
    return content.model_dump(mode="json", exclude_defaults=True) if isinstance(content, BaseModel) else content
