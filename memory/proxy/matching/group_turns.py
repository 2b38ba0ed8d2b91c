"""Decides which turns of a group's transcript a Being received, and which of its possible ones are another's."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args
from uuid import UUID

from memory.proxy.matching.alignment import KnownConversation
from memory.proxy.matching.reads import RepeatableReads
from memory.proxy.reading.turns import Turn
from memory.text.same_words import digest
from schemas.wire.fields import Role
from store.talk import transcripts
from store.transaction import Transaction


def witnessed(
    tx: Transaction, being_id: UUID, others: Sequence[UUID], conversation: str | None, turns: Sequence[Turn]
) -> Sequence[Turn]:
    """Return turns without those of a room from the Being's absence, which its transcript shows all the same."""
    newest = next((number for number in range(len(turns), 0, -1) if turns[number - 1].role != "user"), 0)
    before = turns[:newest]
    if not others or conversation is None or not before:
        return turns
    versions = [{digest(role, turn.comparable) for role in get_args(Role)} for turn in before]
    known = [transcripts.digests_in(tx, ids, conversation, set().union(*versions)) for ids in ([being_id], others)]
    heard = [turn for turn, each in zip(before, versions, strict=True) if each & known[0] or not each & known[1]]
    return [*heard, *turns[newest:]]


def own_as_known(turns: Sequence[Turn], known: KnownConversation) -> Sequence[Turn]:
    """Return turns of which those are the Being's that come in another's name and are known as its own.

    Agents of one program, for all of which the Being answers, are shown each other's answers so.
    """
    others = {turn.digest: digest("assistant", turn.comparable) for turn in turns if turn.role == "other"}
    own = {one: as_own for one, as_own in others.items() if as_own in known.by_digest and one not in known.by_digest}
    if not own:
        return turns
    return [
        replace(turn, role="assistant", speaker=None, digest=own[turn.digest], perhaps_of=turn.speaker)
        if turn.digest in own
        else turn
        for turn in turns
    ]


def without_others_as_own(
    reads: RepeatableReads, being_id: UUID, turns: Sequence[Turn], conversation: str
) -> Sequence[Turn]:
    """Return turns of which those that another in the group may have said are the Being's only if it is known so.

    One without a name is the Being's as well if nothing is known of it.
    """
    own = {turn.digest for turn in turns if turn.perhaps_of is not None}
    others = {digest("other", turn.comparable) for turn in turns if turn.perhaps_of is not None}
    if not own:
        return turns
    known = {
        one.digest: one for one in reads.ask(transcripts.messages_near, being_id, conversation, own | others, newest=1)
    }

    def decided(turn: Turn) -> Turn:
        as_others = digest("other", turn.comparable)
        is_others = turn.perhaps_of is not None and turn.digest not in known and (turn.perhaps_of or as_others in known)
        if not is_others:
            return turn
        speaker = known[as_others].speaker if as_others in known else turn.perhaps_of
        return replace(turn, role="other", speaker=speaker, digest=as_others)

    return [decided(turn) for turn in turns]
