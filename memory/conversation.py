"""Looking at conversations: what they came to, how they go on; and waking what waits for somebody to sum it up."""

from collections.abc import Sequence
from uuid import UUID

from memory import closing, spine
from memory import rolling as rewriting
from memory.judging import ask_for_judging
from providers.thinkers import Thinkers, platform_is_silent
from schemas.answers import RollingPage, SpinePage
from schemas.rows import Being
from schemas.settings import Settings
from schemas.summaries import (
    ConversationState,
    CuratorState,
    RollingError,
    SessionDetail,
    SessionState,
)
from schemas.work import Ring
from store import judging, keys, rolling, session_summaries, spines
from store.database import Store
from store.errors import NotFound
from store.transaction import Transaction


def ask_about(tx: Transaction, settings: Settings, being_id: UUID, session_ids: Sequence[UUID]) -> list[Ring]:
    """Messages came into sessions: ask for what has to be made of them.

    Where nobody can think, they wait for a key without a task that would only find that out.
    """
    if not keys.may_think(tx, being_id, platform=not platform_is_silent(settings)):
        judging.wait_for_key(tx, being_id, session_ids, waits=True)
        rolling.wait_for_key(tx, being_id, waits=True)
        return []
    return [*ask_for_judging(tx, settings, being_id, session_ids), *ask_for_summaries(tx, being_id)]


def ask_for_summaries(tx: Transaction, being_id: UUID) -> list[Ring]:
    """Something was said, or is gone: ask for what has to be summed up now."""
    return [*rewriting.ask(tx, being_id), *closing.ask(tx, being_id)]


def ask_for_waiting(store: Store, thinkers: Thinkers, limit: int = 200) -> list[Ring]:
    """Wake the summaries of Beings, and the spines of users, that waited for a key and have one now."""
    platform = thinkers.has_platform()
    rings: list[Ring] = []
    with store.transaction() as tx:
        for being_id in rolling.beings_waiting(tx, platform=platform, limit=limit):
            rewriting.reserve(tx, being_id)
            rolling.wait_for_key(tx, being_id, waits=False)
            rings += ask_for_summaries(tx, being_id)
    # By itself: whoever erases messages has the user's facts before the Being's state.
    with store.transaction() as tx:
        for user_id in spines.users_waiting(tx, platform=platform, limit=limit):
            spines.wait_for_key(tx, user_id, waits=False)
            rings += spine.ask(tx, user_id)
    return rings


def session(store: Store, being_id: UUID, session_id: UUID) -> SessionDetail:
    """A conversation, with what it came to.

    Raises:
        NotFound: This Being has no such session.
    """
    with store.transaction() as tx:
        found = session_summaries.session(tx, being_id, session_id)
        summary = session_summaries.newest(tx, being_id, session_id)
    if found is None:
        raise NotFound(f"This Being has no session {session_id}.")
    return SessionDetail(**found.model_dump(), summary=summary)


def state(store: Store, being_id: UUID) -> SessionState:
    """How the user and a Being stand, in the state seed's words."""
    with store.transaction() as tx:
        row = rolling.state(tx, being_id)
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


def rolling_page(store: Store, being_id: UUID, *, before: int | None, limit: int) -> RollingPage:
    """The versions of a Being's rolling summary, newest first."""
    with store.transaction() as tx:
        return RollingPage(versions=rolling.versions(tx, being_id, before=before, limit=limit))


def spine_page(store: Store, being: Being, *, before: int | None, limit: int) -> SpinePage:
    """The versions of the long line of what the Being's user has told, newest first."""
    with store.transaction() as tx:
        return SpinePage(versions=spines.versions(tx, being.user_id, before=before, limit=limit))
