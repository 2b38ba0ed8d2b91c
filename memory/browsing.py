"""Looking through what a Being was told and remembers, page by page. Being looked at keeps nothing alive."""

from uuid import UUID

from memory.pages import cut, read_count, read_id, read_moment, write_count, write_moment
from schemas.answers import MessagePage, NodePage, NotePage, SessionPage
from schemas.rows import NodeStatus, NoteState
from store import clusters, messages, nodes, notes
from store.database import Store
from store.errors import NotFound


def note_page(store: Store, being_id: UUID, *, state: NoteState | None, cursor: str | None, limit: int) -> NotePage:
    """Notes in the order in which they are kept, those of one state or all.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    after = read_id(cursor)
    with store.transaction() as tx:
        found = notes.page(tx, being_id, state=state, after=after, limit=limit + 1)
    shown, end = cut(found, limit, lambda note: str(note.note_id))
    return NotePage(notes=shown, cursor=end)


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
    before = read_moment(cursor)
    with store.transaction() as tx:
        if cluster_id is not None:
            cluster = clusters.find(tx, being_id, cluster_id)
            if cluster is None:
                raise NotFound(f"This Being has no cluster {cluster_id}.")
            cluster_id = cluster.cluster_id
        found = nodes.page(tx, being_id, cluster_id=cluster_id, status=status, before=before, limit=limit + 1)
    shown, end = cut(found, limit, lambda node: write_moment(node.created_at, node.node_id))
    return NodePage(nodes=shown, cursor=end)


def fading_page(store: Store, being_id: UUID, *, patrols: int, cursor: str | None, limit: int) -> NodePage:
    """Nodes that will be dying within so many more patrols, soonest first.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    after = read_count(cursor)
    with store.transaction() as tx:
        found = nodes.fading(tx, being_id, patrols=patrols, after=after, limit=limit + 1)
    shown, end = cut(found, limit, lambda fading: write_count(fading[0], fading[1].node_id))
    return NodePage(nodes=[node for _, node in shown], cursor=end)


def session_page(store: Store, being_id: UUID, *, cursor: str | None, limit: int) -> SessionPage:
    """Conversations, the one opened last first.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    before = read_id(cursor)
    with store.transaction() as tx:
        found = messages.sessions(tx, being_id, before=before, limit=limit + 1)
    shown, end = cut(found, limit, lambda session: str(session.session_id))
    return SessionPage(sessions=shown, cursor=end)


def party_page(store: Store, being_id: UUID, *, cursor: str | None, limit: int) -> MessagePage:
    """What somebody else in the room said, what came in last first.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    before = read_id(cursor)
    with store.transaction() as tx:
        found = messages.of_others(tx, being_id, before=before, limit=limit + 1)
    shown, end = cut(found, limit, lambda message: str(message.message_id))
    return MessagePage(messages=shown, cursor=end)


def said_in(store: Store, being_id: UUID, session_id: UUID, *, cursor: str | None, limit: int) -> MessagePage:
    """What was said in a conversation, in order.

    Raises:
        NotFound: This Being has no such session.
        BadQuestion: The cursor is none that was given out.
    """
    after = read_moment(cursor)
    with store.transaction() as tx:
        found = messages.of_session(tx, being_id, session_id, after=after, limit=limit + 1)
    # A session begins with a message and keeps it.
    if not found and after is None:
        raise NotFound(f"This Being has no session {session_id}.")
    shown, end = cut(found, limit, lambda message: write_moment(message.created_at, message.message_id))
    return MessagePage(messages=shown, cursor=end)
