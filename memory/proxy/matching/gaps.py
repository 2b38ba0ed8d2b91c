"""The one message that a user has deleted, as a transcript shows it: what stood around it stands next to each other.

Frontends leave out what they cut off, hide or summarise, which is not gone. These are several messages, or the first
ones. One alone was deleted if the transcript shows all else from its first match to its last, and goes on behind it.
Some frontends keep the first exchange of a long transcript and cut behind it, and put a summary or a note there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory.proxy.matching.alignment import EXCHANGE, KnownConversation, Match
from memory.proxy.transcript_turns import Turn
from store.talk.transcripts import PlacedMessage

# A transcript of fewer characters, without white space, is not cut behind its first exchange.
SURELY_WHOLE = 4_000


@dataclass(frozen=True, slots=True)
class Gap:
    """A message that is missing between two matches."""

    message: PlacedMessage
    before: Match
    behind: Match


def one_missing(turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation) -> Gap | None:
    """Return the one message that is missing between two matches; None if none is, or more are."""
    pairs = list(pairwise(matches))
    if any(behind.turn != before.turn + 1 for before, behind in pairs) or any(turn.role == "other" for turn in turns):
        return None
    missing = [
        Gap(one, before, behind) for before, behind in pairs for one in known.between(before.message, behind.message)
    ]
    if len(missing) != 1:
        return None
    (found,) = missing
    turn = turns[found.behind.turn]
    is_last = found.behind.turn == len(turns) - 1
    if is_last or turn.after_wordless or turn.after_system or found.message.role == "other":
        return None
    return None if _has_others(found.message, known) or _may_be_cut(turns, matches, found, known) else found


def _has_others(message: PlacedMessage, known: KnownConversation) -> bool:
    """Whether another message stands in the place of one, so that a frontend shows neither."""
    others = known.after.get(message.parent_id, ())
    return not message.stands or any(one.stands and one.role == message.role and one is not message for one in others)


def _may_be_cut(turns: Sequence[Turn], matches: Sequence[Match], found: Gap, known: KnownConversation) -> bool:
    """Whether nothing tells that the beginning before a message belongs to it, or that it was not cut behind that."""
    first = [one for one in matches if one.turn <= found.before.turn and not known.is_greeting(one.message)]
    is_long = sum(len(turn.comparable) for turn in turns) > SURELY_WHOLE
    return not first or (len(first) <= EXCHANGE and is_long)
