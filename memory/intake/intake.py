"""Intake of notes and messages. Accepted means committed, in one transaction with the work that it causes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, time, timedelta
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, TypeAdapter

from memory.erased import recognition
from memory.patrol.demand import request_patrol
from memory.talk.sessions import process_or_wait
from memory.text.items import DeriveId, Item, ItemBatch, Versions, read_items
from providers.thinkers import platform_llm_disabled
from schemas.intake.inputs import (
    AnyNote,
    KnowledgeNote,
    MessageInput,
    NoteInput,
    Produced,
    ReminderNote,
    SceneNote,
    last_date,
)
from schemas.intake.notes import NoteOrigin, Receipt
from schemas.ledger import kinds
from schemas.limits import BULK_ITEMS, FUTURE_MINUTES
from schemas.settings import Settings
from store import limits
from store.database import Store
from store.intake import notes
from store.intake.notes import NewNote
from store.talk import judging, messages
from store.talk.messages import NewMessage
from store.transaction import Transaction, new_ids

T = TypeVar("T", bound=Produced)
R = TypeVar("R")

_NOTE: TypeAdapter[AnyNote] = TypeAdapter(NoteInput)
_MESSAGE = TypeAdapter(MessageInput)

NO_KEY = (
    "No model key pays for this user's messages: they are kept, but no facts are extracted from them. Store a key "
    "(`POST /v1/keys`, `patrol key add`), or have the operator set one for all users."
)
# Counting this many waiting items takes about a millisecond.
CHEAP_TO_COUNT = 1000
NOON = time(12, tzinfo=UTC)


class IntakeFull(Exception):
    """Too many notes or messages of the Being are waiting; a later retry may succeed."""


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
        origin: Where the notes come from.

    Returns:
        The outcome of each item; accepted ones are committed.

    Raises:
        ItemBatchRefused: The batch is empty or too long; nothing was taken.
        SecretMissing: No secret decrypts the key of the user's digests; nothing was taken.
        IntakeFull: `most_pending` notes of the Being are waiting. A limit above 1,000 applies to bulk alone, which is a
            batch of more than 100 items.
    """
    with _turn(store, items):
        batch = read_notes(items, derive_id)
        with store.transaction() as tx:
            tx.request_key_id = paid_by
            return _take_notes_in(tx, settings, being_id, batch, bulk=is_bulk(items), origin=origin)


def _take_notes_in(
    tx: Transaction,
    settings: Settings,
    being_id: UUID,
    batch: ItemBatch[AnyNote],
    *,
    bulk: bool,
    origin: NoteOrigin,
) -> Receipt:
    erased_before = recognition.for_intake(tx, settings, being_id)
    if _full(settings.most_pending, partial(notes.pending, tx, being_id), bulk=bulk):
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
    inserted, known = _kept(tx, being_id, batch, partial(_note, bulk=bulk, origin=origin), notes.insert, notes.known)
    scenes = any(item.value.type == "scene" for item in batch.items if item.position in inserted)
    if scenes:
        request_patrol(tx, settings, being_id)
    return batch.receipt(inserted, known)


def accept_messages(
    store: Store,
    settings: Settings,
    being_id: UUID,
    items: Sequence[Any],
    derive_id: DeriveId = lambda _: None,
    *,
    paid_by: UUID | None = None,
) -> Receipt:
    """Take in a batch of messages; each is assigned to a session by its own time (DESIGN section 7).

    Args:
        store: The ledger.
        settings: Thresholds of judging.
        being_id: The Being.
        items: 1 to 1,000 messages as received, each at most 64 KB as JSON; see `read_batch`.
        derive_id: Gives an item without an id one by its position, so that a retry changes nothing.
        paid_by: The id of the key that came with the request, if one did; it may pay for work on these messages.

    Returns:
        The outcome of each item; accepted ones are committed.

    Raises:
        ItemBatchRefused: The batch is empty or too long; nothing was taken.
        SecretMissing: No secret decrypts the key of the user's digests; nothing was taken.
        IntakeFull: `most_unjudged` messages of the Being wait to be judged. A limit above 1,000 applies to bulk alone.
    """
    with _turn(store, items):
        batch = read_messages(items, derive_id)
        with store.transaction() as tx:
            return take_messages_in(tx, settings, being_id, batch, bulk=is_bulk(items), paid_by=paid_by)


def _turn(store: Store, items: Sequence[Any]) -> AbstractContextManager[None]:
    """Return a context in which a bulk batch has its turn of this process; other batches do not wait."""
    return store.bulk.turn() if is_bulk(items) else nullcontext()


def is_bulk(items: Sequence[Any]) -> bool:
    """Return whether a batch is bulk, which is processed after live input."""
    return len(items) > BULK_ITEMS


def read_notes(items: Sequence[Any], derive_id: DeriveId) -> ItemBatch[AnyNote]:
    """Validate a batch of notes, without a database connection.

    Raises:
        ItemBatchRefused: The batch is empty or too long.
    """
    return read_items(items, _NOTE, derive_id)


def read_messages(items: Sequence[Any], derive_id: DeriveId) -> ItemBatch[MessageInput]:
    """Validate a batch of messages, without a database connection; the domain's clock checks their times later.

    Raises:
        ItemBatchRefused: The batch is empty or too long.
    """
    return read_items(items, _MESSAGE, derive_id)


def take_messages_in(
    tx: Transaction,
    settings: Settings,
    being_id: UUID,
    batch: ItemBatch[MessageInput],
    *,
    bulk: bool,
    paid_by: UUID | None = None,
) -> Receipt:
    """Take in validated messages within a transaction, whose commit makes them accepted.

    Raises:
        SecretMissing, IntakeFull: As `accept_messages`.
    """
    (receipt,) = take_each_in(tx, settings, being_id, [batch], bulk=bulk, paid_by=paid_by)
    return receipt


def take_each_in(
    tx: Transaction,
    settings: Settings,
    being_id: UUID,
    batches: Sequence[ItemBatch[MessageInput]],
    *,
    bulk: bool,
    paid_by: UUID | None = None,
) -> list[Receipt]:
    """Take in several batches of validated messages as one; returns the receipt of each.

    No two of them may have a producer id in common: the receipts are then as if they had come one after the other.

    Raises:
        SecretMissing, IntakeFull: As `accept_messages`.
    """
    batch = ItemBatch.joined(batches)
    tx.request_key_id = paid_by
    begun = messages.begin(
        tx,
        being_id,
        len(batch.items),
        rolling=kinds.ROLLING_SUMMARY,
        platform=not platform_llm_disabled(settings),
    )
    now = begun.began_at
    batch = batch.without(partial(_from_the_future, latest=now + timedelta(minutes=FUTURE_MINUTES)))
    erased_before = recognition.with_key(settings, being_id, begun.erasure_key)
    # Messages that no key can pay for are no backlog: they are kept until there is one.
    if begun.may_think and _full(settings.most_unjudged, partial(judging.waiting, tx, being_id), bulk=bulk):
        raise IntakeFull(
            f"{settings.most_unjudged} messages of this Being wait to be judged, the limit. Retry when some have been."
        )
    if erased_before:
        batch = batch.without_erased(
            erased_before.among(
                tx,
                {
                    item.position: erased_before.of_message(
                        item.producer_id, item.value.role, item.value.content, item.value.conversation
                    )
                    for item in batch.items
                },
            )
        )

    def order(item: Item[MessageInput]) -> datetime:
        # Sessions are a function of the messages in the order of their ids: of a batch the earlier one comes first.
        return item.value.created_at or now

    sessions: set[UUID] = set()

    def insert(tx: Transaction, being_id: UUID, rows: Sequence[NewMessage]) -> Collection[UUID]:
        kept = messages.insert(tx, being_id, rows)
        sessions.update(session_id for session_id in kept.values() if session_id is not None)
        return kept

    row_of = partial(_message, now=now)
    inserted, known = _kept(tx, being_id, batch, row_of, insert, messages.known, order, ids=begun.message_ids)
    if aged := [inserted[item.position] for item in batch.items if item.value.aged and item.position in inserted]:
        messages.mark_aged(tx, being_id, aged)
    process_or_wait(tx, settings, being_id, sorted(sessions), may=begun.may_think)
    receipts = []
    for start, part in batch.parted([each.size for each in batches]):
        own = {item.position: inserted[at] for item in part.items if (at := start + item.position) in inserted}
        receipt = part.receipt(own, known)
        receipts.append(receipt if begun.may_think or not own else receipt.model_copy(update={"hint": NO_KEY}))
    return receipts


def _kept(
    tx: Transaction,
    being_id: UUID,
    batch: ItemBatch[T],
    row_of: Callable[[Item[T], UUID], R],
    insert: Callable[[Transaction, UUID, Sequence[R]], Collection[UUID]],
    known: Callable[[Transaction, UUID, Sequence[str]], Mapping[str, Versions]],
    order: Callable[[Item[T]], Any] = attrgetter("position"),
    *,
    ids: Sequence[UUID] | None = None,
) -> tuple[dict[int, UUID], Mapping[str, Versions]]:
    """Insert the new items of a batch; returns their ids by position, and what is stored under the ids of the others.

    The ids sort as `order` says, by default as the items came in; they are the first of `ids`, or new ones.
    """
    fresh = sorted(batch.unrepeated(), key=order)
    new = {item.position: id_ for item, id_ in zip(fresh, ids or new_ids(tx, len(fresh)), strict=False)}
    kept = insert(tx, being_id, [row_of(item, new[item.position]) for item in fresh])
    inserted = {position: id_ for position, id_ in new.items() if id_ in kept}
    return inserted, known(tx, being_id, batch.producer_ids(apart_from=inserted))


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


def _full(most: int, count: Callable[[int], int], *, bulk: bool) -> bool:
    """Return whether `most` items are waiting; `count` counts up to a number of them.

    Counting takes longer the more items wait. Backlogs come from bulk, where the count costs little beside the batch;
    so that single items do not pay for it, a limit above `CHEAP_TO_COUNT` is checked for bulk only.
    """
    if not bulk and most > CHEAP_TO_COUNT:
        return False
    return count(most) >= most


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


def _from_the_future(message: MessageInput, *, latest: datetime) -> str | None:
    if message.created_at is None or message.created_at <= latest:
        return None
    return f"created_at: is more than {FUTURE_MINUTES} minutes in the future"


def _message(item: Item[MessageInput], message_id: UUID, *, now: datetime) -> NewMessage:
    message = item.value
    return NewMessage(
        message_id=message_id,
        producer_id=item.producer_id,
        role=message.role,
        speaker=message.speaker,
        conversation=message.conversation,
        content=message.content,
        created_at=message.created_at or now,
        metadata=message.metadata,
        content_hash=item.content_hash,
    )
