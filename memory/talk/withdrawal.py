"""Withdrawal of messages, by erasure or retraction: what was derived from them is derived again without them."""

from collections.abc import Callable, Sequence
from uuid import UUID

from memory.facts import vectors
from memory.talk import context_provenance, sharing, spine
from memory.talk.sessions import request_processing
from schemas.accounts.accounts import Being
from schemas.settings import Settings
from schemas.talk.retraction import Rebuilds
from store.accounts import erasure, users
from store.facts import facts
from store.llm import calls
from store.talk import retraction, session_summaries
from store.talk.retraction import Withdrawn
from store.transaction import Transaction


def lock(tx: Transaction, *beings: Being) -> None:
    """Lock what `withdraw` writes, in the order of all transactions: model calls, rolling summary's work, talk, facts.

    From here on no answer of a model is stored that may be about what is withdrawn.

    Args:
        tx: The transaction.
        beings: One Being, or several of one user in the order of their ids.
    """
    user_id = beings[0].user_id
    users.hold(tx, user_id)
    calls.refuse_answers(tx, user_id)
    sharing.lock(tx, *beings)
    facts.lock(tx, user_id)


def withdraw(
    tx: Transaction,
    settings: Settings,
    being: Being,
    message_ids: Sequence[UUID],
    take_out: Callable[[Transaction, UUID, Sequence[UUID]], list[Withdrawn]],
) -> Rebuilds:
    """Take messages out of the talk, and request the work that derives again what had rested on them.

    Args:
        tx: The transaction, which has called `lock`.
        settings: Thresholds of judging.
        being: The Being.
        message_ids: The messages.
        take_out: What becomes of the messages: `retraction.retract` or `retraction.erase`.

    Returns:
        What is derived again.
    """
    summarised = retraction.summarised(tx, being.being_id, message_ids)
    marks = context_provenance.withdrawn_marks(tx, being.being_id, message_ids)
    sessions = take_out(tx, being.being_id, message_ids)
    erasure.remove_unused_names(tx, being.user_id)
    context_provenance.drop(tx, being.being_id, marks)
    rebuilds = Rebuilds(
        messages=sum(session.judged_again for session in sessions),
        summaries=session_summaries.count_due(tx, being.being_id, [session.session_id for session in sessions]),
        rolling_summary=summarised.rolling,
        spine=summarised.spine,
    )
    vectors.request_embedding(tx, being.user_id)
    request_processing(tx, settings, being.being_id, [session.session_id for session in sessions])
    spine.request_if_due(tx, being.user_id)
    return rebuilds
