"""Routes of sessions: their messages and summaries, the session state, and the spine."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import AfterValidator

from api.http.auth import ReadBeing
from api.http.bodies import JsonRoute
from api.http.paging import Cursor, Limit
from api.http.resources import On
from memory.nodes import browsing
from memory.talk import sessions
from schemas.limits import PAGE_NODES
from schemas.talk.messages import MessagePage, RetractedPage, SessionPage
from schemas.talk.summaries import RollingPage, SessionDetail, SessionState, SpinePage
from schemas.text.storable import storable

router = APIRouter(prefix="/v1/beings/{being}", tags=["Conversations"], route_class=JsonRoute)


@router.get("/sessions")
def list_sessions(
    on: On,
    being: ReadBeing,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> SessionPage:
    """List sessions, the one opened last first; an open session has no `ended_at`.

    Scope `read`.
    """
    return browsing.session_page(on.store, being.being_id, cursor=cursor, limit=limit)


@router.get("/sessions/{session_id}")
def show_session(on: On, being: ReadBeing, session_id: UUID) -> SessionDetail:
    """Show a session with its summary, which is written after the session has closed, if a model is available.

    Scope `read`.

    A late message that belongs to the session causes a new version of the summary.
    """
    return sessions.session(on.store, being.being_id, session_id)


@router.get("/sessions/{session_id}/messages")
def list_messages(
    on: On,
    being: ReadBeing,
    session_id: UUID,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> MessagePage:
    """List the messages of a session, in order.

    Scope `read`.
    """
    return browsing.said_in(on.store, being.being_id, session_id, cursor=cursor, limit=limit)


@router.get("/party-messages")
def list_party_messages(
    on: On,
    being: ReadBeing,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> MessagePage:
    """List third speakers' messages of all sessions, the one received last first.

    Scope `read`.
    """
    return browsing.party_page(on.store, being.being_id, cursor=cursor, limit=limit)


@router.get("/retracted-messages")
def list_retracted_messages(
    on: On,
    being: ReadBeing,
    conversation: Annotated[
        str | None, AfterValidator(storable), Query(description="Only those of this conversation.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> RetractedPage:
    """List messages that were taken back and can be restored, the one received last first.

    Scope `read`.
    """
    return browsing.retracted_page(on.store, being.being_id, conversation=conversation, cursor=cursor, limit=limit)


@router.get("/session-state")
def show_state(on: On, being: ReadBeing) -> SessionState:
    """Show the state that survives sessions: message count, rolling summary, and the summary's last attempt.

    Scope `read`.
    """
    return sessions.state(on.store, being.being_id)


@router.get("/rolling-summaries")
def list_rolling_summaries(on: On, being: ReadBeing, cursor: Cursor = None, limit: Limit = PAGE_NODES) -> RollingPage:
    """List the versions of the rolling summary, newest first; it is rewritten every four messages.

    Scope `read`.
    """
    return sessions.rolling_page(on.store, being.being_id, cursor=cursor, limit=limit)


@router.get("/spine")
def list_spines(on: On, being: ReadBeing, cursor: Cursor = None, limit: Limit = 1) -> SpinePage:
    """List versions of the spine, the long-term summary of the Being's user, newest first; one unless `limit` is set.

    Scope `read`.

    It is rewritten every 20 judged messages, and holds nothing that was said in confidence.
    """
    return sessions.spine_page(on.store, being, cursor=cursor, limit=limit)
