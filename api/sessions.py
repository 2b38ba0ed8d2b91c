"""Conversations: what was said in them, what they came to, and how a user and a Being stand."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.auth import ReadBeing
from api.bodies import JsonRoute
from api.pages import Cursor, Limit
from api.resources import On
from memory import browsing, conversation
from schemas.answers import MessagePage, RollingPage, SessionPage, SpinePage
from schemas.limits import PAGE_NODES
from schemas.summaries import SessionDetail, SessionState

router = APIRouter(prefix="/v1/beings/{being}", tags=["Conversations"], route_class=JsonRoute)

Before = Annotated[int | None, Query(ge=1, description="Only versions before this one.")]


@router.get("/sessions")
def list_sessions(
    on: On,
    being: ReadBeing,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> SessionPage:
    """List conversations, the one opened last first; one that goes on has no `ended_at`.

    Scope `read`.
    """
    return browsing.session_page(on.store, being.being_id, cursor=cursor, limit=limit)


@router.get("/sessions/{session_id}")
def show_session(on: On, being: ReadBeing, session_id: UUID) -> SessionDetail:
    """Show a conversation, and what it came to, once it is closed and somebody could sum it up.

    Scope `read`.

    A message that comes in late and belongs to it has it summed up anew, under the next version.
    """
    return conversation.session(on.store, being.being_id, session_id)


@router.get("/sessions/{session_id}/messages")
def list_messages(
    on: On,
    being: ReadBeing,
    session_id: UUID,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> MessagePage:
    """List what was said in a conversation, in order.

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
    """List what others in the room said, of all conversations, what came in last first.

    Scope `read`.
    """
    return browsing.party_page(on.store, being.being_id, cursor=cursor, limit=limit)


@router.get("/session-state")
def show_state(on: On, being: ReadBeing) -> SessionState:
    """Show what goes on from conversation to conversation: the count of messages, the rolling summary, how it fares.

    Scope `read`.
    """
    return conversation.state(on.store, being.being_id)


@router.get("/rolling-summaries")
def list_rolling_summaries(on: On, being: ReadBeing, before: Before = None, limit: Limit = PAGE_NODES) -> RollingPage:
    """List the versions of the rolling summary, which is rewritten with every fourth message, newest first.

    Scope `read`.
    """
    return conversation.rolling_page(on.store, being.being_id, before=before, limit=limit)


@router.get("/spine")
def list_spines(on: On, being: ReadBeing, before: Before = None, limit: Limit = 1) -> SpinePage:
    """Read the long line of what the Being's user has told, to it and to others; the newest version, unless more.

    Scope `read`.

    It is rewritten with every twenty messages that were judged, and holds nothing that was said in confidence.
    """
    return conversation.spine_page(on.store, being, before=before, limit=limit)
