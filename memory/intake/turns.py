"""A turn of a conversation: takes messages in and returns the context for the reply."""

import random
from uuid import UUID

from memory.context import profiles
from memory.context.assembly import assemble_prepared
from memory.context.assembly_request import AssemblyRequest, prepare
from memory.intake.accepting import is_bulk
from memory.intake.messages import read_messages, take_messages
from memory.text.errors import InvalidRequest
from memory.text.items import DeriveId
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.context.context import Turn, TurnAnswer
from schemas.settings import Settings
from store.database import Store


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
) -> TurnAnswer:
    """Take messages in, and assemble the context for a reply to the last of them.

    A repeated turn with the same ids stores nothing and gets a context again; likewise a turn with messages that were
    erased before, or are off the record.

    Args:
        store: The ledger.
        embedders: Embed the last message.
        settings: Thresholds of judging, and the ranking of facts.
        being: The Being that replies.
        turn: The messages, and options of the context.
        chance: Shuffles recalled fragments.
        derive_id: Gives a message without an id one by its position.
        paid_by: The id of the key that came with the request, if one did; it may pay for work on these messages.

    Raises:
        InvalidRequest: The last message is invalid; the text says why. Those before it are committed.
        NotFound: There is no such process; nothing was taken.
        IntakeFull: As `accept_messages`; nothing was taken.
    """
    mark = {"off_the_record": True} if turn.off_the_record else {}
    items = [message.model_dump(mode="json", exclude_unset=True) | mark for message in turn.messages]
    batch = read_messages(items, derive_id)
    with store.transaction() as tx:
        # Checked first, so that nothing is taken in for an unknown process.
        profile = profiles.find(tx, being.being_id, turn.process)
        (receipt,) = take_messages(tx, settings, being.being_id, [batch], bulk=is_bulk(items), paid_by=paid_by)
        last = turn.messages[-1]
        request = AssemblyRequest(
            turn,
            last.content,
            receipt.ids[-1],
            last.conversation,
            role=last.role,
            speaker=last.speaker,
            reassembled=True,
            off_the_record=last.off_the_record,
        )
        prepared = prepare(tx, being, profile, request)
    if request.message_id is None and len(items) - 1 not in {*receipt.erased, *receipt.off_the_record}:
        raise InvalidRequest(f"The last message is invalid: {receipt.rejected[-1].reason}")
    context = assemble_prepared(store, embedders, settings, being, prepared, chance)
    return TurnAnswer(receipt=receipt, context=context)
