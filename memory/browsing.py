"""Looking through what a Being was told and remembers, page by page. Being looked at keeps nothing alive."""

from uuid import UUID

from memory.recall import BadQuestion, read_cursor, write_cursor
from schemas.answers import MessagePage, NodePage, NotePage, SessionPage
from schemas.rows import NodeStatus, NoteState
from store import clusters, messages, nodes, notes
from store.database import Store
from store.errors import NotFound

# So many fit into what Postgres counts patrols with.
COUNTER_DIGITS = 18


def note_page(store: Store, being_id: UUID, *, state: NoteState | None, cursor: str | None, limit: int) -> NotePage:
    """Notes in the order in which they are kept, those of one state or all.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    after = _read_id(cursor)
    with store.transaction() as tx:
        page = notes.page(tx, being_id, state=state, after=after, limit=limit + 1)
    shown = page[:limit]
    return NotePage(notes=shown, cursor=str(shown[-1].note_id) if len(page) > limit else None)


def node_page(
    store: Store,
    being_id: UUID,
    *,
    cluster_id: UUID | None,
    status: NodeStatus | None,
    cursor: str | None,
    limit: int,
) -> NodePage:
    """Nodes, newest first, also dead and forgotten ones; those of one cluster or status, or all.

    Raises:
        NotFound: This Being has no such cluster.
        BadQuestion: The cursor is none that was given out.
    """
    before = read_cursor(cursor)
    with store.transaction() as tx:
        if cluster_id is not None:
            cluster = clusters.find(tx, being_id, cluster_id)
            if cluster is None:
                raise NotFound(f"This Being has no cluster {cluster_id}.")
            cluster_id = cluster.cluster_id
        page = nodes.page(tx, being_id, cluster_id=cluster_id, status=status, before=before, limit=limit + 1)
    shown = page[:limit]
    last = write_cursor(shown[-1].created_at, shown[-1].node_id) if len(page) > limit else None
    return NodePage(nodes=shown, cursor=last)


def fading_page(store: Store, being_id: UUID, *, patrols: int, cursor: str | None, limit: int) -> NodePage:
    """Nodes that will be dying within so many more patrols, soonest first.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    after = _read_fading(cursor)
    with store.transaction() as tx:
        page = nodes.fading(tx, being_id, patrols=patrols, after=after, limit=limit + 1)
    shown = page[:limit]
    last = "{1.node_id}/{0}".format(*shown[-1]) if len(page) > limit else None
    return NodePage(nodes=[node for _, node in shown], cursor=last)


def session_page(store: Store, being_id: UUID, *, cursor: str | None, limit: int) -> SessionPage:
    """Conversations, the one opened last first.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    before = _read_id(cursor)
    with store.transaction() as tx:
        page = messages.sessions(tx, being_id, before=before, limit=limit + 1)
    shown = page[:limit]
    return SessionPage(sessions=shown, cursor=str(shown[-1].session_id) if len(page) > limit else None)


def party_page(store: Store, being_id: UUID, *, cursor: str | None, limit: int) -> MessagePage:
    """What somebody else in the room said, what came in last first.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    before = _read_id(cursor)
    with store.transaction() as tx:
        page = messages.of_others(tx, being_id, before=before, limit=limit + 1)
    shown = page[:limit]
    return MessagePage(messages=shown, cursor=str(shown[-1].message_id) if len(page) > limit else None)


def said_in(store: Store, being_id: UUID, session_id: UUID, *, cursor: str | None, limit: int) -> MessagePage:
    """What was said in a conversation, in order.

    Raises:
        NotFound: This Being has no such session.
        BadQuestion: The cursor is none that was given out.
    """
    after = read_cursor(cursor)
    with store.transaction() as tx:
        page = messages.of_session(tx, being_id, session_id, after=after, limit=limit + 1)
    # A session begins with a message and keeps it.
    if not page and after is None:
        raise NotFound(f"This Being has no session {session_id}.")
    shown = page[:limit]
    last = write_cursor(shown[-1].created_at, shown[-1].message_id) if len(page) > limit else None
    return MessagePage(messages=shown, cursor=last)


def _read_fading(cursor: str | None) -> tuple[int, UUID] | None:
    """The count of patrols at which the last node of a page fades, and its id."""
    if cursor is None:
        return None
    node_id, _, fades_at = cursor.partition("/")
    try:
        # What is too long is cut, and so names a place that is none's.
        return int(fades_at[:COUNTER_DIGITS]), UUID(node_id)
    except ValueError:
        raise BadQuestion("The cursor is none that was given out: leave it away to begin anew.") from None


def _read_id(cursor: str | None) -> UUID | None:
    try:
        return None if cursor is None else UUID(cursor)
    except ValueError:
        raise BadQuestion("The cursor is none that was given out: leave it away to begin anew.") from None
