"""Sessions: their messages and summaries, the session state, and spines."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.facts.scope import stay_with_those_present
from memory.talk import sessions
from memory.text.pages import cut_page, parse_cursor, time_and_id, version
from operations.declaration import Command, FindsMuted, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being, KnownTo
from schemas.errors import existing
from schemas.limits import PAGE_NODES
from schemas.talk.messages import MessagePage, RetractedPage, SessionPage
from schemas.talk.summaries import RollingPage, SessionDetail, SessionState, SpinePage
from store.talk import messages, retraction, rolling, session_summaries, spines
from store.transaction import Transaction
from workers.runtime.resources import Resources

SpineKnownTo = Annotated[
    KnownTo | None,
    Field(
        description="`all`: the spine that all of the user's Beings see; `present`: the Being's own; without it as the"
        " user's `facts_known_to` says."
    ),
]


@operation("GET /v1/beings/{being}/sessions", scope="read", commands=[Command("list")])
def list_sessions(
    tx: Transaction,
    being: Being,
    *,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> SessionPage:
    """List sessions, the one opened last first; an open session has no `ended_at`."""
    found = messages.sessions(tx, being.being_id, before=parse_cursor(cursor, UUID), limit=limit + 1)
    shown, end = cut_page(found, limit, lambda session: session.session_id)
    return SessionPage(sessions=shown, cursor=end)


@operation("GET /v1/beings/{being}/sessions/{session_id}", scope="read", commands=[Command("show")])
def show_session(tx: Transaction, being: Being, session_id: UUID) -> SessionDetail:
    """Show a session with its summary, which is written after the session has closed, if a model is available.

    A late message that belongs to the session causes a new version of the summary.
    """
    found = existing(
        session_summaries.session(tx, being.being_id, session_id), f"This Being has no session {session_id}."
    )
    return SessionDetail(**found.model_dump(), summary=session_summaries.newest(tx, being.being_id, session_id))


@operation("GET /v1/beings/{being}/sessions/{session_id}/messages", scope="read")
def list_messages(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    session_id: UUID,
    *,
    tellable: Annotated[bool, Field(description="Only those that a prompt may tell: muted ones are left out.")] = False,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> MessagePage:
    """List the messages of a session, in order. The scope `manage` also lists muted ones."""
    after = parse_cursor(cursor, time_and_id)
    found = messages.of_session(
        tx, being.being_id, session_id, after=after, limit=limit + 1, muted=muted and not tellable
    )
    if not found:
        existing(session_summaries.session(tx, being.being_id, session_id), f"This Being has no session {session_id}.")
    shown, end = cut_page(found, limit, lambda message: (message.created_at, message.message_id))
    return MessagePage(messages=shown, cursor=end)


@operation("GET /v1/beings/{being}/party-messages", scope="read")
def list_party_messages(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    *,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> MessagePage:
    """List third speakers' messages of all sessions, the one received last first.

    The scope `manage` also lists muted ones.
    """
    before = parse_cursor(cursor, UUID)
    found = messages.of_others(tx, being.being_id, muted=muted, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda message: message.message_id)
    return MessagePage(messages=shown, cursor=end)


@operation("GET /v1/beings/{being}/retracted-messages", scope="read")
def list_retracted_messages(
    tx: Transaction,
    being: Being,
    *,
    conversation: Annotated[str | None, Field(description="Only those of this conversation.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> RetractedPage:
    """List retracted messages, which can be restored, the one received last first."""
    before = parse_cursor(cursor, UUID)
    found = retraction.page(tx, being.being_id, conversation=conversation, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda message: message.message_id)
    return RetractedPage(messages=shown, cursor=end)


@operation("GET /v1/beings/{being}/session-state", scope="read", commands=[Command("state")])
def show_state(on: Resources, being: Being, muted: FindsMuted) -> SessionState:
    """Show the state that survives sessions: message count, rolling summary, and the summary's last attempt.

    The scope `manage` also shows the user's last message if it is muted.
    """
    return sessions.state(on.store, being.being_id, muted=muted)


@operation("GET /v1/beings/{being}/rolling-summaries", scope="read")
def list_rolling_summaries(
    tx: Transaction, being: Being, *, cursor: Cursor = None, limit: Limit = PAGE_NODES
) -> RollingPage:
    """List the versions of the rolling summary, newest first; it is rewritten every four messages."""
    found = rolling.versions(tx, being.being_id, before=parse_cursor(cursor, version), limit=limit + 1)
    versions, end = cut_page(found, limit, lambda summary: summary.version)
    return RollingPage(versions=versions, cursor=end)


@operation(
    "GET /v1/beings/{being}/spine",
    scope="read",
    commands=[
        Command(
            "spine",
            "Show the spine: the long-term summary of the user's messages to all Beings, or to this one alone.",
            takes=("known_to",),
        )
    ],
)
def list_spines(
    on: Resources, being: Being, *, known_to: SpineKnownTo = None, cursor: Cursor = None, limit: Limit = 1
) -> SpinePage:
    """List versions of the spine, the long-term summary of the Being's user, newest first; one unless `limit` is set.

    There are two, each rewritten every 20 judged messages: one that all of the user's Beings see, of messages not
    in confidence, and the Being's own, of those in confidence, or sent while facts stay with the Beings present.
    """
    before = parse_cursor(cursor, version)
    with on.store.transaction() as tx:
        own = known_to == "present" or (known_to is None and stay_with_those_present(tx, on.settings, being.user_id))
        found = spines.versions(tx, being.user_id, being.being_id if own else None, before=before, limit=limit + 1)
    versions, end = cut_page(found, limit, lambda spine: spine.version)
    return SpinePage(versions=versions, cursor=end)
