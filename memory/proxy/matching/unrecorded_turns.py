"""Turns off the record: known by keyed digests alone, so that no later transcript stores them.

A request that is off the record leaves digests of the turns that its transcript shows and no message has, and of its
answer. In a later transcript such a turn is recognised, unless it is a known message,

- as one that the talk has gone on behind, by its words: a long one, or one beside another that is known;
- as the newest one, by its words and the turn before it: otherwise they are said again, and now on the record. In a
  conversation that its frontend names, or that was recognised, any will do; elsewhere the two must be long enough;
- as a turn between two of them, or an answer right behind one: answers are cut off, and frontends rewrite lines.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from memory.erased import known_erased
from memory.erased.digests import Digests
from memory.proxy.matching.reads import RepeatableReads
from memory.proxy.reading.turns import Turn
from memory.text.same_words import LONG
from schemas.accounts.accounts import Being
from schemas.settings import Settings
from store.talk import unrecorded_turns
from store.transaction import Transaction


def remember(
    tx: Transaction, settings: Settings, being: Being, conversation: str, turns: Sequence[Turn], shown: Collection[int]
) -> None:
    """Store the digests of a transcript's turns, but for those that are known messages.

    Args:
        tx: The transaction.
        settings: The secret that encrypts the key of the user's digests.
        being: The Being.
        conversation: The conversation.
        turns: The transcript, or an answer alone.
        shown: The numbers of turns that are known messages.

    Raises:
        SecretMissing: No secret decrypts that key; nothing was stored.
    """
    digests = known_erased.for_erasure(tx, settings, being.user_id, being.being_id).digests
    made = {
        digest
        for number in range(len(turns))
        if number not in shown
        for digest in _KnownDigests(digests, conversation, turns, number)
    }
    unrecorded_turns.add(tx, being.being_id, made)


def unrecorded(
    reads: RepeatableReads,
    settings: Settings,
    being: Being,
    conversation: str,
    turns: Sequence[Turn],
    shown: Collection[int],
) -> set[int]:
    """Return the numbers of a transcript's turns that were said off the record.

    Args:
        reads: Reads the digests.
        settings: The secret that encrypts their key.
        being: The Being.
        conversation: The conversation.
        turns: The transcript.
        shown: The numbers of turns that are known messages.

    Raises:
        SecretMissing: No secret decrypts the key.
    """
    key = reads.ask(unrecorded_turns.key_of, being.being_id)
    recognition = known_erased.with_key(settings, being.being_id, key)
    if recognition is None:
        return set()
    traces = {
        number: _KnownDigests(recognition.digests, conversation, turns, number)
        for number in range(len(turns))
        if number not in shown
    }
    known = reads.ask(
        unrecorded_turns.known, being.being_id, sorted({digest for one in traces.values() for digest in one})
    )
    by_words = {number for number, one in traces.items() if one.words in known}
    last = len(turns) - 1
    found = {
        number
        for number in by_words - {last}
        if _is_long(turns, number) or not by_words.isdisjoint({number - 1, number + 1})
    }
    found |= {number for number, one in traces.items() if one.here in known}
    if last in traces and traces[last].behind in known and _is_long(turns, last - 1, last):
        found.add(last)
    for before, behind in pairwise(sorted(found)):
        between = range(before + 1, behind)
        found |= set(between) if not any(number in shown for number in between) else set()
    for number in range(1, len(turns)):
        if number - 1 in found and number in traces and turns[number].role == "assistant":
            found.add(number)
    return found


class _KnownDigests:
    """The digests by which a turn of a transcript is known.

    Attributes:
        words: That of its words, at any place.
        behind: That of its words behind the turn before it; None for the first one.
        here: Likewise in the conversation, in which it may be the first.
    """

    def __init__(self, digests: Digests, conversation: str, turns: Sequence[Turn], number: int) -> None:
        turn, before = turns[number].digest, turns[number - 1].digest if number else None
        self.words = digests.of_turn(turn)
        self.behind = digests.of_turn(turn, before=before) if before else None
        self.here = digests.of_turn(turn, before=before, conversation=conversation)

    def __iter__(self) -> Iterator[bytes]:
        return iter([self.words, self.here, *([self.behind] if self.behind else [])])


def _is_long(turns: Sequence[Turn], *numbers: int) -> bool:
    """Whether turns together have enough characters that they are not said twice by chance."""
    return sum(len(turns[number].comparable) for number in numbers) >= LONG
