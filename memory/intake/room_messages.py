"""Intake of utterances in rooms: each Being present gets its own message of them, all in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter

from memory.erased import known_erased
from memory.intake.accepting import is_bulk, turn_for
from memory.intake.messages import (
    NO_KEY,
    StoredMessages,
    as_spoken,
    begin,
    said_at,
    shortened,
    take_begun,
)
from memory.talk import sharing
from memory.talk.sessions import process_or_wait
from memory.text.items import DeriveId, Item, ItemBatch, Versions, read_items
from schemas.accounts.accounts import Being
from schemas.intake.inputs import MessageInput
from schemas.intake.notes import Receipt
from schemas.settings import Settings
from schemas.talk.rooms import RoomMessageInput
from store.accounts import erasure
from store.database import Store
from store.talk import messages, rooms, utterances
from store.talk import rolling as session_states
from store.talk.rooms import Place
from store.transaction import Transaction, new_ids

_UTTERANCE = TypeAdapter(RoomMessageInput)
_BY_NAME = ": name those of the room by slug or id"


@dataclass(frozen=True)
class _RoomBatch:
    """The utterances of a batch, with the Being that says each, and those that get it."""

    batch: ItemBatch[RoomMessageInput]
    speakers: Mapping[int, Being | None]
    hearers: Mapping[int, frozenset[UUID]]

    def of(self, being_id: UUID, room: Place) -> ItemBatch[MessageInput]:
        """The messages of one Being."""
        items = [
            Item(
                item.position,
                item.producer_id,
                item.content_hash,
                _message(item.value, self.speakers[item.position], being_id, room),
                item.shortened,
            )
            for item in self.batch.items
            if being_id in self.hearers[item.position]
        ]
        return ItemBatch(self.batch.size, items, [])


def accept_utterances(
    store: Store,
    settings: Settings,
    room: Place,
    items: Sequence[Any],
    derive_id: DeriveId = lambda _: None,
    *,
    bound_to: UUID | None = None,
    paid_by: UUID | None = None,
) -> Receipt:
    """Take in a batch of utterances in a room.

    Args:
        store: The ledger.
        settings: Thresholds of judging.
        room: The room.
        items: 1 to 1,000 utterances as received; of one with more than 64 KB as JSON the beginning is kept.
        derive_id: Gives an item without an id one by its position, so that a retry changes nothing.
        bound_to: The only Being that gets them, by the caller's token; None: those that are present.
        paid_by: The id of the key that came with the request, if one did; it may pay for work on these messages.

    Returns:
        The outcome of each item. An id that is known with the same words adds the Beings that did not have it.

    Raises:
        ItemBatchRefused: The batch is empty or too long; nothing was taken.
        NotFound: The room does not exist any more.
        SecretMissing, IntakeFull: As `accept_messages`; nothing was taken.
    """
    with turn_for(store, items):
        batch = read_items([as_spoken(item) for item in items], _UTTERANCE, derive_id, shortened)
        with store.transaction() as tx:
            tx.request_key_id = paid_by
            rooms.lock(tx, room)
            heard = _resolve(tx, room, batch, bound_to)
            return _take(tx, settings, room, heard, bound_to=bound_to, bulk=is_bulk(items))


def _resolve(tx: Transaction, room: Place, batch: ItemBatch[RoomMessageInput], bound_to: UUID | None) -> _RoomBatch:
    """Find out which Beings say and get each utterance; refuses those that name other Beings than the room's."""
    members = rooms.beings_in(tx, room)
    named = {name: being for being in members for name in (being.slug, str(being.being_id))}
    everyone = frozenset(being.being_id for being in members)
    speakers: dict[int, Being | None] = {}
    hearers: dict[int, frozenset[UUID]] = {}
    faults: dict[int, str] = {}
    for item in batch.items:
        given = item.value
        speaker = named.get(given.speaker_being) if given.speaker_being is not None else None
        present = everyone if bound_to is None else frozenset({bound_to})
        if given.present is not None:
            present = frozenset(named[name].being_id for name in given.present if name in named)
        if given.speaker_being is not None and speaker is None:
            faults[item.position] = f"speaker_being: takes no part in this room{_BY_NAME}"
        elif given.present is not None and any(name not in named for name in given.present):
            faults[item.position] = f"present: names a Being that takes no part in this room{_BY_NAME}"
        elif bound_to is not None and (bound_to not in everyone or not present <= {bound_to}):
            faults[item.position] = "present: this token is bound to one Being, and writes what that one hears alone"
        else:
            speakers[item.position] = speaker
            hearers[item.position] = present | ({speaker.being_id} if speaker and bound_to is None else frozenset())
            if not hearers[item.position]:
                faults[item.position] = "present: no Being hears it"
    return _RoomBatch(batch.rejecting(faults), speakers, hearers)


def _message(given: RoomMessageInput, speaker: Being | None, being_id: UUID, room: Place) -> MessageInput:
    own = speaker is not None and speaker.being_id == being_id
    return MessageInput(
        id=given.id,
        role=given.role or ("assistant" if own else "other"),
        speaker=given.speaker if speaker is None or own else speaker.name,
        conversation=str(room.room_id),
        content=given.content,
        metadata=given.metadata,
        created_at=given.created_at,
        off_the_record=given.off_the_record,
    )


def _take(
    tx: Transaction, settings: Settings, room: Place, heard: _RoomBatch, *, bound_to: UUID | None, bulk: bool
) -> Receipt:
    everyone = sorted(set[UUID]().union(*(heard.hearers[item.position] for item in heard.batch.items)))
    for being_id in everyone:
        known_erased.for_intake(tx, settings, being_id)
    begun = {being_id: begin(tx, settings, being_id, 0) for being_id in everyone}
    for being_id in everyone:
        session_states.lock(tx, being_id)
    known = _known(tx, room, heard)
    conflicts = _conflicts(heard, known)
    ids = _ids(tx, heard, known, begun[everyone[0]].began_at) if everyone else {}
    taken: dict[UUID, StoredMessages] = {}
    for being_id in everyone:
        own = heard.of(being_id, room)
        own = replace(own, items=[item for item in own.items if item.position not in conflicts])
        if own.items:
            taken[being_id] = take_begun(tx, settings, being_id, own, begun[being_id], ids, bulk=bulk)
    stored = {id_ for one in taken.values() for id_ in one.inserted.values()}
    utterances.settle(tx, room.user_id, sorted(stored), newcomer=bound_to)
    late = stored & {id_ for of_one in known.values() for versions in of_one.values() for id_ in versions.values()}
    if late and sharing.share(tx, room.user_id, sorted(late)):
        erasure.remove_unused_names(tx, room.user_id)
    for being_id, one in taken.items():
        process_or_wait(tx, settings, being_id, sorted(one.sessions), may=begun[being_id].may_think)
    receipt = _receipt(heard, taken, ids, known, conflicts)
    may_think = any(one.may_think for one in begun.values())
    return receipt if may_think or not receipt.accepted else receipt.model_copy(update={"hint": NO_KEY})


def _known(tx: Transaction, room: Place, heard: _RoomBatch) -> dict[UUID, Mapping[str, Versions]]:
    """The versions stored under the producer ids of a batch, by Being."""
    producer_ids = heard.batch.producer_ids()
    beings = {being_id for hearers in heard.hearers.values() for being_id in hearers}
    beings |= {being.being_id for being in rooms.beings_in(tx, room)}
    return {being_id: messages.known(tx, being_id, producer_ids) for being_id in sorted(beings)}


def _conflicts(heard: _RoomBatch, known: Mapping[UUID, Mapping[str, Versions]]) -> set[int]:
    """Return the positions of utterances with an id of other words, at one of the Beings or earlier in the batch."""
    first: dict[str, bytes] = {}
    conflicts = set()
    for item in heard.batch.items:
        if item.producer_id is None:
            continue
        stored = (known[being_id].get(item.producer_id, {}) for being_id in heard.hearers[item.position])
        others = any(versions and item.content_hash not in versions for versions in stored)
        if others or first.setdefault(item.producer_id, item.content_hash) != item.content_hash:
            conflicts.add(item.position)
    return conflicts


def _ids(
    tx: Transaction, heard: _RoomBatch, known: Mapping[UUID, Mapping[str, Versions]], now: datetime
) -> dict[int, UUID]:
    """The id of each utterance, which is that of its copies: the one that a Being has it under, or a new one."""
    ordered = sorted(heard.batch.items, key=partial(said_at, now=now))
    fresh = iter(new_ids(tx, len(ordered)))
    by_words: dict[tuple[str, bytes], UUID] = {
        (producer_id, content_hash): id_
        for of_one in known.values()
        for producer_id, versions in of_one.items()
        for content_hash, id_ in versions.items()
    }
    ids: dict[int, UUID] = {}
    for item in ordered:
        id_ = next(fresh)
        if item.producer_id is not None:
            id_ = by_words.setdefault((item.producer_id, item.content_hash), id_)
        ids[item.position] = id_
    return ids


def _receipt(
    heard: _RoomBatch,
    taken: Mapping[UUID, StoredMessages],
    ids: Mapping[int, UUID],
    known: Mapping[UUID, Mapping[str, Versions]],
    conflicts: set[int],
) -> Receipt:
    """Build the receipt of a batch: an utterance is accepted if any Being got it, and erased if each had erased it.

    One that no Being got is off the record if it is so for any of them.
    """
    inserted = {position: ids[position] for one in taken.values() for position in one.inserted}
    rejected = {trouble.position: trouble.reason for one in taken.values() for trouble in one.batch.rejected}
    batch = heard.batch.rejecting(rejected)
    hearers = {
        item.position: [taken[being_id].batch for being_id in heard.hearers[item.position]]
        for item in batch.items
        if item.position not in conflicts
    }
    erased = {place for place, every in hearers.items() if all(place in one.erased for one in every)}
    unkept = {
        place for place, every in hearers.items() if all(place in {*one.erased, *one.off_the_record} for one in every)
    }
    batch = batch.without_erased(erased).without_off_the_record(unkept - erased)
    stored: dict[str, Versions] = {}
    for of_one in known.values():
        for producer_id, versions in of_one.items():
            stored.setdefault(producer_id, versions)
    stored |= {
        item.producer_id: {item.content_hash: ids[item.position]}
        for item in batch.items
        if item.producer_id is not None and item.position not in conflicts
    }
    return batch.receipt(inserted, stored)
