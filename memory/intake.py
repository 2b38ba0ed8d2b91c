"""Taking in what producers send. Accepted means committed, together with the work that it causes."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from time import monotonic, sleep
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, TypeAdapter

from memory import rolling
from memory.batches import Batch, DeriveId, Item, read_batch
from memory.conversation import ask_about
from memory.patrol_demand import ask_for_patrol
from schemas.limits import BULK_ITEMS, FUTURE_MINUTES
from schemas.receipts import Receipt
from schemas.settings import Settings
from schemas.wire import AnyNote, KnowledgeNote, MessageInput, NoteInput, Produced, ReminderNote
from schemas.work import Ring
from store import clock, judging, messages, notes, work
from store.database import Store
from store.messages import NewMessage
from store.notes import NewNote
from store.transaction import Transaction, new_ids

T = TypeVar("T", bound=Produced)
R = TypeVar("R")

_NOTE: TypeAdapter[AnyNote] = TypeAdapter(NoteInput)
_MESSAGE = TypeAdapter(MessageInput)

# Counting what waits costs a millisecond for about this many notes.
CHEAP_TO_COUNT = 1000
# For each second that bulk keeps the machine busy it pauses for so many, and at most so long at a time (fairness).
PAUSE, LONGEST_PAUSE = 2.0, 1.0


class DoorFull(Exception):
    """Too much waits already for more to be taken; the same again may pass later."""


@dataclass(frozen=True)
class Accepted:
    """What became of a batch, and what to ring for."""

    receipt: Receipt
    rings: list[Ring]


def accept_notes(
    store: Store,
    settings: Settings,
    being_id: UUID,
    items: Sequence[Any],
    derive_id: DeriveId = lambda _: None,
    *,
    paid_by: UUID | None = None,
) -> Accepted:
    """Take a batch of notes in.

    Args:
        store: The ledger.
        settings: When a patrol is due.
        being_id: Whose notes they are.
        items: 1 to 1,000 notes as they came, each at most 64 KB as JSON; see `read_batch`.
        derive_id: Gives items without an id one, so that sending them again changes nothing.
        paid_by: The key that came with the request, which pays for the thinking that this causes.

    Returns:
        The receipt, and what to ring for.

    Raises:
        BatchRefused: The batch is empty or too long; nothing was taken.
        DoorFull: So many of the Being's notes wait that no more are taken for now. A limit above 1,000 holds for bulk
            alone, which is a batch of more than 100.
    """
    with _room_left(items):
        batch = read_batch(items, _NOTE, derive_id)
        with store.transaction() as tx:
            return _take_notes_in(tx, settings, being_id, batch, bulk=_is_bulk(items), paid_by=paid_by)


def _take_notes_in(
    tx: Transaction, settings: Settings, being_id: UUID, batch: Batch[AnyNote], *, bulk: bool, paid_by: UUID | None
) -> Accepted:
    work.pay_with(tx, paid_by)
    if _full(tx, settings, being_id, bulk=bulk):
        raise DoorFull(
            f"{settings.most_pending} notes of this Being wait already; no more are taken until a patrol has been."
        )
    inserted, receipt = _kept(tx, being_id, batch, partial(_note, bulk=bulk), notes.insert, notes.known)
    scenes = any(item.value.type == "scene" for item in batch.items if item.position in inserted)
    return Accepted(receipt, ask_for_patrol(tx, settings, being_id) if scenes else [])


def accept_messages(
    store: Store,
    settings: Settings,
    being_id: UUID,
    items: Sequence[Any],
    derive_id: DeriveId = lambda _: None,
    *,
    paid_by: UUID | None = None,
) -> Accepted:
    """Take a batch of messages in; each finds its session by its own time (DESIGN section 7).

    Args:
        store: The ledger.
        settings: When what was said is judged.
        being_id: Whose messages they are.
        items: 1 to 1,000 messages as they came, each at most 64 KB as JSON; see `read_batch`.
        derive_id: Gives items without an id one, so that sending them again changes nothing.
        paid_by: The key that came with the request, which pays for the thinking that this causes.

    Returns:
        The receipt, and what to ring for.

    Raises:
        BatchRefused: The batch is empty or too long; nothing was taken.
    """
    with _room_left(items):
        batch = read_messages(items, derive_id)
        with store.transaction() as tx:
            return take_messages_in(tx, settings, being_id, batch, paid_by=paid_by)


@contextmanager
def _room_left(items: Sequence[Any]) -> Iterator[None]:
    """Follow a batch of bulk by a pause: most of the time that an import takes is for what comes live."""
    begun = monotonic()
    yield
    if _is_bulk(items):
        sleep(min(PAUSE * (monotonic() - begun), LONGEST_PAUSE))


def _is_bulk(items: Sequence[Any]) -> bool:
    """Whether a batch is somebody's import, which comes after what comes live."""
    return len(items) > BULK_ITEMS


def read_messages(items: Sequence[Any], derive_id: DeriveId) -> Batch[MessageInput]:
    """Read a batch of messages, which takes no connection; the domain's clock has yet to judge their times.

    Raises:
        BatchRefused: The batch is empty or too long.
    """
    return read_batch(items, _MESSAGE, derive_id)


def take_messages_in(
    tx: Transaction, settings: Settings, being_id: UUID, batch: Batch[MessageInput], *, paid_by: UUID | None = None
) -> Accepted:
    """Take messages in that were read, within a transaction; accepted once that is committed."""
    now = clock.now(tx)
    batch = batch.without(partial(_from_the_future, latest=now + timedelta(minutes=FUTURE_MINUTES)))
    work.pay_with(tx, paid_by)
    rolling.reserve(tx, being_id)
    inserted, receipt = _kept(tx, being_id, batch, partial(_message, now=now), messages.insert, messages.known)
    sessions = judging.sessions_of(tx, being_id, list(inserted.values()))
    return Accepted(receipt, ask_about(tx, settings, being_id, sessions))


def _kept(
    tx: Transaction,
    being_id: UUID,
    batch: Batch[T],
    row_of: Callable[[Item[T], UUID], R],
    insert: Callable[[Transaction, UUID, Sequence[R]], Collection[UUID]],
    known: Callable[[Transaction, UUID, Sequence[str]], Mapping[str, tuple[UUID, bytes]]],
) -> tuple[dict[int, UUID], Receipt]:
    """Keep what is new of a batch; returns the ids by the positions of what went in, and the receipt for all of it."""
    fresh = batch.unrepeated()
    ids = {item.position: id_ for item, id_ in zip(fresh, new_ids(tx, len(fresh)), strict=True)}
    kept = insert(tx, being_id, [row_of(item, ids[item.position]) for item in fresh])
    inserted = {position: id_ for position, id_ in ids.items() if id_ in kept}
    return inserted, batch.receipt(inserted, known(tx, being_id, batch.producer_ids(apart_from=inserted)))


def _full(tx: Transaction, settings: Settings, being_id: UUID, *, bulk: bool) -> bool:
    """Whether no more may wait.

    The count takes the longer the more notes wait. A backlog comes from bulk, where the count is little beside the
    batch; a single note should not pay for it, so a large limit is not looked at for a few of them.
    """
    if not bulk and settings.most_pending > CHEAP_TO_COUNT:
        return False
    return notes.pending(tx, being_id, settings.most_pending) >= settings.most_pending


def _note(item: Item[AnyNote], note_id: UUID, *, bulk: bool) -> NewNote:
    note = item.value
    content = note.content
    return NewNote(
        note_id=note_id,
        producer_id=item.producer_id,
        type=note.type,
        content=content.model_dump(mode="json", exclude_defaults=True) if isinstance(content, BaseModel) else content,
        title=note.title if isinstance(note, KnowledgeNote) else None,
        due_at=note.due_at if isinstance(note, ReminderNote) else None,
        metadata=note.metadata,
        content_hash=item.content_hash,
        bulk=bulk,
    )


def _from_the_future(message: MessageInput, *, latest: datetime) -> str | None:
    if message.created_at is None or message.created_at <= latest:
        return None
    return f"created_at: lies more than {FUTURE_MINUTES} minutes in the future"


def _message(item: Item[MessageInput], message_id: UUID, *, now: datetime) -> NewMessage:
    message = item.value
    return NewMessage(
        message_id=message_id,
        producer_id=item.producer_id,
        role=message.role,
        speaker=message.speaker,
        content=message.content,
        created_at=message.created_at or now,
        metadata=message.metadata,
        content_hash=item.content_hash,
    )
