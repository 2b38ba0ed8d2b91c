"""Sessions too short for a model call of their own: they are queued, and one call summarises up to 20 of them.

A session of at most two messages with 500 characters together is short. While it is queued, `sessions.deferral_id` is
set; queueing it again, after a late message, sets a new mark.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from schemas.ledger import kinds
from schemas.limits import SHORT_SESSION_CHARACTERS, SHORT_SESSION_MESSAGES, SHORT_SESSIONS_AT_ONCE
from schemas.settings import Settings
from schemas.talk.messages import Message
from store.ledger import work
from store.ledger.work import AT_ONCE
from store.talk import session_summaries
from store.transaction import Transaction


def is_short(messages: Sequence[Message], own_texts: Mapping[UUID, str]) -> bool:
    """Whether a session is too short for a call of its own.

    Args:
        messages: All messages of the session.
        own_texts: Their texts without what contexts showed (`context_provenance.own_texts`).
    """
    characters = sum(len(text) for text in own_texts.values())
    return len(messages) <= SHORT_SESSION_MESSAGES and characters <= SHORT_SESSION_CHARACTERS


def enqueue(tx: Transaction, settings: Settings, being_id: UUID, session_id: UUID) -> None:
    """Queue a session for a joint call."""
    session_summaries.enqueue_short(tx, being_id, session_id)
    request_if_due(tx, settings, being_id)


def request_if_due(tx: Transaction, settings: Settings, being_id: UUID) -> None:
    """Request the joint call if sessions are queued: at once for 20, for fewer after `short_session_wait`."""
    queued = session_summaries.count_short(tx, being_id, limit=SHORT_SESSIONS_AT_ONCE)
    if queued:
        wait = AT_ONCE if queued == SHORT_SESSIONS_AT_ONCE else settings.short_session_wait
        work.ask(tx, being_id, kinds.SHORT_SESSIONS, after=wait)
