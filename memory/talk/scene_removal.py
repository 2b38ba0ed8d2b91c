"""Removes the scenes that rest on messages which are erased or taken back.

A scene goes with its note, its node and all texts derived from it. Its other messages lose their mark and are drawn
from again, when the summary of their session is written anew. A survivor that had absorbed such a scene returns to its
own text, which may need the embedder; so the removal is planned before the transaction that changes the messages.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from memory.nodes import node_erasure
from memory.nodes.node_erasure import TRIES, PlannedErasure, PlanOutdated
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from store.accounts import beings
from store.accounts import erasure as stored
from store.database import Store
from store.talk import scenes
from store.transaction import Transaction

R = TypeVar("R")


@dataclass(frozen=True)
class SceneRemoval:
    """The planned removal of all scenes that rest on some messages of a Being."""

    being_id: UUID
    message_ids: Sequence[UUID]
    planned: PlannedErasure

    def carry_out(self, tx: Transaction) -> int:
        """Remove the scenes, and unmark the messages that they rest on; returns the number of scenes.

        The caller has locked the Being's session state, and changes the messages in the same transaction.

        Raises:
            PlanOutdated: A patrol has changed the nodes since; the transaction must be rolled back.
        """
        beings.lock(tx, self.being_id)
        notes = scenes.detach(tx, self.being_id, self.message_ids)
        if not notes:
            return 0
        if set(stored.nodes_of(tx, self.being_id, notes)) != set(self.planned.node_ids):
            raise PlanOutdated
        node_erasure.carry_out(tx, self.being_id, self.planned)
        # Notes that no patrol has processed yet have no node.
        for note_id in notes:
            stored.erase_note(tx, self.being_id, note_id)
        return len(notes)


def with_removal(
    store: Store, embedders: Embedders, being: Being, message_ids: Sequence[UUID], change: Callable[[SceneRemoval], R]
) -> R:
    """Plan the removal of the scenes that rest on messages, and change the messages with it.

    Args:
        store: The ledger.
        embedders: The embedders of this process.
        being: The Being.
        message_ids: The messages that are about to be erased or taken back.
        change: Opens the transaction, calls `SceneRemoval.carry_out` in it and changes the messages. It is called again
            if a patrol changes the nodes meanwhile.

    Raises:
        ProviderError: A survivor returns to its own text, and the embedder is unavailable; nothing was changed.
        Refused: Patrols keep changing the nodes.
    """
    return with_removals(store, embedders, [(being, message_ids)], lambda scenes: change(scenes[0]))


def with_removals(
    store: Store,
    embedders: Embedders,
    messages: Sequence[tuple[Being, Sequence[UUID]]],
    change: Callable[[Sequence[SceneRemoval]], R],
) -> R:
    """Do the same for messages to several Beings of one user, which change in one transaction.

    Args:
        store: The ledger.
        embedders: The embedders of this process.
        messages: The messages that are about to be erased or taken back, by Being.
        change: As for `with_removal`, with the removal of each Being's scenes in the order of `messages`.

    Raises:
        ProviderError, Refused: As `with_removal`.
    """
    for _ in range(TRIES):
        removals = []
        for being, message_ids in messages:
            with store.transaction() as tx:
                notes = scenes.resting_on(tx, being.being_id, message_ids)
                nodes = stored.nodes_of(tx, being.being_id, notes)
            planned = node_erasure.plan(store, embedders, being, nodes)
            removals.append(SceneRemoval(being.being_id, message_ids, planned))
        try:
            return change(removals)
        except PlanOutdated:
            continue
    raise Refused("A patrol is changing the memories of these messages: try again.")
