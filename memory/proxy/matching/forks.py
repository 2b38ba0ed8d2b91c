"""Forks: conversations that begin as copies of another one of the Being, under an id, or without any id.

A conversation of which nothing is known is a fork if its first transcript shows an exchange and more before its newest
words, and begins with messages that another conversation has. These get a place in the fork as well, and each of the
two goes its own way from there: a message that one of them has replaced stands while the other has it.

Chats begin alike by chance. An answer counts no more than the words that it answers, since models answer a greeting
alike each time, so a fork is one with as many characters of both in common as are not said twice by chance. In doubt
the beginning is stored again, which loses nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from uuid import UUID

from memory.proxy.matching.alignment import KnownConversation, Match, known_conversation
from memory.proxy.matching.reads import RepeatableReads
from memory.proxy.matching.recognition import CANDIDATES, Recognized, named
from memory.proxy.reading.turns import Turn
from memory.text.same_words import LONG
from store.talk import transcripts
from store.talk.transcripts import NewPlace


def forked(reads: RepeatableReads, being_id: UUID, turns: Sequence[Turn], begun: Recognized) -> Recognized:
    """Return an unknown conversation with the messages that it has in common with another one, or unchanged.

    Args:
        reads: Reads messages.
        being_id: The Being.
        turns: The transcript.
        begun: The conversation that the transcript begins.
    """
    if not any(turn.role == "assistant" for turn in turns):
        return begun
    digests = {turn.digest for turn in turns}
    candidates = reads.ask(transcripts.conversations_with, being_id, digests, limit=CANDIDATES)
    origins = [named(reads, being_id, turns, conversation) for conversation, _ in candidates]
    common = [(common_beginning(turns, origin.matches, origin.known), origin.known) for origin in origins]
    matches, known = max(common, key=lambda one: len(one[0]), default=([], begun.known))
    if not matches:
        return begun
    last = matches[-1].message
    way = [last, *known.way_to(last)][::-1]
    places = [NewPlace(one.message_id, one.parent_id, one.digest) for one in way]
    return replace(begun, known=known_conversation(way), matches=matches, shared=places)


def common_beginning(turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation) -> list[Match]:
    """Return the matches of a transcript's common beginning with the conversation that it forks; none for no fork."""
    if not matches or not _begins(matches[0], known):
        return []
    # By match, how many characters it has with those behind it.
    behind = list(accumulate(len(turns[match.turn].comparable) for match in reversed(matches)))[::-1]
    common = [matches[0]]
    repeated = _common_characters(turns, common)
    for number, (before, match) in enumerate(pairwise(matches), start=1):
        between = turns[before.turn + 1 : match.turn]
        missing = known.between(before.message, match.message)
        if between and repeated < LONG:
            break
        edited = [(turn.role, turn.speaker) for turn in between] == [(one.role, one.speaker) for one in missing]
        # A few words behind a difference are said again, and turns that take the place of none would be lost.
        if (between or missing) and (behind[number] < LONG or (between and not edited)):
            break
        common.append(match)
        repeated = _common_characters(turns, common) if repeated < LONG else repeated
    return common if repeated >= LONG else []


def _begins(match: Match, known: KnownConversation) -> bool:
    """Whether a match is that of a transcript's first turn, or of the answer to a first message that was edited."""
    if match.turn == 0:
        return True
    question = known.messages.get(match.message.parent_id) if match.message.parent_id else None
    return match.turn == 1 and match.message.role == "assistant" and question is not None and known.is_first(question)


def _common_characters(turns: Sequence[Turn], matches: Sequence[Match]) -> int:
    """Count the characters that are evidence of a fork; 0 without an answer to known words."""
    words = repeated = answers = 0
    before = None
    for match in matches:
        length = min(len(turns[match.turn].comparable), LONG)
        if turns[match.turn].role != "assistant":
            words, repeated = length, repeated + length
        elif before == match.turn - 1:
            answers, repeated = answers + min(length, words), repeated + min(length, words)
            words = 0
        before = match.turn
    return repeated if answers else 0
