"""Comparison of answers by their texts: an answer may be cut off in a transcript, or go on where a known one ended."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise, takewhile
from typing import NamedTuple
from uuid import UUID

from memory.proxy.matching.alignment import KnownConversation, Match
from memory.proxy.reading.turns import Turn
from memory.text.same_words import LONG
from store.talk.transcripts import PlacedMessage

# The most answers that an unmatched one is compared with.
ANSWERS = 32
# The most messages behind a match among which these are looked for.
LOOKED_AT = 4 * ANSWERS


class KnownAnswer(NamedTuple):
    """An answer to compare a turn with, of which it must have at least `least` characters, without white space."""

    message: PlacedMessage
    least: int


def answers_to_compare(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation
) -> dict[int, list[KnownAnswer]]:
    """Return, by turn, the known answers that one has to be compared with.

    For an unmatched answer these are those to the same message, and some that were said later, for turns between may be
    edited or left out; right before the first match, the message that it was said after; and between two matches, where
    as many turns are unmatched as messages are, the one at the same place. Behind the last match, of an answer behind
    unmatched turns, those behind as many messages of the same speakers: the turns were edited, and a frontend that asks
    for no other answer keeps the one that is there. Behind words that were said elsewhere too, those to each of these.
    A few words that match farther on, or behind such words, may be an answer to the turn before, cut off, and are
    compared with the answers to that.
    """
    matched = {match.message.message_id for match in matches}
    compared = {number: list(islice(found, ANSWERS)) for number, found in _behind(turns, matches, known, matched)}
    for number, message in _at_the_same_place(matches, known):
        if turns[number].role == message.role == "assistant":
            compared.setdefault(number, []).append(KnownAnswer(message, least=1))
    return {number: found for number, found in compared.items() if found}


def _behind(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation, matched: Collection[UUID]
) -> Iterator[tuple[int, Iterable[KnownAnswer]]]:
    """Yield the answers behind a match, with those that were said after its message."""
    at = {match.turn: match.message for match in matches}
    answers_to_words = _AnswersToWords(known)
    last: int | None = None
    # Messages after the last match, by the speakers of the turns behind it.
    edited: list[PlacedMessage] = []
    for number, turn in enumerate(turns):
        if turn.role == "assistant" and last is not None:
            before, question = at[last], turns[number - 1]
            directly = last == number - 1
            again = len(known.by_digest.get(question.digest, ())) > (directly and before.digest == question.digest)
            to_said = _answers(known, before) if directly else ()
            elsewhere = chain(to_said, answers_to_words.of(question, apart_from=before if directly else None))
            to_edited = [] if directly or question.role == "assistant" else edited
            of_edited = (
                one for message in to_edited for one in _answers(known, message) if one.message_id not in matched
            )
            if number not in at:
                after = _answers_after(known, before, matched, least=1 if directly else LONG)
                if len(turn.comparable) < LONG:
                    # It is none of those that must be long.
                    after = takewhile(lambda one: one.least < LONG, after)
                least = (KnownAnswer(one, least=1) for one in chain(elsewhere if again else (), of_edited))
                yield number, chain(least, after)
            elif len(turn.comparable) < LONG and (again or not directly or at[number].parent_id != before.message_id):
                yield number, (KnownAnswer(one, least=1) for one in chain(elsewhere, of_edited))
        if number in at:
            last, edited = number, [at[number]]
        else:
            after_edited = (one for message in edited for one in known.after.get(message.message_id, ()))
            same = (one for one in after_edited if (one.role, one.speaker) == (turn.role, turn.speaker))
            edited = list(islice(same, ANSWERS))


class _AnswersToWords:
    """The answers to all messages with the same words, which are looked up once.

    Words that were answered more than `ANSWERS` times identify no place: their answers are compared where they match.
    """

    def __init__(self, known: KnownConversation) -> None:
        self._known = known
        # With the message that each answers.
        self._answers: dict[bytes, list[tuple[PlacedMessage, PlacedMessage]]] = {}

    def of(self, turn: Turn, apart_from: PlacedMessage | None) -> Iterator[PlacedMessage]:
        """Return the answers to the words of a turn, but for those to one message."""
        if turn.digest not in self._answers:
            same = self._known.by_digest.get(turn.digest, ())
            answers = ((message, one) for message in same for one in _answers(self._known, message))
            some = list(islice(answers, ANSWERS + 1))
            self._answers[turn.digest] = some if len(some) <= ANSWERS else []
        return (one for message, one in self._answers[turn.digest] if message is not apart_from)


def _at_the_same_place(matches: Sequence[Match], known: KnownConversation) -> Iterator[tuple[int, PlacedMessage]]:
    """Yield the turns right before the first match, and between two, with the messages there, if these are as many.

    A greeting is no first match: a summary may stand between it and the rest.
    """
    first = next((match for match in matches if not known.is_greeting(match.message)), None)
    if first is not None and first.turn - 1 not in {match.turn for match in matches}:
        for message in islice(known.way_to(first.message), min(first.turn, 1)):
            yield first.turn - 1, message
    for before, match in pairwise(matches):
        unmatched = range(before.turn + 1, match.turn)
        passed = known.between(before.message, match.message) if unmatched else []
        if len(passed) == len(unmatched):
            yield from zip(unmatched, passed, strict=True)


def _answers(known: KnownConversation, message: PlacedMessage) -> Iterator[PlacedMessage]:
    """Yield the answers to a message."""
    return (one for one in known.after.get(message.message_id, ()) if one.role == "assistant")


def _answers_after(
    known: KnownConversation, message: PlacedMessage, matched: Collection[UUID], least: int
) -> Iterator[KnownAnswer]:
    """Yield answers that were said after a message, nearest first; `least` is for those directly after it."""
    places = deque([(one, least) for one in known.after.get(message.message_id, ())])
    looked_at = 0
    while places and looked_at < LOOKED_AT:
        one, least = places.popleft()
        looked_at += 1
        if one.role == "assistant" and one.message_id not in matched:
            yield KnownAnswer(one, least)
        places.extend((below, LONG) for below in known.after.get(one.message_id, ()))


def alike_answers(
    turns: Sequence[Turn], compared: Mapping[int, Sequence[KnownAnswer]], texts: Mapping[bytes, str]
) -> dict[int, dict[UUID, int]]:
    """Return, by turn, which known answers are the same but for being cut off, or going on; the nearest ones.

    Each comes with the number of its characters, without white space. One with the very words of the turn is none of
    these: the turn matches it.

    Args:
        turns: The transcript.
        compared: The result of `answers_to_compare`.
        texts: Their texts for comparison, by digest, but for those with the words of the turn.
    """
    alike: dict[int, dict[UUID, int]] = {}
    for number, comparisons in compared.items():
        digest, words = turns[number].digest, turns[number].comparable
        is_found = False
        for message, least in comparisons:
            if least > 1 and is_found:
                break
            if message.digest == digest:
                is_found = is_found or len(words) >= least
                continue
            text = texts.get(message.digest, "")
            if (text.startswith(words) or words.startswith(text)) and min(len(text), len(words)) >= least:
                alike.setdefault(number, {})[message.message_id] = len(text)
                is_found = True
    return alike
