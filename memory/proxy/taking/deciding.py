"""Decides on the conversation of a transcript, and on the changes there; stores nothing.

All reads go through `RepeatableReads`: the decision is made without a lock, and holds if the same is read under it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from memory.proxy.matching import unrecorded_turns
from memory.proxy.matching.forks import forked
from memory.proxy.matching.gaps import moved_notes
from memory.proxy.matching.group_turns import own_as_known, without_others_as_own
from memory.proxy.matching.joined_turns import divided_as_known
from memory.proxy.matching.reads import RepeatableReads
from memory.proxy.matching.recognition import Recognized, named, recognize, without_added_to_turns
from memory.proxy.reading.transcript import Transcript
from memory.proxy.reading.turns import Turn
from memory.proxy.taking.adoption import Adoption, changes_with_adoption
from memory.proxy.taking.answer_place import beginning_of_answer, ends_sentence, is_awaited
from memory.proxy.taking.storing import NO_ROOMMATES, Roommates
from schemas.accounts.accounts import Being
from schemas.settings import Settings


@dataclass(frozen=True)
class TranscriptRequest:
    """A transcript with the parameters of its request, as `take_transcript` documents them.

    `wordless`: its last line has no words, so that the model answers a picture, or a tool's result.
    """

    being: Being
    transcript: Transcript
    conversation: str | None
    user_names: Sequence[str]
    choices: int
    off_the_record: bool = False
    room: Roommates = NO_ROOMMATES
    wordless: bool = False


@dataclass(frozen=True)
class DecidedTranscript:
    """A transcript as it was read, and its changes.

    Attributes:
        turns: Its turns, without a frontend's additions, turns off the record, and the beginning of an answer that no
            message is, unless that is off the record.
        decided: Its conversation, and the changes.
        off_the_record: Whether it is off the record, so that nothing is changed.
        is_awaited: Whether the answer is one that the Being gives in this talk.
        goes_on: The last turn, if the answer goes on from it; else empty.
        begun: Likewise, if it is that beginning, with which the answer is stored.
    """

    turns: Sequence[Turn]
    decided: Adoption
    off_the_record: bool
    is_awaited: bool
    goes_on: str
    begun: str


def decide(
    reads: RepeatableReads, settings: Settings, request: TranscriptRequest, turns: Sequence[Turn], now: datetime
) -> DecidedTranscript:
    """Find the conversation, and the transcript's changes to it."""
    being_id, conversation = request.being.being_id, request.conversation

    def find(turns: Sequence[Turn]) -> Recognized:
        named_or_not = partial(named, conversation=conversation) if conversation else partial(recognize, now=now)
        found = named_or_not(reads, being_id, turns)
        # A room's messages go to all who are present, also if one of them knows them from elsewhere.
        is_fork = found.aligned and not found.known.messages and not request.room.every
        return forked(reads, being_id, turns, found) if is_fork else found

    if conversation is not None:
        turns = without_others_as_own(reads, being_id, turns, conversation)
    found = find(turns)
    as_said = without_added_to_turns(reads, being_id, turns, found.known)
    as_said = divided_as_known(reads, being_id, as_said, found.known)
    as_said = as_said if request.room.every else own_as_known(as_said, found.known)
    if as_said is not turns:
        turns, found = as_said, find(as_said)
    notes = moved_notes(turns, found.matches, found.known)
    # One that moved once may be a person's repetition.
    often = {number for number, left in notes.items() if len(left) > 1}
    if often:
        turns = [turn for number, turn in enumerate(turns) if number not in often]
        found = find(turns)
    off = request.off_the_record or request.being.is_off_the_record(found.conversation)
    if not off:
        shown = {match.turn for match in found.matches}
        off_record = unrecorded_turns.unrecorded(reads, settings, request.being, found.conversation, turns, shown)
        off = len(turns) - 1 in off_record
        if off_record and not off:
            turns = [turn for number, turn in enumerate(turns) if number not in off_record]
            found = find(turns)
    awaited = request.choices == 1 and is_awaited(request.transcript, [request.being.name, request.being.slug])
    goes_on = beginning_of_answer(request.transcript, turns[-1]) if awaited and not request.wordless else ""
    is_known = any(match.turn == len(turns) - 1 for match in found.matches)
    # Behind a whole sentence, the model may be to add another answer.
    begun = "" if len(turns) == 1 or is_known or ends_sentence(goes_on) else goes_on
    if begun and not off:
        turns = turns[:-1]
    decided = changes_with_adoption(reads, being_id, turns, found, now, certain=conversation is not None)
    decided.changes.take_out([one for left in notes.values() for one in left], found.known)
    return DecidedTranscript(turns, decided, off, awaited, goes_on, begun)
