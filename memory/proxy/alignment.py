"""Alignment: which turns of a transcript are which messages of a conversation that is known.

A conversation is known as a tree: each message has its place after another one, and where a frontend went back and said
something else, or asked for another answer, several messages have the same place. A transcript shows one way from some
message on to the newest, of which the frontend may have left out any part. The alignment is the longest sequence of
turns that are, in this order, messages on one way through the tree:

1. A turn matches a message only if the role is the same, and the text without white space and reasoning.
2. Matched messages lie on one way, each somewhere behind the one before it.
3. Of two alignments with as many matches the one with more standing messages holds; then the one that ends with an
   earlier turn, so that words that were said again are new; then the one in which more matches follow each other
   directly; then the one that ends with the newer message.
4. An answer that is the beginning of a known one, or begins with a known one, is the same answer, if it follows the
   same message, or an edited version of it, or is a long one; an exact match takes precedence.
5. A few words at the end that match behind an exchange which nobody knows were said again, and are new.

What follows from an alignment is decided in `changes`.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise, takewhile
from uuid import UUID

from memory.proxy.comparison import comparable, without_reasoning
from memory.proxy.turns import Turn
from store.talk.transcripts import PlacedMessage

# So many characters without white space are not said twice by chance.
LONG = 32
# Somebody's words and the answer to them.
EXCHANGE = 2
# The most answers that an unmatched one is compared with.
ANSWERS = 32


@dataclass(frozen=True, slots=True)
class Match:
    """Turn number `turn` of the transcript is this message; `longer` if the turn says more than the message."""

    turn: int
    message: PlacedMessage
    longer: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """An answer to compare a turn with, of which it must have at least `least` characters, without white space."""

    message: PlacedMessage
    least: int


@dataclass(frozen=True)
class KnownConversation:
    """The messages of a conversation near a transcript, as a tree."""

    messages: Mapping[UUID, PlacedMessage]
    after: Mapping[UUID | None, Sequence[PlacedMessage]]
    by_digest: Mapping[bytes, Sequence[PlacedMessage]]

    def way_to(self, message: PlacedMessage) -> Iterator[PlacedMessage]:
        """Yield the messages before this one, nearest first, as far as they are known."""
        parent_id = message.parent_id
        while parent_id is not None and (parent := self.messages.get(parent_id)) is not None:
            yield parent
            parent_id = parent.parent_id

    def between(self, before: PlacedMessage, message: PlacedMessage) -> list[PlacedMessage]:
        """Return the messages between two on one way, in order."""
        passed = takewhile(lambda one: one.message_id != before.message_id, self.way_to(message))
        return list(passed)[::-1]

    def is_greeting(self, message: PlacedMessage) -> bool:
        """Whether a message is what a frontend shows before the user has said anything."""
        return message.role == "assistant" and message.parent_id is None

    def is_first(self, message: PlacedMessage) -> bool:
        """Whether a message is the first of its conversation, but for a greeting."""
        before = next(self.way_to(message), None)
        return message.parent_id is None or (before is not None and self.is_greeting(before))


def known_conversation(messages: Sequence[PlacedMessage]) -> KnownConversation:
    """Arrange messages, oldest first, as a tree."""
    after: dict[UUID | None, list[PlacedMessage]] = {}
    by_digest: dict[bytes, list[PlacedMessage]] = {}
    for message in messages:
        after.setdefault(message.parent_id, []).append(message)
        by_digest.setdefault(message.digest, []).append(message)
    return KnownConversation({message.message_id: message for message in messages}, after, by_digest)


@dataclass(slots=True)
class _Step:
    """The best sequence of matches that ends with this one."""

    turn: int
    message: PlacedMessage
    longer: bool
    before: "_Step | None"
    length: int = field(init=False)
    standing: int = field(init=False)
    adjacent: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.length, self.standing = 1, int(self.message.stands)
        if self.before is not None:
            self.length += self.before.length
            self.standing += self.before.standing
            self.adjacent = self.before.adjacent + self._follows(self.before)

    def _follows(self, before: "_Step") -> bool:
        """Whether nothing stands between two matches, neither in the transcript nor in the conversation."""
        return (before.turn, before.message.message_id) == (self.turn - 1, self.message.parent_id)


def align(
    turns: Sequence[Turn],
    known: KnownConversation,
    alike: Mapping[int, Mapping[UUID, bool]] | None = None,
) -> list[Match]:
    """Return the matches of a transcript with a conversation, in order.

    Args:
        turns: The transcript.
        known: The conversation.
        alike: Messages that some turns match although their texts differ, by turn and message: whether the turn says
            more than the message.
    """
    steps: dict[UUID, list[_Step]] = {}
    # How many turns up to here can match at all, which bounds how long a sequence can be.
    matchable = 0
    best: _Step | None = None
    for number, turn in enumerate(turns):
        candidates = [(message, False) for message in known.by_digest.get(turn.digest, ())]
        candidates += [(known.messages[id_], longer) for id_, longer in (alike or {}).get(number, {}).items()]
        found = [
            _Step(number, message, longer, _before(known, steps, message, most=matchable))
            for message, longer in candidates
        ]
        for step in found:
            steps.setdefault(step.message.message_id, []).append(step)
            if best is None or _rank(step) > _rank(best):
                best = step
        matchable += bool(found)
    matches: list[Match] = []
    while best is not None:
        matches.append(Match(best.turn, best.message, best.longer))
        best = best.before
    return matches[::-1]


def _before(
    known: KnownConversation, steps: Mapping[UUID, Sequence[_Step]], message: PlacedMessage, *, most: int
) -> _Step | None:
    """The best sequence of earlier turns on the way to a message; the search ends when none can be longer."""
    best: _Step | None = None
    if most == 0:
        return None
    for passed in known.way_to(message):
        for step in steps.get(passed.message_id, ()):
            if best is None or (step.length, step.standing) > (best.length, best.standing):
                best = step
        if best is not None and best.length == most:
            break
    return best


def _rank(step: _Step) -> tuple[int, int, int, int, UUID]:
    return step.length, step.standing, -step.turn, step.adjacent, step.message.message_id


def without_words_said_again(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation
) -> Sequence[Match]:
    """Return the matches without short last ones that the transcript shows behind an exchange that nobody knows.

    What stands before known words was known when these came in, unless the frontend hid it then. So if a transcript
    shows an exchange more than is known there, `ok` behind it is rather said again: taken for the known one, it would
    hide the exchange for good.
    """
    for number in range(1, len(matches)):
        before, match = matches[number - 1], matches[number]
        between = turns[before.turn + 1 : match.turn]
        is_exchange = len({turn.role == "assistant" for turn in between}) > 1
        more = len(between) - len(known.between(before.message, match.message))
        said = sum(len(turns[one.turn].comparable) for one in matches[number:])
        if is_exchange and more >= EXCHANGE and said < LONG:
            return matches[:number]
    return matches


def unmatched_answers(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation
) -> dict[int, list[Comparison]]:
    """Return, by turn, the known answers that an unmatched one has to be compared with.

    These are those to the same message, and some that were said later, for turns between may be edited or left out; and
    between two matches, where as many turns are unmatched as messages are, the one at the same place. Behind the last
    match, of an answer behind unmatched turns, those behind as many messages of the same speakers: the turns were
    edited, and a frontend that asks for no other answer keeps the one that is there.
    """
    at = {match.turn: match.message for match in matches}
    matched = {match.message.message_id for match in matches}
    compared: dict[int, list[Comparison]] = {}
    last = len(turns)
    for number, turn in enumerate(turns):
        if number in at:
            last = number
        elif turn.role == "assistant" and last < number:
            least = 1 if last == number - 1 else LONG
            edited = _answers_to_edited(known, at[last], matched, turns[last + 1 : number])
            compared[number] = list(islice(chain(edited, _answers_after(known, at[last], matched, least)), ANSWERS))
    for before, match in pairwise(matches):
        unmatched = range(before.turn + 1, match.turn)
        passed = known.between(before.message, match.message) if unmatched else []
        if len(passed) == len(unmatched):
            for number, message in zip(unmatched, passed, strict=True):
                if turns[number].role == message.role == "assistant":
                    compared.setdefault(number, []).append(Comparison(message, least=1))
    return {number: found for number, found in compared.items() if found}


def _answers_to_edited(
    known: KnownConversation, message: PlacedMessage, matched: Collection[UUID], turns: Sequence[Turn]
) -> Iterator[Comparison]:
    """Yield the answers to what was said after a message by the speakers of turns, of which the last is no answer."""
    said = [message] if turns and turns[-1].role != "assistant" else []
    for turn in turns:
        after = (one for before in said for one in known.after.get(before.message_id, ()))
        said = [one for one in after if (one.role, one.speaker) == (turn.role, turn.speaker)]
    for before in said:
        for one in known.after.get(before.message_id, ()):
            if one.role == "assistant" and one.message_id not in matched:
                yield Comparison(one, least=1)


def _answers_after(
    known: KnownConversation, message: PlacedMessage, matched: Collection[UUID], least: int
) -> Iterator[Comparison]:
    """Yield answers that were said after a message, nearest first; `least` is for those directly after it."""
    places = deque([(one, least) for one in known.after.get(message.message_id, ())])
    while places:
        one, least = places.popleft()
        if one.role == "assistant" and one.message_id not in matched:
            yield Comparison(one, least)
        places.extend((below, LONG) for below in known.after.get(one.message_id, ()))


def alike_answers(
    turns: Sequence[Turn], compared: Mapping[int, Sequence[Comparison]], contents: Mapping[UUID, str]
) -> dict[int, dict[UUID, bool]]:
    """Return, by turn, which known answers are the same but for being cut off, or going on; the nearest ones.

    Args:
        turns: The transcript.
        compared: What `unmatched_answers` returned.
        contents: The texts of these answers.
    """
    alike: dict[int, dict[UUID, bool]] = {}
    for number, comparisons in compared.items():
        said = turns[number].comparable
        for one in comparisons:
            if one.least > 1 and number in alike:
                break
            text = comparable(without_reasoning(contents.get(one.message.message_id, "")))
            if min(len(text), len(said)) >= one.least and (text.startswith(said) or said.startswith(text)):
                alike.setdefault(number, {})[one.message.message_id] = len(said) > len(text)
    return alike
