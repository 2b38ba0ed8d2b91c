"""Alignment: which turns of a transcript are which messages of a conversation that is known.

A conversation is known as a tree: each message has its place after another one, and where a frontend went back and said
something else, or asked for another answer, several messages have the same place. A transcript shows one way from some
message on to the newest, of which the frontend may have left out any part. The alignment is the sequence of turns with
the most evidence that are, in this order, messages on one way through the tree:

1. A turn matches a message only if the role is the same, and the text without white space and reasoning.
2. Matched messages lie on one way, each somewhere behind the one before it.
3. The evidence of a match is the number of its characters, of a long one as many as make it long: `ok` is said often,
   and is less evidence than a sentence. The user's newest words have next to none: a frontend may put the same note
   behind all words, and the lines before it are better evidence. Of two alignments of equal evidence the one with more
   standing messages holds; then the one that ends with an earlier turn, so that words that were said again are new;
   then the one in which more matches follow each other directly; then the one in which more have as many turns between
   them as messages, for these were edited; then the one that ends with the newer message.
4. An answer that is the beginning of a known one, or begins with a known one, is the same answer, if it follows the
   same message, or an edited version of it, or stands before the first that matches, or is a long one; an exact match
   takes precedence.
5. A few words at the end that match behind an exchange that is not known, or behind other words of a speaker than the
   known ones there, were said again, and are new.

`changes` decides the consequences of an alignment.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise, takewhile
from uuid import UUID

import numpy as np

from memory.proxy.matching.evidence import BestSequence, EqualMessages, MessageTree, message_tree
from memory.proxy.reading.turns import Turn
from memory.text.same_words import LONG
from store.talk.transcripts import PlacedMessage

# A speaker's words and the answer to them.
EXCHANGE = 2
# Before the digests of the user's newest words.
_NEWEST = b"newest"


@dataclass(frozen=True, slots=True)
class Match:
    """Turn number `turn` of the transcript is this message; `longer` if the turn says more than the message."""

    turn: int
    message: PlacedMessage
    longer: bool = False


@dataclass(frozen=True)
class KnownConversation:
    """The messages of a conversation near a transcript, as a tree."""

    messages: Mapping[UUID, PlacedMessage]
    after: Mapping[UUID | None, Sequence[PlacedMessage]]
    by_digest: Mapping[bytes, Sequence[PlacedMessage]]

    @cached_property
    def tree(self) -> MessageTree:
        """The messages by numbers."""
        return message_tree(self.messages, self.after)

    @cached_property
    def newest_behind(self) -> Mapping[UUID | None, PlacedMessage]:
        """The user's newest message that stands behind any answer to a message, by the id of the answered one."""
        newest: dict[UUID | None, PlacedMessage] = {}
        for message in self.messages.values():
            answer = self.messages.get(message.parent_id) if message.parent_id else None
            if answer is not None and message.stands and message.role == "user":
                of_same = (newest.get(answer.parent_id, message), message)
                newest[answer.parent_id] = max(of_same, key=lambda one: one.message_id)
        return newest

    def way_to(self, message: PlacedMessage) -> Iterator[PlacedMessage]:
        """Yield the known messages before this one, nearest first."""
        parent_id = message.parent_id
        while parent_id is not None and (parent := self.messages.get(parent_id)) is not None:
            yield parent
            parent_id = parent.parent_id

    def between(self, before: PlacedMessage, message: PlacedMessage) -> list[PlacedMessage]:
        """Return the messages between two on one way, in order."""
        passed = takewhile(lambda one: one.message_id != before.message_id, self.way_to(message))
        return list(passed)[::-1]

    def is_greeting(self, message: PlacedMessage) -> bool:
        """Whether a message is one that a frontend shows before the user has said anything."""
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


def align(
    turns: Sequence[Turn],
    known: KnownConversation,
    alike: Mapping[int, Mapping[UUID, int]] | None = None,
) -> list[Match]:
    """Return the matches of a transcript with a conversation, in order.

    Args:
        turns: The transcript.
        known: The conversation.
        alike: Messages that some turns match although their texts differ, by turn and message: the number of characters
            that the message has.
    """
    tree = known.tree
    same: dict[bytes, EqualMessages] = {}
    newest = len(turns) - sum(1 for _ in takewhile(lambda turn: turn.role == "user", reversed(turns)))
    # Without lines before the newest words, these alone show which messages the transcript has.
    texts = [_NEWEST + turn.digest if 0 < newest <= number else turn.digest for number, turn in enumerate(turns)]
    for text, turn in zip(texts, turns, strict=True):
        if turn.digest in known.by_digest and text not in same:
            length = len(turn.comparable) if text == turn.digest else 1
            same[text] = _same(tree, {one.message_id: length for one in known.by_digest[turn.digest]}, length)
    lengths = alike or {}
    others = {number: _same(tree, found, len(turns[number].comparable)) for number, found in lengths.items()}
    found = BestSequence(tree, texts, same, others, most_evidence=LONG).matches()
    matches: list[Match] = []
    for number, message in found:
        length = len(turns[number].comparable)
        matches.append(Match(number, message, length > lengths.get(number, {}).get(message.message_id, length)))
    return matches


def _same(tree: MessageTree, lengths: Mapping[UUID, int], turn_length: int) -> EqualMessages:
    """Return messages that are the same as a turn, with their evidence for a turn of `turn_length` characters."""
    evidence = [min(turn_length, length, LONG) for length in lengths.values()]
    return EqualMessages(
        np.array([tree.number[id_] for id_ in lengths], dtype=np.intp), np.array(evidence, dtype=np.int64)
    )


def without_words_said_again(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation
) -> Sequence[Match]:
    """Return the matches without short last ones that the transcript shows behind turns that are not known.

    Lines before known words were known when these came in, unless the frontend hid them then. So if a transcript
    shows an exchange more than is known there, words of a third, or turns that take the place of none, `ok` behind them
    is rather said again: taken for the known one, it would hide them for good.
    """
    lengths = [len(turns[match.turn].comparable) for match in matches]
    # By match, how long it is with those behind it.
    behind = list(accumulate(reversed(lengths)))[::-1]
    for number, (before, match) in enumerate(pairwise(matches), start=1):
        if behind[number] < LONG and _is_unknown(turns[before.turn + 1 : match.turn], before, match, known):
            return matches[:number]
    return matches


def _is_unknown(between: Sequence[Turn], before: Match, match: Match, known: KnownConversation) -> bool:
    """Whether turns between two matches are more than an edit, a summary or a note of the frontend."""
    roles = {turn.role == "assistant" for turn in between}
    passed = known.between(before.message, match.message) if between else []
    if len(roles) > 1 and len(between) - len(passed) >= EXCHANGE:
        return True
    if not passed and any(turn.role == "other" for turn in between):
        # Frontends add notes in the user's name or the Being's, not in that of a third.
        return True
    is_edit = [(one.role, one.speaker) for one in between] == [(one.role, one.speaker) for one in passed]
    return False in roles and bool(passed) and not is_edit and not known.is_greeting(before.message)
