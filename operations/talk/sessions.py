"""Sessions: their messages and summaries, the session state, and spines."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.nodes import browsing
from memory.talk import sessions
from operations.declaration import Command, FindsMuted, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being, KnownTo
from schemas.limits import PAGE_NODES
from schemas.talk.messages import MessagePage, RetractedPage, SessionPage
from schemas.talk.summaries import RollingPage, SessionDetail, SessionState, SpinePage
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
    on: Resources,
    being: Being,
    *,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> SessionPage:
    """List sessions, the one opened last first; an open session has no `ended_at`."""
    return browsing.session_page(on.store, being.being_id, cursor=cursor, limit=limit)


@operation("GET /v1/beings/{being}/sessions/{session_id}", scope="read", commands=[Command("show")])
def show_session(on: Resources, being: Being, session_id: UUID) -> SessionDetail:
    """Show a session with its summary, which is written after the session has closed, if a model is available.

    A late message that belongs to the session causes a new version of the summary.
    """
    return sessions.session(on.store, being.being_id, session_id)


@operation("GET /v1/beings/{being}/sessions/{session_id}/messages", scope="read")
def list_messages(
    on: Resources,
    being: Being,
    muted: FindsMuted,
    session_id: UUID,
    *,
    told: Annotated[bool, Field(description="Only those that a prompt may tell: muted ones are left out.")] = False,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> MessagePage:
    """List the messages of a session, in order. The scope `manage` also lists muted ones."""
    finds = muted and not told
    return browsing.said_in(on.store, being.being_id, session_id, muted=finds, cursor=cursor, limit=limit)


@operation("GET /v1/beings/{being}/party-messages", scope="read")
def list_party_messages(
    on: Resources,
    being: Being,
    muted: FindsMuted,
    *,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> MessagePage:
    """List third speakers' messages of all sessions, the one received last first.

    The scope `manage` also lists muted ones.
    """
    return browsing.party_page(on.store, being.being_id, muted=muted, cursor=cursor, limit=limit)


@operation("GET /v1/beings/{being}/retracted-messages", scope="read")
def list_retracted_messages(
    on: Resources,
    being: Being,
    *,
    conversation: Annotated[str | None, Field(description="Only those of this conversation.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> RetractedPage:
    """List retracted messages, which can be restored, the one received last first."""
    return browsing.retracted_page(on.store, being.being_id, conversation=conversation, cursor=cursor, limit=limit)


@operation("GET /v1/beings/{being}/session-state", scope="read", commands=[Command("state")])
def show_state(on: Resources, being: Being, muted: FindsMuted) -> SessionState:
    """Show the state that survives sessions: message count, rolling summary, and the summary's last attempt.

    The scope `manage` also shows the user's last message if it is muted.
    """
    return sessions.state(on.store, being.being_id, muted=muted)


@operation("GET /v1/beings/{being}/rolling-summaries", scope="read")
def list_rolling_summaries(
    on: Resources, being: Being, *, cursor: Cursor = None, limit: Limit = PAGE_NODES
) -> RollingPage:
    """List the versions of the rolling summary, newest first; it is rewritten every four messages."""
    return sessions.rolling_page(on.store, being.being_id, cursor=cursor, limit=limit)


@operation(
    "GET /v1/beings/{being}/spine",
    scope="read",
    commands=[
        Command(
            "spine",
            "Show the spine: the long-term summary of what the user has told this and other Beings, or this one alone.",
            takes=("known_to",),
        )
    ],
)
def list_spines(
    on: Resources, being: Being, *, known_to: SpineKnownTo = None, cursor: Cursor = None, limit: Limit = 1
) -> SpinePage:
    """List versions of the spine, the long-term summary of the Being's user, newest first; one unless `limit` is set.

    There are two, each rewritten every 20 judged messages: one that all of the user's Beings see, of what was not said
    in confidence, and the Being's own, of what was, or was said while facts stay with the Beings that were present.
    """
    return sessions.spine_page(on.store, on.settings, being, known_to, cursor=cursor, limit=limit)
