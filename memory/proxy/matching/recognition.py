"""Recognition of a transcript's conversation where the frontend does not name it.

The candidates are the conversations that know the most of its words. Of the possible ones, the one with the most
evidence in its matches holds, as in alignment, then one that would not have to branch. If all are a few words, those
behind a difference or a gap do not count: they are said in many conversations. A conversation is possible if

- two messages match (a greeting does not count), unless these are only how it began, it went on in other ways, and it
  has rested since: people begin many conversations with the same words; or unless all that matches are a few words
  behind more than a summary, of which nothing is known; or
- one message matches with which the conversation ends, and it has not rested since, or the message is a long one, or no
  answer to it is known. A short one must stand at the transcript's beginning, or behind a summary: more before it would
  be known too. Of a transcript that says nothing else the message must be the first of a conversation that has not
  rested: then it is a repeated request.

A frontend may resend every line in another form (masked, translated), so that no conversation knows its words. Then one
of the newest holds if the transcript shows it line by line up to its end: an exchange of it, or two if it rests.

A conversation rests when nothing was said in it for as long as ends a session. In doubt a transcript begins another
conversation, which loses nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID, uuid4

from memory.proxy.matching.added_paragraphs import added_paragraphs, without_added
from memory.proxy.matching.alignment import EXCHANGE, KnownConversation, Match, align, known_conversation
from memory.proxy.matching.answers import alike_answers, answers_to_compare
from memory.proxy.matching.reads import RepeatableReads
from memory.proxy.matching.rewriting import rewritten, to_compare
from memory.proxy.reading.turns import Turn, turn_of
from memory.text.same_words import LONG, comparable
from schemas.text.reasoning import spoken
from schemas.wire.fields import Role
from store.talk import transcripts
from store.talk.transcripts import NewPlace, PlacedMessage

# The prefix of ids that this system gives. A conversation that its frontend names is found by its name only.
RECOGNIZED = "transcript-"
CANDIDATES = 3
# The most turns before a short match that identifies a conversation: a greeting, and a summary with a reply.
BEFORE = 1 + EXCHANGE
# Messages of a conversation that are compared at least, besides those with the same words.
NEWEST = 100
# The number of a conversation's first and newest lines of a role that show a frontend's additions, beside all
# retracted ones.
LINES = 20
# Lines to which it may have added: the user's that is the last one, and answers that are not.
_ADDED_TO = {("user", True), ("assistant", False)}
RESTS = timedelta(minutes=30)
# The most turns times messages of the alignments of one transcript with one conversation: enough for one with the most
# messages that are read, or three with as many as turns.
STEPS = 13_000_000


@dataclass(frozen=True, slots=True)
class Recognized:
    """A conversation, and how a transcript aligns with it.

    Attributes:
        conversation: Its id.
        known: Its known messages.
        matches: The alignment.
        aligned: False if it matches nothing because that took more than `STEPS`.
        shared: Places that it gets of messages of the conversation that it is a fork of.
    """

    conversation: str
    known: KnownConversation
    matches: Sequence[Match]
    aligned: bool = True
    shared: Sequence[NewPlace] = ()


class ConversationFit(NamedTuple):
    """How well a conversation fits a transcript; the greater one fits better.

    Attributes:
        evidence: That of the matches but for a greeting, in characters; a long one counts as `LONG`.
        goes_on: Whether the transcript goes on from the conversation's end.
    """

    evidence: int
    goes_on: bool


def begun(*, aligned: bool = True) -> Recognized:
    """Return a conversation of which nothing is known yet."""
    return Recognized(f"{RECOGNIZED}{uuid4()}", known_conversation([]), [], aligned)


def named(reads: RepeatableReads, being_id: UUID, turns: Sequence[Turn], conversation: str) -> Recognized:
    """Align a transcript with the conversation that its frontend names."""
    digests = {turn.digest for turn in turns}
    newest = NEWEST + len(turns)
    known = known_conversation(reads.ask(transcripts.messages_near, being_id, conversation, digests, newest=newest))
    matches = aligned(turns, known, lambda ids: reads.ask(transcripts.contents, being_id, ids))
    return Recognized(conversation, known, _without_prefill(turns, matches or [], known), aligned=matches is not None)


def _without_prefill(turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation) -> Sequence[Match]:
    """The matches, without the beginning of an answer behind new words: a program puts the same one behind any."""
    if len(turns) == 1 or not matches or matches[-1].turn < len(turns) - 1 or turns[-1].role != "assistant":
        return matches
    if len(matches) == 1:
        return []
    before, last = matches[-2:]
    between = [turn.role for turn in turns[before.turn + 1 : last.turn]]
    missing = sum(one.role == "user" for one in known.between(before.message, last.message))
    # Behind a note of a frontend's alone it is the answer that is known there, which goes on.
    return matches[:-1] if between.count("user") > missing and "assistant" in between else matches


def aligned(
    turns: Sequence[Turn], known: KnownConversation, read: Callable[[set[UUID]], Mapping[UUID, str]]
) -> list[Match] | None:
    """Align a transcript with a conversation; None if that takes more than `STEPS`.

    Args:
        turns: The transcript.
        known: The conversation.
        read: Returns the texts of answers that may be cut off, or go on.
    """
    steps = len(turns) * len(known.messages)
    left = STEPS - steps
    if left < 0:
        return None
    matches = align(turns, known)
    alike: dict[int, dict[UUID, int]] = {}
    # By digest, for comparison.
    texts: dict[bytes, str] = {}
    if wanted := to_compare(turns, matches, known):
        alike = rewritten(turns, matches, known, read(wanted))
        if alike:
            left -= steps
            if left < 0:
                return None
            matches = align(turns, known, alike)
    # A match that was found by comparing gives the place to compare the next.
    while compared := answers_to_compare(turns, matches, known):
        unread_digests = {
            message.digest: message.message_id
            for number, found in compared.items()
            for message, _ in found
            if message.digest != turns[number].digest
        }
        unread = {id_: digest for digest, id_ in unread_digests.items() if digest not in texts}
        if unread:
            texts |= {unread[id_]: comparable(spoken(text)) for id_, text in read(set(unread)).items() if id_ in unread}
        further = alike_answers(turns, {one: found for one, found in compared.items() if one not in alike}, texts)
        if not further:
            break
        again = alike_answers(turns, {one: found for one, found in compared.items() if one in alike}, texts)
        further |= {one: alike[one] | found for one, found in again.items()}
        left -= steps
        if left < 0:
            return None
        alike |= further
        matches = align(turns, known, alike)
    return matches


def recognize(reads: RepeatableReads, being_id: UUID, turns: Sequence[Turn], now: datetime) -> Recognized:
    """Return the conversation that a transcript belongs to, or another one that it begins."""
    digests = {turn.digest for turn in turns}
    candidates = reads.ask(transcripts.conversations_with, being_id, digests, prefix=RECOGNIZED, limit=CANDIDATES)
    recognized: list[Recognized] = []
    all_aligned = True
    for place, (conversation, _) in enumerate(candidates):
        found = named(reads, being_id, turns, conversation)
        all_aligned = all_aligned and found.aligned
        if not belongs_to(turns, found.matches, found.known, now):
            continue
        recognized.append(found)
        if place == 0 and candidates[1:] and candidates[0][1] > candidates[1][1] and _is_whole(turns, found):
            # None of the others knows as many of its words.
            break
    if not recognized and len(turns) > EXCHANGE:
        tried = {conversation for conversation, _ in candidates}
        newest = reads.ask(transcripts.newest_conversations, being_id, prefix=RECOGNIZED, limit=CANDIDATES)
        others = (named(reads, being_id, turns, one) for one in newest if one not in tried)
        recognized = [found for found in others if _is_reworded(turns, found, now)]
    return max(recognized, key=lambda one: fit(turns, one), default=begun(aligned=all_aligned))


def without_added_to_turns(
    reads: RepeatableReads, being_id: UUID, turns: Sequence[Turn], known: KnownConversation
) -> Sequence[Turn]:
    """Return a transcript without a frontend's additions to the newest words and to answers."""
    last = len(turns) - 1
    may = [
        number
        for number, turn in enumerate(turns)
        if turn.digest not in known.by_digest and "\n" in turn.text and (turn.role, number == last) in _ADDED_TO
    ]
    added = {role: _added_to(reads, being_id, turns, known, role) for role in {turns[number].role for number in may}}
    as_said = list(turns)
    for number in may:
        turn = turns[number]
        text = without_added(turn.text, *added[turn.role])
        bare = turn_of(turn.role, None, text) if text != turn.text.strip() else None
        as_said[number] = (
            replace(turn, text=bare.text, comparable=bare.comparable, digest=bare.digest) if bare else turn
        )
    return as_said if any(one is not turn for one, turn in zip(as_said, turns, strict=True)) else turns


def _added_to(
    reads: RepeatableReads, being_id: UUID, turns: Sequence[Turn], known: KnownConversation, role: Role
) -> tuple[set[str], set[str]]:
    """Return a frontend's additions before and behind lines of a role.

    Answers end alike in a few words and are continued: of these, the parts that a transcript now shows them without.
    """
    of_role = sorted((one for one in known.messages.values() if one.role == role), key=lambda one: one.message_id)
    chosen = {
        one.message_id for one in (*of_role[:LINES], *of_role[-LINES:], *(one for one in of_role if not one.stands))
    }
    stored = reads.ask(transcripts.contents, being_id, chosen) if chosen else {}
    shown = [turn for turn in turns[:-1] if turn.role == role]
    if role == "user":
        return added_paragraphs(stored.values(), (*stored.values(), *(turn.text for turn in shown)))
    digests = {turn.digest for turn in shown}
    gone = [text for id_, text in stored.items() if known.messages[id_].digest not in digests]
    before, behind = added_paragraphs(gone, (turn.text for turn in shown))
    return {one for one in before if len(one) >= LONG}, {one for one in behind if len(one) >= LONG}


def fit(turns: Sequence[Turn], found: Recognized) -> ConversationFit:
    """Return how well a conversation fits; if all matches are a few words, those before a difference count."""
    evidence = telling(turns, found.matches, found.known)
    if sum(len(turns[match.turn].comparable) for match in evidence) < LONG:
        evidence = _before_difference(evidence)
    if not evidence:
        return ConversationFit(0, False)
    last = evidence[-1]
    goes_on = last.turn == len(turns) - 1 or not _goes_on(found.known, last.message)
    return ConversationFit(sum(min(len(turns[match.turn].comparable), LONG) for match in evidence), goes_on)


def _before_difference(matches: list[Match]) -> list[Match]:
    """Return the matches up to the first behind which a transcript shows other turns than the messages, or none."""
    for number, (before, match) in enumerate(pairwise(matches), start=1):
        if match.message.parent_id != before.message.message_id:
            return matches[:number]
    return matches


def _is_whole(turns: Sequence[Turn], found: Recognized) -> bool:
    """Whether a transcript shows a conversation's messages without a gap, and goes on from its end."""
    return fit(turns, found).goes_on and len(found.matches) == found.matches[-1].turn + 1


def _is_reworded(turns: Sequence[Turn], found: Recognized, now: datetime) -> bool:
    """Whether a transcript shows a conversation line by line up to its end, but for a greeting, in any wording."""
    shown = {match.turn for match in found.matches}
    last = max((number for number, turn in enumerate(turns) if turn.role == "assistant"), default=-1)
    first = min(shown, default=last + 1)
    is_whole = first <= (last > 0 and turns[0].role == "assistant") and shown >= set(range(first, last + 1))
    pairs = pairwise(found.matches)
    if not is_whole or any(match.message.parent_id != before.message.message_id for before, match in pairs):
        return False
    least = EXCHANGE * (2 if _rests(found.known, now) else 1)
    evidence = telling(turns, found.matches, found.known)
    return len(evidence) >= least and not _goes_on(found.known, evidence[-1].message)


def telling(turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation) -> list[Match]:
    """Return the matches that are evidence for a conversation: all but a greeting. An answer to a picture is none."""
    return [match for match in matches if turns[match.turn].after_wordless or not known.is_greeting(match.message)]


def belongs_to(turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation, now: datetime) -> bool:
    """Whether a transcript belongs to a conversation that some of its turns match."""
    evidence = telling(turns, matches, known)
    if not evidence:
        return False
    rests = _rests(known, now)
    last = evidence[-1]
    goes_on = _goes_on(known, last.message)
    if len(evidence) > 1:
        if evidence[0].turn > BEFORE and sum(len(turns[match.turn].comparable) for match in evidence) < LONG:
            return False
        began = len(evidence) == EXCHANGE and known.is_first(evidence[0].message)
        return not (began and rests and goes_on and last.turn < len(turns) - 1)
    if goes_on:
        return False
    if len(turns) == len(matches):
        return not rests and known.is_first(last.message)
    unanswered = not known.after.get(last.message.message_id)
    long = len(turns[last.turn].comparable) >= LONG
    return long or (last.turn <= BEFORE and (unanswered or not rests))


def _rests(known: KnownConversation, now: datetime) -> bool:
    return now - max(message.created_at for message in known.messages.values()) > RESTS


def _goes_on(known: KnownConversation, message: PlacedMessage) -> bool:
    """Whether people have said anything after a message, or after an answer to it."""
    answers = [one for one in known.after.get(message.message_id, ()) if one.role == "assistant"]
    after = [one for parent in (message, *answers) for one in known.after.get(parent.message_id, ())]
    return any(one.role != "assistant" for one in after)
