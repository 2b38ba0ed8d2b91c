"""Comparison of answers by their texts: an answer may be cut off in a transcript, or go on where a known one ended."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from uuid import UUID

from memory.proxy.alignment import LONG, KnownConversation, Match
from memory.proxy.comparison import comparable
from memory.proxy.turns import Turn
from memory.text.reasoning import spoken
from store.talk.transcripts import PlacedMessage

# The most answers that an unmatched one is compared with.
ANSWERS = 32


@dataclass(frozen=True, slots=True)
class Comparison:
    """An answer to compare a turn with, of which it must have at least `least` characters, without white space."""

    message: PlacedMessage
    least: int


def answers_to_compare(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation
) -> dict[int, list[Comparison]]:
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
            compared.setdefault(number, []).append(Comparison(message, least=1))
    return {number: found for number, found in compared.items() if found}


def _behind(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation, matched: Collection[UUID]
) -> Iterator[tuple[int, Iterable[Comparison]]]:
    """Yield the answers behind a match, with those that were said after its message."""
    at = {match.turn: match.message for match in matches}
    last: int | None = None
    for number, turn in enumerate(turns):
        if turn.role == "assistant" and last is not None:
            before = at[last]
            said = [before] if last == number - 1 else []
            again = [one for one in known.by_digest.get(turns[number - 1].digest, ()) if one not in said]
            edited = _answers_to_edited(known, before, matched, turns[last + 1 : number])
            if number not in at:
                elsewhere = _answers_to(known, [*said, *again]) if again else ()
                after = _answers_after(known, before, matched, least=1 if said else LONG)
                yield number, chain(elsewhere, edited, after)
            elif len(turn.comparable) < LONG and (again or not said or at[number].parent_id != before.message_id):
                yield number, chain(_answers_to(known, [*said, *again]), edited)
        if number in at:
            last = number


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


def _answers_to(known: KnownConversation, said: Iterable[PlacedMessage]) -> Iterator[Comparison]:
    """Yield the answers to each of some messages, once if a message is named twice."""
    for before in dict.fromkeys(message.message_id for message in said):
        for one in known.after.get(before, ()):
            if one.role == "assistant":
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
) -> dict[int, dict[UUID, int]]:
    """Return, by turn, which known answers are the same but for being cut off, or going on; the nearest ones.

    Each comes with the number of its characters, without white space.

    Args:
        turns: The transcript.
        compared: What `unmatched_answers` returned.
        contents: The texts of these answers.
    """
    alike: dict[int, dict[UUID, int]] = {}
    for number, comparisons in compared.items():
        said = turns[number].comparable
        for one in comparisons:
            if one.least > 1 and number in alike:
                break
            text = comparable(spoken(contents.get(one.message.message_id, "")))
            if min(len(text), len(said)) >= one.least and (text.startswith(said) or said.startswith(text)):
                alike.setdefault(number, {})[one.message.message_id] = len(text)
    return alike
