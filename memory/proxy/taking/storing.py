"""Storing the new turns of a transcript as messages of each Being present, with their places and times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from memory.intake.accepting import is_bulk
from memory.intake.messages import begin, read_messages, take_begun, take_messages
from memory.proxy.matching.alignment import KnownConversation
from memory.proxy.reading.comparison import beings_named
from memory.proxy.reading.turns import Turn
from memory.proxy.taking.changes import NEXT, NewTurn
from memory.talk.sessions import process_or_wait
from memory.text.same_words import digest
from schemas.accounts.accounts import Being
from schemas.limits import BATCH_ITEMS
from schemas.settings import Settings
from schemas.wire.fields import Role
from store import clock
from store.talk import transcripts, utterances
from store.talk.transcripts import NewPlace
from store.transaction import Transaction

# Between turns that come in together, so that a missing one finds room.
APART = timedelta(milliseconds=1)


@dataclass(frozen=True)
class Roommates:
    """The other Beings of a room, besides the one that a request is for.

    Attributes:
        present: Those that receive new messages, by their ids.
        every: Those that may have copies of earlier messages, by their ids.
    """

    present: Sequence[Being] = ()
    every: Sequence[Being] = ()


NO_ROOMMATES = Roommates()


@dataclass(frozen=True, slots=True)
class _Stored:
    """A turn that is stored for the Being of a request: its message, the one that it was said after, and its item."""

    turn: Turn
    message_id: UUID
    parent_id: UUID | None
    item: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class StoredTurns:
    """New turns that are stored.

    Attributes:
        messages: The messages by the numbers of their turns, without those that were erased before or can't be stored.
        shortened: Of how many turns only the beginning is stored, because they are too long.
        refused: How many turns can't be stored.
    """

    messages: dict[int, UUID]
    shortened: int
    refused: int


def store_turns(
    tx: Transaction,
    settings: Settings,
    being: Being,
    conversation: str,
    turns: Sequence[Turn],
    new: Sequence[NewTurn],
    known: KnownConversation,
    others: Sequence[Being] = (),
) -> StoredTurns:
    """Store new turns and their places, in a transaction that has locked the Being's talk.

    Args:
        tx: The transaction.
        settings: Thresholds of judging.
        being: The Being.
        conversation: The conversation.
        turns: The transcript.
        new: Which of its turns are new, in order.
        known: The conversation as it was.
        others: The other Beings of a room that receive the new turns.

    Returns:
        The stored turns.

    Raises:
        IntakeFull, SecretMissing: As `take_messages`.
    """
    if not new:
        return StoredTurns({}, 0, 0)
    times = _times(tx, new, known)
    items = [
        {
            "role": turns[one.turn].role,
            "speaker": turns[one.turn].speaker,
            "conversation": conversation,
            "content": turns[one.turn].text,
            "created_at": times[one.turn].isoformat(),
            "metadata": {"unsure": True} if turns[one.turn].unsure else {},
        }
        for one in new
    ]
    stored: dict[int, UUID] = {}
    shortened = refused = 0
    for first in range(0, len(items), BATCH_ITEMS):
        batch = read_messages(items[first : first + BATCH_ITEMS], lambda _: None)
        (receipt,) = take_messages(tx, settings, being.being_id, [batch], bulk=is_bulk(items))
        shortened += len(receipt.shortened)
        refused += len(receipt.rejected)
        stored |= {new[first + place].turn: id_ for place, id_ in enumerate(receipt.ids) if id_ is not None}
    at = messages_at(stored, new)
    places = [
        NewPlace(stored[one.turn], at[one.after] if isinstance(one.after, int) else one.after, turns[one.turn].digest)
        for one in new
        if one.turn in stored
    ]
    transcripts.add(tx, being.being_id, conversation, places)
    by_message = {place.message_id: place for place in places}
    _hand_on(
        tx,
        settings,
        being,
        others,
        conversation,
        [
            _Stored(turns[one.turn], stored[one.turn], by_message[stored[one.turn]].parent_id, item)
            for one, item in zip(new, items, strict=True)
            if one.turn in stored
        ],
    )
    return StoredTurns(stored, shortened, refused)


def messages_at(stored: Mapping[int, UUID], new: Sequence[NewTurn]) -> dict[int, UUID | None]:
    """The message of each new turn; of one that could not be stored the one that it was said after."""
    at: dict[int, UUID | None] = {}
    for one in new:
        before = at[one.after] if isinstance(one.after, int) else one.after
        at[one.turn] = stored.get(one.turn, before)
    return at


def _times(tx: Transaction, new: Sequence[NewTurn], known: KnownConversation) -> dict[int, datetime]:
    """Return the time of each new turn: now, in order, and after the message that it follows."""
    now = clock.now(tx)
    times: dict[int, datetime] = {}
    ahead = sum(one.at is None for one in new)
    for one in new:
        if one.at is not None:
            times[one.turn] = one.at
            continue
        ahead -= 1
        times[one.turn] = now - ahead * APART
        before = times.get(one.after) if isinstance(one.after, int) else None
        if isinstance(one.after, UUID) and one.after in known.messages:
            before = known.messages[one.after].created_at
        if before is not None:
            times[one.turn] = max(times[one.turn], before + NEXT)
    return times


def _hand_on(
    tx: Transaction,
    settings: Settings,
    being: Being,
    others: Sequence[Being],
    conversation: str,
    stored: Sequence[_Stored],
) -> None:
    """Store a Being's new messages for others, under the same ids, in a transaction that has locked their talk.

    Raises:
        IntakeFull, SecretMissing: As `take_messages`.
    """
    ids = {place: one.message_id for place, one in enumerate(stored)}
    for other in others if stored else ():
        entries = [_item_for(one, being, other, [being, *others]) for one in stored]
        batch = read_messages(entries, lambda _: None)
        begun = begin(tx, settings, other.being_id, 0)
        taken = take_begun(tx, settings, other.being_id, batch, begun, ids, bulk=is_bulk(stored))
        known = utterances.with_copy(tx, other.being_id, [one.parent_id for one in stored if one.parent_id is not None])
        places = [
            NewPlace(
                id_,
                _parent(stored[place].parent_id, known),
                digest(_role(stored[place].turn, other, [being, *others]), stored[place].turn.comparable),
            )
            for place, id_ in taken.inserted.items()
        ]
        transcripts.add(tx, other.being_id, conversation, places)
        utterances.settle(tx, other.user_id, list(taken.inserted.values()), newcomer=other.being_id)
        process_or_wait(tx, settings, other.being_id, sorted(taken.sessions), may=begun.may_think)


def _parent(parent_id: UUID | None, known: set[UUID]) -> UUID | None:
    return parent_id if parent_id in known else None


def _item_for(one: _Stored, being: Being, other: Being, room: Sequence[Being]) -> dict[str, object]:
    role = _role(one.turn, other, room)
    speaker = being.name if one.turn.role == "assistant" else one.turn.speaker
    return {**one.item, "role": role, "speaker": speaker if role == "other" else None}


def _role(turn: Turn, other: Being, room: Sequence[Being]) -> Role:
    """The role of a turn's speaker for another Being than the one that the transcript is addressed to."""
    if turn.role == "assistant":
        return "other"
    # A name that several have, or that frontends write for several, identifies none of them.
    return "assistant" if turn.speaker is not None and beings_named(turn.speaker, room) == [other] else turn.role
