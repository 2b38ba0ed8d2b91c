"""Reading sessions, summaries and session state; and requesting the work that new messages cause."""

from collections.abc import Sequence
from uuid import UUID

from memory.talk import rolling as rolling_summary
from memory.talk import session_summary, spine
from memory.talk.judging import request_judging
from providers.thinkers import Thinkers, platform_llm_disabled
from schemas.settings import Settings
from schemas.talk.summaries import (
    ConversationState,
    CuratorState,
    RollingError,
    SessionState,
)
from store.database import Store
from store.llm import keys
from store.talk import judging, rolling, spines
from store.transaction import Transaction


def may_process(tx: Transaction, settings: Settings, being_id: UUID) -> bool:
    """Whether a key is usable to judge and summarise messages of the Being's user."""
    return keys.may_think(tx, being_id, platform=not platform_llm_disabled(settings))


def request_processing(tx: Transaction, settings: Settings, being_id: UUID, session_ids: Sequence[UUID]) -> bool:
    """Request judging and summaries for sessions that got messages.

    Returns:
        Whether they were requested. If no key is usable for the user, the sessions are marked as waiting for one
        instead, and no task is sent.
    """
    may = may_process(tx, settings, being_id)
    process_or_wait(tx, settings, being_id, session_ids, may=may)
    return may


def process_or_wait(
    tx: Transaction, settings: Settings, being_id: UUID, session_ids: Sequence[UUID], *, may: bool
) -> None:
    """Request judging and summaries for sessions that got messages; if no key may pay, mark them as waiting for one."""
    if not may:
        judging.wait_for_key(tx, being_id, session_ids, waits=True)
        rolling.wait_for_key(tx, being_id, waits=True)
        return
    request_judging(tx, settings, being_id, session_ids)
    request_summaries(tx, being_id)


def request_summaries(tx: Transaction, being_id: UUID) -> None:
    """Request the rolling and session summaries that are due after messages came in or were erased."""
    rolling_summary.request_if_due(tx, being_id)
    session_summary.request_due(tx, being_id)


def request_waiting(store: Store, thinkers: Thinkers) -> None:
    """Request the summaries and spines that waited for a key, of up to 200 Beings and users with a usable one now."""
    platform = thinkers.has_platform()
    with store.transaction() as tx:
        for being_id in rolling.beings_waiting(tx, platform=platform, limit=200):
            rolling_summary.reserve(tx, being_id)
            rolling.wait_for_key(tx, being_id, waits=False)
            request_summaries(tx, being_id)
    # In a transaction of its own: an erasure locks the user's facts before the session state.
    with store.transaction() as tx:
        for user_id in spines.users_waiting(tx, platform=platform, limit=200):
            spines.wait_for_key(tx, user_id, waits=False)
            spine.request_if_due(tx, user_id)


def state(store: Store, being_id: UUID, *, muted: bool = True) -> SessionState:
    """A Being's session state, in the field names of the state-and-memory seed; a muted last message with `muted`."""
    row = store.run(rolling.state, being_id, muted=muted)
    return SessionState(
        state=ConversationState(
            message_count=row.message_count,
            last_interaction=row.last_interaction,
            last_user_message=row.last_user_message,
            curator=CuratorState(last_run_at=row.last_run_at, last_memory_count_at_run=row.last_memory_count_at_run),
            last_rolling_attempt_at=row.last_rolling_attempt_at,
            last_rolling_success_at=row.last_rolling_success_at,
            last_rolling_error=RollingError.model_validate(row.last_rolling_error) if row.last_rolling_error else None,
        ),
        rolling_summary=row.rolling_summary,
    )
