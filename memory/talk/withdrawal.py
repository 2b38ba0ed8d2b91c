"""Withdrawal of messages, which erasing and retracting have in common, with all that was derived from them.

A scene that rests on one of them goes with its note, its node and all texts derived from it; its other messages lose
their mark and are drawn from again, when the summary of their session is written anew. All else is derived again by
the work that is requested here. A survivor that had absorbed such a scene returns to its own text, which may need the
embedder, so a withdrawal is planned before the transaction that carries it out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from memory.facts import vectors
from memory.nodes import node_erasure
from memory.nodes.node_erasure import TRIES, PlannedErasure, PlanOutdated
from memory.talk import context_provenance, sharing, spine
from memory.talk.sessions import request_processing
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.settings import Settings
from schemas.talk.retraction import Rebuilds
from store.accounts import beings, erasure
from store.context import provenance
from store.database import Store
from store.facts import facts
from store.llm import calls
from store.talk import retraction, scenes, session_summaries
from store.talk.retraction import ChangedSession
from store.transaction import Transaction

R = TypeVar("R")


@dataclass(frozen=True)
class Withdrawal:
    """A planned withdrawal of messages to a Being, with the scenes that rest on them."""

    being: Being
    message_ids: Sequence[UUID]
    scenes: PlannedErasure = field(default_factory=PlannedErasure)

    def carry_out(
        self,
        tx: Transaction,
        settings: Settings,
        take_out: Callable[[Transaction, UUID, Sequence[UUID]], list[ChangedSession]],
    ) -> Rebuilds:
        """Take the messages out of the talk, and request the work that derives again the memory that rested on them.

        Args:
            tx: The transaction, which has called `lock`.
            take_out: The change to the messages: `retraction.retract` or `retraction.erase`.

        Returns:
            The kinds and numbers of items that are derived again.

        Raises:
            PlanOutdated: A patrol has changed the nodes since; the transaction must be rolled back.
        """
        being_id, user_id = self.being.being_id, self.being.user_id
        scenes_removed = self._remove_scenes(tx)
        summarised = retraction.summarised(tx, being_id, self.message_ids)
        marks = context_provenance.marks_of(tx, being_id, self.message_ids)
        sessions = take_out(tx, being_id, self.message_ids)
        erasure.remove_unused_names(tx, user_id)
        provenance.remove(tx, being_id, marks)
        rebuilds = Rebuilds(
            messages=sum(session.judged_again for session in sessions),
            summaries=session_summaries.count_due(tx, being_id, [session.session_id for session in sessions]),
            scenes=scenes_removed,
            rolling_summary=summarised.rolling,
            spine=summarised.spine,
        )
        vectors.request_embedding(tx, user_id)
        request_processing(tx, settings, being_id, [session.session_id for session in sessions])
        spine.request_if_due(tx, user_id)
        return rebuilds

    def _remove_scenes(self, tx: Transaction) -> int:
        """Remove the scenes, and unmark the messages that they rest on; returns the number of scenes."""
        being_id = self.being.being_id
        beings.lock(tx, being_id)
        notes = scenes.detach(tx, being_id, self.message_ids)
        if not notes:
            return 0
        if set(erasure.nodes_of(tx, being_id, notes)) != set(self.scenes.node_ids):
            raise PlanOutdated
        node_erasure.carry_out(tx, being_id, self.scenes)
        # Notes that no patrol has processed yet have no node.
        for note_id in notes:
            erasure.erase_note(tx, being_id, note_id)
        return len(notes)


def lock(tx: Transaction, *of_beings: Being) -> None:
    """Lock the rows that withdrawals write, in the common order: model calls, rolling summary's work, talk, facts.

    From here on no answer of a model is stored that may be about withdrawn messages.

    Args:
        of_beings: One Being, or several of one user in the order of their ids.
    """
    user_id = of_beings[0].user_id
    calls.refuse_answers(tx, user_id)
    sharing.lock(tx, *of_beings)
    facts.lock(tx, user_id)


def planned(
    store: Store,
    embedders: Embedders,
    find: Callable[[], Sequence[tuple[Being, Sequence[UUID]]]],
    change: Callable[[Sequence[Withdrawal]], R],
) -> R:
    """Plan the withdrawal of messages to Beings of one user, and change them in one transaction.

    Args:
        find: Returns the messages that are to be erased or retracted, by Being.
        change: Opens the transaction, calls `lock` and carries the withdrawals out, which come in the order of `find`.
            It raises `PlanOutdated` if a patrol has changed the nodes meanwhile, or if other messages are to be
            withdrawn: then both are called again.

    Raises:
        ProviderError: A survivor returns to its own text, and the embedder is unavailable; nothing was changed.
        Refused: Patrols keep changing the nodes, or messages keep coming.
    """
    for _ in range(TRIES):
        withdrawals = []
        for being, message_ids in find():
            with store.transaction() as tx:
                notes = scenes.resting_on(tx, being.being_id, message_ids)
                nodes = erasure.nodes_of(tx, being.being_id, notes)
            planned_scenes = node_erasure.plan(store, embedders, being, nodes)
            withdrawals.append(Withdrawal(being, message_ids, planned_scenes))
        try:
            return change(withdrawals)
        except PlanOutdated:
            continue
    raise Refused("These messages, or the memories of them, keep changing: try again.")
