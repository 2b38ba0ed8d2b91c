"""Messages that a transcript shows the place of without them: one that a user deleted, and a frontend's notes.

Frontends leave out messages that they cut off, hide or summarise: these stand, and are several, or the first ones. One
alone was deleted if the transcript shows all else from its first match to its last, and goes on behind it.
Some frontends keep the first exchange of a long transcript and cut behind it, and put a summary or a note there.

A note that a frontend puts a fixed number of lines before the end is at another place in each transcript. Without a
mark this is its sign: the transcript shows it further on than the message that it came in as. A person may say a long
sentence again as well, so that a note needs two such messages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from memory.proxy.matching.alignment import EXCHANGE, KnownConversation, Match
from memory.proxy.reading.turns import Turn, trailing_words
from memory.text.same_words import LONG
from store.talk.transcripts import PlacedMessage

# A transcript of fewer characters, without white space, is not cut behind its first exchange.
SURELY_WHOLE = 4_000


@dataclass(frozen=True, slots=True)
class MissingMessage:
    """A message that is missing between two matches."""

    message: PlacedMessage
    before: Match
    behind: Match


def one_missing(turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation) -> MissingMessage | None:
    """Return the one message that is missing between two matches; None if none is, or more are."""
    pairs = list(pairwise(matches))
    if any(behind.turn != before.turn + 1 for before, behind in pairs) or any(turn.role == "other" for turn in turns):
        return None
    missing = [
        MissingMessage(one, before, behind)
        for before, behind in pairs
        for one in known.between(before.message, behind.message)
    ]
    if len(missing) != 1:
        return None
    (found,) = missing
    turn = turns[found.behind.turn]
    is_last = found.behind.turn == len(turns) - 1
    is_elsewhere = any(one.digest == found.message.digest for one in turns[: matches[0].turn])
    if is_last or is_elsewhere or turn.after_wordless or turn.after_system or found.message.role == "other":
        return None
    return None if _has_others(found.message, known) or _may_be_cut(turns, matches, found, known) else found


def _has_others(message: PlacedMessage, known: KnownConversation) -> bool:
    """Whether another message stands in the place of one, so that a frontend shows neither."""
    others = known.after.get(message.parent_id, ())
    return not message.stands or any(one.stands and one.role == message.role and one is not message for one in others)


def _may_be_cut(
    turns: Sequence[Turn], matches: Sequence[Match], found: MissingMessage, known: KnownConversation
) -> bool:
    """Whether there is no evidence that the beginning before a message belongs to it, or that no cut follows it."""
    first = [one for one in matches if one.turn <= found.before.turn and not known.is_greeting(one.message)]
    is_long = sum(len(turn.comparable) for turn in turns) > SURELY_WHOLE
    return not first or (len(first) <= EXCHANGE and is_long)


def moved_notes(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation
) -> dict[int, list[PlacedMessage]]:
    """Return, by turn, the earlier messages with its words that the transcript lacks at their places.

    The newest words alone are no note.
    """
    at = {match.message.message_id: match.turn for match in matches}
    taken = set(at.values())
    newest = trailing_words(turns)
    # Messages before the first match are cut off.
    cut = {one.message_id for one in known.way_to(matches[0].message) if one.parent_id} if matches else set[UUID]()
    moved: dict[int, list[PlacedMessage]] = {}
    for number, turn in enumerate(turns):
        is_short = len(turn.comparable) < LONG and number < newest
        if number in taken or is_short or number == len(turns) - 1 == newest:
            continue
        if number == len(turns) - 1 and turn.role == "assistant":
            # An answer that begins with it may follow.
            continue
        left = [
            one
            for one in known.by_digest.get(turn.digest, ())
            if one.message_id not in cut and _has_left(one, number, at, known)
        ]
        if number >= newest:
            role = turns[number - 1].role if number else None
            left = [
                one
                for one in left
                if one.parent_id is None or (one.parent_id in at and _role_before(one, known) == role)
            ]
        if left:
            moved[number] = left
    return moved


def _role_before(message: PlacedMessage, known: KnownConversation) -> str | None:
    return next((one.role for one in known.way_to(message)), None)


def _has_left(message: PlacedMessage, number: int, at: Mapping[UUID, int], known: KnownConversation) -> bool:
    """Whether a transcript shows, before a turn, the messages behind a message without that message itself."""
    behind = list(known.after.get(message.message_id, ()))
    if not message.stands:
        behind += known.after.get(message.parent_id, ())
    return message.message_id not in at and any(at.get(one.message_id, number) < number for one in behind)
