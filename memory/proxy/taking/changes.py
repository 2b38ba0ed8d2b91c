"""The changes that an aligned transcript makes in the known conversation.

A message of a conversation is standing or retracted, and has its place after another one. One that is retracted here
stands as long as another conversation has it (`forks`). A transcript changes a conversation as follows; every rule
reads the whole transcript and the present state, so a transcript that comes again changes nothing, and one that could
not be taken in is made up for by the next.

=============================================  ======================================================================
the transcript shows                           then
=============================================  ======================================================================
turns behind the last match                    they are new, each after the one before it
a retracted message                            it is restored, with retracted messages before it on its way
a message, and goes on behind it               other messages in its place are retracted, with those after them
a longer version of an answer, and goes on     the longer version takes the answer's place
other turns, as many and of the same speakers, they take the place of these messages, which are retracted
in the place of messages between two matches;
right behind a greeting, one turn alone
an answer between two turns of others that     it was missing, and is added there
follow each other directly
anything else between two matches              nothing: a summary, or a frontend's addition for the model
no trace of several messages                   nothing: frontends cut, hide and summarise
one turn before the answer to the first        it takes the place of that message: it was edited
message, or before the one after it
all from the first match to the last but one   it is retracted: its user deleted it (`gaps`)
message, and goes on
a long message further on than where it was,   the earlier one is retracted; a frontend's note, which has moved so
and the messages behind it without it          before, is not stored again (`gaps`)
another answer to a message, and behind it     the answers stand beside each other, the words are one message: several
the words behind the known answer              models were asked at once (`alternatives`)
other turns before the first match             nothing
no match with a conversation of a given id     the user's words behind the last answer are new
no match, and nothing is known                 all turns are new
=============================================  ======================================================================

INVARIANT 1  Nothing is retracted but for a message that the transcript shows in the same place, and goes on behind; or
             as the only message that is missing between two that it shows; or as one that it shows further on.
INVARIANT 2  Nothing is retracted unless it is certain that the transcript shows this part of this conversation: two
             messages match before that place (between two matches: two in all). A greeting is no evidence. One match
             is enough for an answer to that message that no message follows; and if the conversation's id was given,
             one long match, or its first message at the beginning of the transcript. A short one may be said again
             behind a beginning that the frontend cut off. One match with its only answer is enough for an edit of the
             first message.
INVARIANT 3  No message of the transcript is retracted.
INVARIANT 4  Each turn becomes at most one message: a turn that matches a message, or equals a retracted version in the
             same place, adds none.
INVARIANT 5  Alternatives (`alternatives`) are not retracted by each other's transcripts, in any order of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import accumulate, takewhile
from uuid import UUID

from memory.proxy.matching.alignment import KnownConversation, Match, without_words_said_again
from memory.proxy.matching.alternatives import are_alternatives, was_there, words_behind_another
from memory.proxy.matching.gaps import one_missing
from memory.proxy.reading.turns import Turn, trailing_words
from memory.text.same_words import LONG
from store.talk.transcripts import PlacedMessage

EVIDENCE = 2
# Puts a message that was missing right behind the one before it, in the order of their times.
NEXT = timedelta(microseconds=1)

Place = UUID | int
"""A known message by its id, or a new one by the number of its turn."""


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn that becomes a message.

    Attributes:
        turn: Its number in the transcript.
        after: The message that it follows; None if it is the first that is known.
        at: When it was said, if it takes a place in the past.
    """

    turn: int
    after: Place | None
    at: datetime | None = None


@dataclass(slots=True)
class TranscriptChanges:
    """The changes.

    Attributes:
        new: New messages, each behind those that it refers to.
        restore: Retracted messages that are said again.
        retract: Messages that others have taken the place of.
        retract_with_rest: Likewise, with everything that was said after them.
        shown: All messages that the transcript shows; they stand when all is done.
        moves: By message, its new parent.
        last: The transcript's last turn; None if it has no turn that is known or new.
    """

    new: list[NewTurn] = field(default_factory=list)
    restore: list[UUID] = field(default_factory=list)
    retract: list[UUID] = field(default_factory=list)
    retract_with_rest: list[UUID] = field(default_factory=list)
    shown: set[UUID] = field(default_factory=set)
    moves: dict[UUID, Place] = field(default_factory=dict)
    last: Place | None = None

    def take_out(self, notes: Sequence[PlacedMessage], known: KnownConversation) -> None:
        """Retract notes of a frontend's that came in as messages: the message behind one follows the one before it."""
        ids = {note.message_id for note in notes}
        for note in notes:
            if note.stands:
                self.retract.append(note.message_id)
                before = next((one.message_id for one in known.way_to(note) if one.message_id not in ids), None)
                if before is not None:
                    for one in known.after.get(note.message_id, ()):
                        self.moves.setdefault(one.message_id, before)


def changes_of(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation, *, certain: bool
) -> TranscriptChanges:
    """Return the changes of a transcript.

    Args:
        turns: The transcript.
        matches: Its alignment.
        known: The conversation.
        certain: Whether the frontend said which conversation it is.
    """
    return _Reader(turns, without_words_said_again(turns, matches, known), known, certain=certain).read()


class _Reader:
    """Goes through a transcript once; `_way` collects the place of each turn that has one.

    `_replaced` has, by turn, the message that it replaced, and `_kept` the alternatives of the messages shown.
    """

    def __init__(
        self, turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation, *, certain: bool
    ) -> None:
        self._turns, self._matches, self._known, self._certain = turns, matches, known, certain
        self._changes = TranscriptChanges(shown={match.message.message_id for match in matches})
        self._way: dict[int, Place] = {}
        self._replaced: dict[int, UUID] = {}
        self._was_replaced: set[UUID] = set()
        self._kept: set[UUID] = set()
        telling = {match.turn for match in matches if not known.is_greeting(match.message)}
        # By turn, how many matches before it are evidence that it is this conversation, and how long they are.
        self._evidence = [0, *accumulate(number in telling for number in range(len(turns)))]
        lengths = (len(turn.comparable) * (number in telling) for number, turn in enumerate(turns))
        self._said = [0, *accumulate(lengths)]
        self._begins_here = _is_beginning(matches, known)

    def read(self) -> TranscriptChanges:
        """Apply all rules."""
        self._before_first()
        self._one_missing()
        before: Match | None = None
        for match in self._matches:
            if before is not None:
                self._between(before, match)
            self._matched(match)
            before = match
        self._behind(before)
        for number, place in self._way.items():
            self._others_in_place_of(number, place)
        self._changes.new.sort(key=lambda new: new.turn)
        self._changes.last = self._way.get(len(self._turns) - 1)
        return self._changes

    def _matched(self, match: Match) -> None:
        if match.longer and self._goes_on_behind(match.turn):
            self._take_place(match.turn, match.message, self._way.get(match.turn - 1, match.message.parent_id))
        else:
            self._show(match.turn, match.message)

    def _before_first(self) -> None:
        """Let the turn before the first match take the place of the conversation's first message: it was edited."""
        match = next(iter(self._matches), None)
        if match is None or match.turn != 1 or match.message.parent_id is None:
            return
        first = self._known.messages.get(match.message.parent_id)
        if first is None or first.parent_id is not None or first.role == "assistant" or not first.stands:
            return
        if self._same_speakers([0], [first]) and (self._is_certain(len(self._turns)) or self._is_only_answer(match)):
            self._changes.moves[match.message.message_id] = self._take_place(0, first, None)

    def _one_missing(self) -> None:
        """Retract the one message that was deleted."""
        found = one_missing(self._turns, self._matches, self._known)
        if found is not None and self._is_certain(len(self._turns)):
            self._changes.retract.append(found.message.message_id)
            self._was_replaced.add(found.message.message_id)
            self._changes.moves[found.behind.message.message_id] = found.before.message.message_id

    def _between(self, before: Match, match: Match) -> None:
        """Apply the rules to turns that match nothing between two that do."""
        between = range(before.turn + 1, match.turn)
        missing = self._known.between(before.message, match.message)
        if self._way[before.turn] != before.message.message_id:
            # A longer version has taken the place of the answer.
            self._changes.moves[(missing or [match.message])[0].message_id] = self._way[before.turn]
        last: Place | None = None
        # Several turns right behind a greeting are a summary rather than edits: nothing before them is evidence.
        edited = len(between) == 1 or (len(between) > 1 and not self._known.is_greeting(before.message))
        is_certain = self._is_certain(len(self._turns)) or (
            self._known.is_greeting(before.message) and self._is_only_answer(match)
        )
        if edited and self._same_speakers(between, missing) and is_certain:
            last = self._way[before.turn]
            for number, message, kept in zip(between, missing, [*missing[1:], match.message], strict=True):
                alternative = self._alternative(number, message, kept)
                if alternative is not None:
                    self._show(number, alternative)
                    self._kept.add(message.message_id)
                    self._keep_beside(message, kept)
                    last = message.message_id
                    continue
                last = self._take_place(number, message, last)
                # Other answers to the message stay beside the one that is kept: they go when the talk goes on.
                others = self._known.after.get(message.message_id, ())
                self._changes.moves |= {one.message_id: last for one in others if one.message_id != kept.message_id}
        elif len(between) == 1 and not missing:
            last = self._insert(between[0], before, match)
        if last is not None:
            self._changes.moves[match.message.message_id] = last

    def _alternative(self, number: int, message: PlacedMessage, behind: PlacedMessage) -> PlacedMessage | None:
        """The answer that a turn equals beside another one, if both stand, or the newest words were said to both."""
        version = self._version(message.parent_id, number)
        if version is None or version.role != "assistant":
            return None
        words = self._turns[number + 1 : number + 2] if trailing_words(self._turns) == number + 1 else ()
        both = was_there(version, behind) and any(turn.digest == behind.digest for turn in words)
        return version if both or are_alternatives(self._known, version, message) else None

    def _keep_beside(self, answer: PlacedMessage, behind: PlacedMessage) -> None:
        """Keep the answers beside one that were there when the words behind it were said."""
        beside = self._known.after.get(answer.parent_id, ())
        self._kept |= {one.message_id for one in beside if was_there(one, behind)}

    def _take_place(self, number: int, message: PlacedMessage, after: Place | None) -> Place:
        """Let a turn take the place of a message: as a version that is known there, or as a new one."""
        place = self._show_or_add(number, message.parent_id, after, message.created_at)
        self._changes.shown.discard(message.message_id)
        self._replaced[number] = message.message_id
        self._was_replaced.add(message.message_id)
        if message.stands:
            self._changes.retract.append(message.message_id)
        return place

    def _insert(self, number: int, before: Match, match: Match) -> Place | None:
        """Put an answer between two messages that follow each other; None if the turn is no missing answer."""
        version = self._version(before.message.message_id, number)
        roles = [self._turns[place].role for place in (before.turn, number, match.turn)]
        if version is not None:
            self._show(number, version)
        elif roles[1] == "assistant" and "assistant" not in (roles[0], roles[2]):
            self._add(number, self._way[before.turn], before.message.created_at + NEXT)
        return self._way.get(number)

    def _behind(self, last: Match | None) -> None:
        """Take in the turns behind the last match."""
        first, after = 0, None
        if last is not None:
            first, after = last.turn + 1, self._way[last.turn]
        elif self._known.messages:
            first = trailing_words(self._turns)
            after = max(self._known.messages.values(), key=lambda one: (one.stands, one.message_id)).message_id
        for number in range(first, len(self._turns)):
            after = self._show_or_add(number, after, after)

    def _others_in_place_of(self, number: int, place: Place) -> None:
        """Retract the other messages in the place of a turn that the talk has gone on behind."""
        before = self._way.get(number - 1)
        # Messages after a replaced message follow the one that took its place.
        after = [id_ for id_ in (before, self._replaced.get(number - 1)) if isinstance(id_, UUID)]
        if not after or not self._goes_on_behind(number):
            return
        if (
            isinstance(place, UUID)
            and self._known.messages[place].parent_id not in after
            and self._changes.moves.get(place) != before
        ):
            # The frontend left out the messages between the two.
            return
        # The name alone may not identify the speaker in a group.
        by = self._known.messages[place] if isinstance(place, UUID) else self._turns[number]
        self._changes.retract_with_rest += [
            other.message_id
            for parent_id in after
            for other in self._known.after.get(parent_id, ())
            if other.stands
            and other.message_id not in self._changes.shown
            and other.message_id not in self._was_replaced | self._kept
            and not (isinstance(place, UUID) and are_alternatives(self._known, self._known.messages[place], other))
            and (other.role, other.speaker) == (by.role, by.speaker)
            and (self._is_certain(number) or self._is_other_answer(other, number))
        ]

    def _is_other_answer(self, other: PlacedMessage, number: int) -> bool:
        """Whether both are known answers to one message, and the talk went on from the turn alone."""
        return (
            isinstance(self._way[number], UUID)
            and other.role == "assistant"
            and self._evidence[number] > 0
            and not self._known.after.get(other.message_id)
        )

    def _goes_on_behind(self, number: int) -> bool:
        return number < len(self._turns) - 1

    def _is_certain(self, before: int) -> bool:
        """Whether the matches before a turn are enough evidence; in a named conversation they only give the part."""
        if self._certain and (self._begins_here or self._said[before] >= LONG):
            return True
        return self._evidence[before] >= EVIDENCE

    def _is_only_answer(self, match: Match) -> bool:
        """Whether a match is with the answer to a conversation's first message, which is all that is known of it."""
        question = self._known.messages.get(match.message.parent_id) if match.message.parent_id else None
        behind = self._known.after.get(match.message.message_id)
        return (
            match.message.role == "assistant" and not behind and question is not None and self._known.is_first(question)
        )

    def _same_speakers(self, numbers: Sequence[int], messages: Sequence[PlacedMessage]) -> bool:
        speakers = [(self._turns[number].role, self._turns[number].speaker) for number in numbers]
        return speakers == [(message.role, message.speaker) for message in messages]

    def _show_or_add(self, number: int, parent: Place | None, after: Place | None, at: datetime | None = None) -> Place:
        """Let a turn be the message that is known after `parent`, else a new one after `after`; returns its place."""
        version = self._version(parent, number)
        if version is None and isinstance(parent, UUID) and parent in self._known.messages:
            answer = self._known.messages[parent]
            version = words_behind_another(self._known, answer, self._turns[number])
            if version is not None:
                self._keep_beside(answer, version)
        if version is not None:
            self._show(number, version)
        else:
            self._add(number, after, at)
        return self._way[number]

    def _version(self, parent: Place | None, number: int) -> PlacedMessage | None:
        """The message after another one that a turn equals; rather one that stands than a retracted one."""
        known = () if isinstance(parent, int) else self._known.after.get(parent, ())
        same = [one for one in known if one.digest == self._turns[number].digest]
        return max(same, key=lambda one: (one.stands, one.message_id), default=None)

    def _show(self, number: int, message: PlacedMessage) -> None:
        self._way[number] = message.message_id
        self._changes.shown.add(message.message_id)
        if not message.stands:
            # The frontend may have cut off or hidden the rest of a branch to which it returned. The walk ends at a
            # message that is shown: those before it were restored with it.
            shown = self._changes.shown
            before = takewhile(lambda one: not one.stands and one.message_id not in shown, self._known.way_to(message))
            again = {one.message_id for one in before} - self._was_replaced
            self._changes.restore += [message.message_id, *again]
            self._changes.shown |= again

    def _add(self, number: int, after: Place | None, at: datetime | None = None) -> None:
        self._changes.new.append(NewTurn(number, after, at))
        self._way[number] = number


def _is_beginning(matches: Sequence[Match], known: KnownConversation) -> bool:
    """Whether a transcript begins with the first message of a conversation, or with a greeting and that message."""
    greetings = list(takewhile(lambda match: known.is_greeting(match.message), matches))
    first = matches[len(greetings)] if len(greetings) < len(matches) else None
    return first is not None and first.turn == len(greetings) and known.is_first(first.message)
