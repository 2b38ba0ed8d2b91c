"""Storing the new turns of a transcript as messages, each with its place and its time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from memory.intake.accepting import is_bulk
from memory.intake.messages import read_messages, take_messages
from memory.proxy.changes import NEXT, NewTurn
from memory.proxy.matching.alignment import KnownConversation
from memory.proxy.transcript_turns import Turn
from schemas.accounts.accounts import Being
from schemas.limits import BATCH_ITEMS
from schemas.settings import Settings
from store import clock
from store.talk import transcripts
from store.talk.transcripts import NewPlace
from store.transaction import Transaction

# Between turns that come in together, so that a missing one finds room.
APART = timedelta(milliseconds=1)


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
    paid_by: UUID | None,
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
        paid_by: The id of the key that came with the request, if one did.

    Returns:
        What was stored.

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
        (receipt,) = take_messages(tx, settings, being.being_id, [batch], bulk=is_bulk(items), paid_by=paid_by)
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
    return StoredTurns(stored, shortened, refused)


def messages_at(stored: Mapping[int, UUID], new: Sequence[NewTurn]) -> dict[int, UUID | None]:
    """The message of each new turn; of one that could not be stored the one that it was said after."""
    at: dict[int, UUID | None] = {}
    for one in new:
        before = at[one.after] if isinstance(one.after, int) else one.after
        at[one.turn] = stored.get(one.turn, before)
    return at


def _times(tx: Transaction, new: Sequence[NewTurn], known: KnownConversation) -> dict[int, datetime]:
    """When each new turn was said: now, in order, and after what it was said after."""
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
