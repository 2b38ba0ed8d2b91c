"""Lines in which a frontend shows several messages of one speaker, or of a group's members, that follow each other.

An answer around calls of tools comes in several answers; some programs later show one, at times with the tools' results
in it; others merge lines of one role. Such a line is divided into the messages that it shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from memory.proxy.matching.alignment import KnownConversation
from memory.proxy.matching.reads import RepeatableReads
from memory.proxy.reading.turns import Turn
from memory.text.same_words import LONG, comparable
from schemas.text.reasoning import spoken
from store.talk import transcripts
from store.talk.transcripts import PlacedMessage

# The most messages, the newest ones, that are compared by text.
COMPARED = 400


def divided_as_known(
    reads: RepeatableReads, being_id: UUID, turns: Sequence[Turn], known: KnownConversation
) -> Sequence[Turn]:
    """Return a transcript with its turns divided as the messages came in, or the same if none shows several."""
    unknown = {(turn.role, turn.speaker, turn.perhaps_of): turn for turn in turns if turn.digest not in known.by_digest}
    going_on = {
        id_ for id_, one in known.messages.items() if any(_goes_on(one, turn, known) for turn in unknown.values())
    }
    if not going_on:
        return turns
    begun = {before for id_ in going_on if (before := known.messages[id_].parent_id) is not None}
    newest = sorted(going_on | begun, reverse=True)[:COMPARED]
    texts = reads.ask(transcripts.contents, being_id, newest)
    pieces = {id_: (text, comparable(spoken(text))) for id_, text in texts.items()}
    divided: list[Turn] = []
    for turn in turns:
        shown: list[Turn] = []
        if turn.digest not in known.by_digest:
            begins = (id_ for id_, (_, words) in pieces.items() if turn.comparable.startswith(words))
            firsts = (known.messages[id_] for id_ in begins if id_ not in going_on)
            shown = max(
                (_shown(turn, one, known, pieces) for one in firsts if _may_show(turn, one)), key=len, default=shown
            )
        divided += shown or [turn]
    return divided if len(divided) > len(turns) else turns


def _shown(
    turn: Turn, first: PlacedMessage, known: KnownConversation, pieces: Mapping[UUID, tuple[str, str]]
) -> list[Turn]:
    """The messages from a first one on that a turn shows, as turns; none if it does not show several, up to its end."""
    shown: list[Turn] = []
    message: PlacedMessage | None = first
    rest, between = turn.comparable, 0
    while message is not None:
        text, words = pieces[message.message_id]
        before, _, rest = rest.partition(words)
        between += len(before)
        own = replace(turn, role=message.role, speaker=message.speaker, perhaps_of=None)
        shown.append(replace(own, text=text, comparable=words, digest=message.digest))
        following = (one for one in known.after.get(message.message_id, ()) if _may_show(turn, one))
        behind = [one for one in following if one.message_id in pieces and pieces[one.message_id][1] in rest]
        message = max(behind, key=lambda one: (one.stands, one.message_id), default=None)
    # Text between answers may be a tool's.
    is_whole = not between or (turn.role == "assistant" and len(turn.comparable) - between >= LONG)
    return shown if not rest and is_whole and len(shown) > 1 else []


def _goes_on(message: PlacedMessage, turn: Turn, known: KnownConversation) -> bool:
    """Whether a turn may show a message and the one before it."""
    before = known.messages.get(message.parent_id) if message.parent_id else None
    return before is not None and _may_show(turn, before) and _may_show(turn, message)


def _may_show(turn: Turn, message: PlacedMessage) -> bool:
    """Whether a message is of the turn's speaker; a line in a group that has no name may be of any that answers."""
    is_same = (message.role, message.speaker) == (turn.role, turn.speaker)
    return is_same or (turn.perhaps_of == "" and message.role == "other")
