"""A turn of a conversation: what was said is taken in, and the context for the answer comes back."""

import random
from dataclasses import dataclass
from uuid import UUID

from memory import profiles
from memory.batches import DeriveId
from memory.context import Wanted, assemble_for, occasion_of
from memory.intake import read_messages, take_messages_in
from memory.questions import BadQuestion
from providers.embedders import Embedders
from schemas.context import Turn, TurnAnswer
from schemas.rows import Being
from schemas.settings import Settings
from schemas.work import Ring
from store.database import Store


@dataclass(frozen=True)
class Taken:
    """What a turn answers, and what to ring for."""

    answer: TurnAnswer
    rings: list[Ring]


def take_turn(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    being: Being,
    turn: Turn,
    chance: random.Random,
    derive_id: DeriveId = lambda _: None,
    *,
    paid_by: UUID | None = None,
) -> Taken:
    """Take messages in, and assemble the context for an answer to the last of them.

    A turn that is sent again, with the same ids, changes nothing and gets a context again.

    Args:
        store: The ledger.
        embedders: Who embeds.
        settings: When what was said is judged, and how facts are ranked.
        being: Who is to answer.
        turn: What was said, and how the context is to be.
        chance: Shuffles what comes to mind.
        derive_id: Gives messages without an id one.
        paid_by: The key that came with the request, which pays for the thinking that this causes.

    Raises:
        BadQuestion: The last message can't be taken; the text says why. Those before it are taken.
        NotFound: There is no such process; nothing was taken.
    """
    items = [message.model_dump(mode="json", exclude_unset=True) for message in turn.messages]
    batch = read_messages(items, derive_id)
    with store.transaction() as tx:
        # First of all: nothing shall be taken in for a process that there is not.
        profile = profiles.find(tx, being.being_id, turn.process)
        accepted = take_messages_in(tx, settings, being.being_id, batch, paid_by=paid_by)
        last = turn.messages[-1]
        wanted = Wanted(turn, last.content, accepted.receipt.ids[-1], role=last.role, speaker=last.speaker)
        occasion = occasion_of(tx, being, profile, wanted)
    if wanted.message_id is None:
        raise BadQuestion(f"The last message can't be taken: {accepted.receipt.rejected[-1].reason}")
    context = assemble_for(store, embedders, settings, being, occasion, chance)
    return Taken(TurnAnswer(receipt=accepted.receipt, context=context), accepted.rings)
