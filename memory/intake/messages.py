"""Intake of messages. Accepted means committed, in one transaction with the work that it causes."""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter

from memory.erased import known_erased
from memory.intake.accepting import IntakeFull, is_bulk, is_full, keep, turn_for
from memory.talk.sessions import process_or_wait
from memory.text.items import DeriveId, Item, ItemBatch, ItemRefused, Versions, read_items, size_of
from providers.chat.content_parts import words_of
from providers.thinkers import platform_llm_disabled
from schemas.intake.inputs import (
    MessageInput,
)
from schemas.intake.notes import Receipt
from schemas.ledger import kinds
from schemas.limits import AHEAD_MINUTES, SPEAKER_CHARACTERS
from schemas.settings import Settings
from schemas.text.reasoning import spoken
from store.database import Store
from store.talk import judging, messages
from store.talk.messages import IntakeStart, NewMessage
from store.transaction import Transaction

_MESSAGE = TypeAdapter(MessageInput)

NO_KEY = (
    "No model key pays for this user's messages: they are kept, but no facts are extracted from them. Store a key "
    "(`POST /v1/keys`, `patrol key add`), or have the operator set one for all users."
)


@dataclass(frozen=True)
class StoredMessages:
    """Messages that are stored.

    Attributes:
        batch: The batch without items that were refused, erased before, or off the record.
        inserted: The ids of those that are new, by position.
        known: The stored versions under the producer ids of the others.
        sessions: The sessions that got messages.
    """

    batch: ItemBatch[MessageInput]
    inserted: Mapping[int, UUID]
    known: Mapping[str, Versions]
    sessions: Collection[UUID]


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
        items: 1 to 1,000 messages as received; of one with more than 64 KB as JSON the beginning is kept.
        derive_id: Gives an item without an id one by its position, so that a retry changes nothing.
        paid_by: The id of the key that came with the request, if one did; it may pay for work on these messages.

    Returns:
        The outcome of each item; accepted ones are committed.

    Raises:
        ItemBatchRefused: The batch is empty or too long; nothing was taken.
        SecretMissing: No secret decrypts the key of the user's digests; nothing was taken.
        IntakeFull: `most_unjudged` messages of the Being wait to be judged. A limit above 1,000 applies to bulk alone.
    """
    with turn_for(store, items):
        batch = read_messages(items, derive_id)
        (receipt,) = store.run(take_messages, settings, being_id, [batch], bulk=is_bulk(items), paid_by=paid_by)
        return receipt


def read_messages(items: Sequence[Any], derive_id: DeriveId) -> ItemBatch[MessageInput]:
    """Validate a batch of messages, without a database connection; the domain's clock checks their times later.

    A model's reasoning is taken out of all messages but the user's.

    Raises:
        ItemBatchRefused: The batch is empty or too long.
    """
    return read_items([as_spoken(item) for item in items], _MESSAGE, derive_id, shortened)


def as_spoken(item: Any) -> Any:
    """Return an item with the words of its content's parts, without a model's reasoning unless the user says it.

    If nothing is left, the exception with which it is refused.
    """
    if not isinstance(item, dict):
        return item
    content = item.get("content")
    if isinstance(content, list | dict):
        parts = content if isinstance(content, list) else [content]
        item = item | {"content": "\n\n".join(filter(None, map(words_of, parts))) or content}
    if item.get("role") == "user" or not isinstance(item.get("content"), str):
        return item
    words = spoken(item["content"])
    if words == item["content"]:
        return item
    if not words.strip():
        return ItemRefused("content: is a model's reasoning alone, and nothing is said in it")
    return {**item, "content": words.strip()}


def take_messages(
    tx: Transaction,
    settings: Settings,
    being_id: UUID,
    batches: Sequence[ItemBatch[MessageInput]],
    *,
    bulk: bool,
    paid_by: UUID | None = None,
) -> list[Receipt]:
    """Take in batches of validated messages within a transaction; its commit makes them accepted.

    They are taken as one; returns the receipt of each. No two of them may have a producer id in common: the receipts
    are then as if they had come one after the other.

    Raises:
        SecretMissing, IntakeFull: As `accept_messages`.
    """
    batch = ItemBatch.joined(batches)
    tx.request_key_id = paid_by
    begun = begin(tx, settings, being_id, len(batch.items))
    order = partial(said_at, now=begun.began_at)
    ids = {item.position: id_ for item, id_ in zip(sorted(batch.items, key=order), begun.message_ids, strict=True)}
    taken = take_begun(tx, settings, being_id, batch, begun, ids, bulk=bulk)
    process_or_wait(tx, settings, being_id, sorted(taken.sessions), may=begun.may_think)
    receipts = []
    for start, part in taken.batch.parted([each.size for each in batches]):
        own = {
            item.position: taken.inserted[at] for item in part.items if (at := start + item.position) in taken.inserted
        }
        receipt = part.receipt(own, taken.known)
        receipts.append(receipt if begun.may_think or not own else receipt.model_copy(update={"hint": NO_KEY}))
    return receipts


def begin(tx: Transaction, settings: Settings, being_id: UUID, count: int) -> IntakeStart:
    """Take the first locks of the intake of messages, and `count` new ids."""
    platform = not platform_llm_disabled(settings)
    return messages.begin(tx, being_id, count, rolling=kinds.ROLLING_SUMMARY, platform=platform)


def said_at(item: Item[Any], *, now: datetime) -> datetime:
    """Return the time by which messages of a batch are ordered.

    Sessions are a function of the messages in the order of their ids: of a batch the earlier one comes first, and those
    ahead of the clock keep their order.
    """
    return item.value.created_at or now


def take_begun(
    tx: Transaction,
    settings: Settings,
    being_id: UUID,
    batch: ItemBatch[MessageInput],
    begun: IntakeStart,
    ids: Mapping[int, UUID],
    *,
    bulk: bool,
) -> StoredMessages:
    """Store the new messages of a batch, after `begin`; the caller requests the work on their sessions.

    Args:
        tx: The transaction.
        settings: Thresholds of judging.
        being_id: The Being.
        batch: The messages.
        begun: The outcome of `begin`.
        ids: The ids of the messages by position.
        bulk: Whether they came with many others.

    Raises:
        SecretMissing, IntakeFull: As `accept_messages`.
    """
    now = begun.began_at
    batch = batch.without(partial(_from_the_future, latest=now + timedelta(minutes=AHEAD_MINUTES)))
    batch = batch.without_off_the_record(
        {
            item.position
            for item in batch.items
            if item.value.off_the_record or begun.off_the_record or item.value.conversation in begun.off_the_record_in
        }
    )
    erased_before = known_erased.with_key(settings, being_id, begun.erasure_key)
    # Messages that no key can pay for are no backlog: they are kept until there is one.
    if begun.may_think and is_full(settings.most_unjudged, partial(judging.waiting, tx, being_id), bulk=bulk):
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
    sessions: set[UUID] = set()

    def insert(tx: Transaction, being_id: UUID, rows: Sequence[NewMessage]) -> Collection[UUID]:
        kept = messages.insert(tx, being_id, rows)
        sessions.update(session_id for session_id in kept.values() if session_id is not None)
        return kept

    row_of, order = partial(_message, now=now), partial(said_at, now=now)
    inserted, known = keep(tx, being_id, batch, row_of, insert, messages.known, order, ids=ids)
    if aged := [inserted[item.position] for item in batch.items if item.value.aged and item.position in inserted]:
        messages.mark_aged(tx, being_id, aged)
    return StoredMessages(batch, inserted, known, sessions)


def _from_the_future(message: MessageInput, *, latest: datetime) -> str | None:
    if message.created_at is None or message.created_at <= latest:
        return None
    return f"created_at: is more than {AHEAD_MINUTES} minutes in the future"


def shortened(message: dict[str, Any], excess: int) -> dict[str, Any]:
    """Return a message with the beginning of its content, and of its speaker's name, where it exceeds its limit."""
    cut: dict[str, Any] = {}
    match message.get("speaker"):
        case str(speaker) if len(speaker) > SPEAKER_CHARACTERS:
            cut["speaker"] = speaker[:SPEAKER_CHARACTERS]
            excess -= size_of(speaker) - size_of(cut["speaker"])
    match message.get("content"):
        case str(content) if excess > 0:
            room = size_of(content) - excess
            # Each character has a byte at least, so that no more have to be looked at.
            characters = range(min(len(content), max(room, 0)) + 1)
            cut["content"] = content[: bisect_right(characters, room, key=lambda end: size_of(content[:end])) - 1]
    return message | cut if cut else message


def _message(item: Item[MessageInput], message_id: UUID, *, now: datetime) -> NewMessage:
    message = item.value
    return NewMessage(
        message_id=message_id,
        producer_id=item.producer_id,
        role=message.role,
        speaker=message.speaker,
        conversation=message.conversation,
        content=message.content,
        created_at=min(message.created_at or now, now),
        metadata=message.metadata,
        content_hash=item.content_hash,
    )
